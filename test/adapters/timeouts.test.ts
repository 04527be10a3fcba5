import { once } from 'node:events'
import type { RequestListener, ServerResponse } from 'node:http'
import { connect } from 'node:http2'
import { createAdaptorServer, getRequestListener } from '@hono/node-server'
import express, { type ErrorRequestHandler, type RequestHandler } from 'express'
import express4 from 'express4'
import Fastify, { type FastifyInstance } from 'fastify'
import { Hono, type MiddlewareHandler } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { describe, expect, it, onTestFinished } from 'vitest'
import { verifyWebhook as onExpress } from '../../adapters/express.ts'
import { verifyWebhook as onFastify } from '../../adapters/fastify.ts'
import { verifyWebhook as onHono } from '../../adapters/hono.ts'
import { webhookHandler } from '../../adapters/web.ts'
import type { Listener } from '../../src/index.ts'
import type { Listening } from '../support/fetch-servers.ts'
import { Log } from '../support/log.ts'
import { exchange, RawConnection, type RawRequest, toBytes } from '../support/raw-http.ts'
import { hmacEndpoint } from '../support/sender.ts'
import { serve, serveFastify } from '../support/servers.ts'

const TIMEOUT_MS = 20

/** Resolves when the work is done. */
type Work = () => Promise<void>
type Send = (request: RawRequest) => Promise<{ readonly status: number; readonly body: string } | undefined>
type Start = (listener: Listener, work: Work) => Promise<Send>

async function onSockets(server: Promise<Listening>): Promise<Send> {
  const { address } = await server
  return (request) => exchange(address, toBytes(request))
}

/** The timer that many developers write by hand. */
const timer: RequestHandler = (_request, response, next) => {
  const timeout = setTimeout(() => response.status(503).end(), TIMEOUT_MS)
  response.on('finish', () => clearTimeout(timeout))
  next()
}

function onExpressOf(create: typeof express, place: 'in front' | 'behind'): Start {
  return (listener, work) => {
    const verify = onExpress(listener)
    const [first, second] = place === 'in front' ? [timer, verify] : [verify, timer]
    const app = create().post('/hook', first, second, async (_request, response) => {
      await work()
      if (!response.headersSent) response.sendStatus(200)
    })
    return onSockets(serve(app))
  }
}

function onFastifyWith(server: object, route: object): Start {
  return (listener, work) => {
    const app = Fastify(server)
    app.register(async (scope) => {
      await scope.register(onFastify, { listener })
      scope.post('/hook', route, async () => {
        await work()
        return 'done'
      })
    })
    return 'http2' in server ? onHttp2(app) : onSockets(serveFastify(app))
  }
}

async function onHttp2(app: FastifyInstance): Promise<Send> {
  onTestFinished(() => app.close())
  const session = connect(await app.listen({ port: 0, host: '127.0.0.1' }))
  onTestFinished(() => session.destroy())
  return async ({ method, path, headers, body }) => {
    const stream = session.request({ ...Object.fromEntries(headers), ':method': method, ':path': path })
    const [answer] = await once(stream.end(body), 'response')
    return { status: answer[':status'], body: Buffer.concat(await stream.toArray()).toString() }
  }
}

/** Fastify 5.12 stops its handlerTimeout when it has read the body, so on HTTP/1.1 it never fires for a POST. */
async function firesOnHttp1(): Promise<boolean> {
  const app = Fastify({ handlerTimeout: TIMEOUT_MS } as object)
  const opened = new Log<string>()
  app.post('/', () => opened.has('opened').then(() => 'done'))
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  setTimeout(() => opened.add('opened'), 10 * TIMEOUT_MS)
  const headers = { 'content-type': 'application/json' }
  const { status } = await fetch(url, { method: 'POST', headers, body: '{}' })
  await app.close()
  return status === 503
}

/** Hono's own, which 4.2 does not have yet. In a variable, because vite resolves every literal path. */
const TIMEOUT: string = 'hono/timeout'
const { timeout }: Partial<typeof import('hono/timeout')> = await import(TIMEOUT).catch(() => ({}))
const withTimeout = (exception?: HTTPException): MiddlewareHandler =>
  timeout?.(TIMEOUT_MS, exception) ?? ((_c, next) => next())

type Place = 'in front' | 'behind'
type Runtime = 'on Node' | 'on web APIs alone'

function onHonoWith(place: Place, runtime: Runtime, exception?: HTTPException): Start {
  return (listener, work) => {
    const app = new Hono()
    const [limit, verify] = [withTimeout(exception), onHono(listener)]
    const [first, second] = place === 'in front' ? [limit, verify] : [verify, limit]
    app.post('/hook', first as MiddlewareHandler, second as MiddlewareHandler, async (c) => {
      await work()
      return c.text('done')
    })
    if (runtime === 'on Node') return onSockets(serve(createAdaptorServer({ fetch: app.fetch })))
    return onSockets(serve(getRequestListener((request) => app.fetch(request))))
  }
}

/** A timeout around the whole handler, like that of a platform or a proxy. */
const webInFront: Start = (listener, work) => {
  const handle = webhookHandler(listener, work)
  const late = () =>
    new Promise<Response>((resolve) => {
      setTimeout(() => resolve(new Response(null, { status: 500 })), TIMEOUT_MS)
    })
  return onSockets(serve(getRequestListener((request) => Promise.race([handle(request), late()]))))
}

/** A server, and the first delivery of an event whose handler outlives its timeout. */
async function timedOut(start: Start) {
  const endpoint = hmacEndpoint()
  const opened = new Log<string>()
  const finished = new Log<string>()
  const running = { now: 0, most: 0, ever: 0 }
  const work = async () => {
    running.now += 1
    running.ever += 1
    running.most = Math.max(running.most, running.now)
    if (running.ever === 1) await opened.has('opened')
    running.now -= 1
    finished.add('finished')
  }
  const deliver = await start(endpoint.listener, work)
  const request = await endpoint.request()
  const send = async () => {
    const reply = await deliver(request)
    return (
      reply && `${reply.status} ${reply.body.includes('event_') ? JSON.parse(reply.body).code : ''}`.trim()
    )
  }
  const first = await send()
  const finish = async () => {
    opened.add('opened')
    await finished.reaches(1)
    // After a turn of the event loop, all that follows a handler is done.
    await new Promise((resolve) => setTimeout(resolve))
  }
  return { endpoint, first, send, running, finish }
}

const IN_PROGRESS = '503 event_in_progress'

const handlerTimeout = TIMEOUT_MS
const hasHandlerTimeout = Object.hasOwn(Fastify().initialConfig, 'handlerTimeout')
const hasItOnHttp1 = hasHandlerTimeout && (await firesOnHttp1())

const LEAVING: readonly (readonly [name: string, start: Start, first: string, can: boolean])[] = [
  ['a timer that answers 503 in front, Express 4', onExpressOf(express4, 'in front'), '503', true],
  ['a timer that answers 503 in front, Express 5', onExpressOf(express, 'in front'), '503', true],
  ['a timer that answers 503 behind, Express 4', onExpressOf(express4, 'behind'), '503', true],
  ['a timer that answers 503 behind, Express 5', onExpressOf(express, 'behind'), '503', true],
  [
    "Fastify's handlerTimeout, HTTP/2",
    onFastifyWith({ http2: true, handlerTimeout }, {}),
    '503',
    hasHandlerTimeout,
  ],
  [
    "Fastify's handlerTimeout of the route, HTTP/2",
    onFastifyWith({ http2: true }, { handlerTimeout }),
    '503',
    hasHandlerTimeout,
  ],
  // Fastify 5.12 clears its timer for a request with a body. This row fails as soon as it no longer does.
  ...(hasItOnHttp1
    ? [["Fastify's handlerTimeout", onFastifyWith({ handlerTimeout }, {}), '503', true] as const]
    : []),
  ...(
    [
      ['in front', 'on web APIs alone'],
      ['behind', 'on Node'],
      ['behind', 'on web APIs alone'],
    ] as const
  ).flatMap(([place, runtime]) => [
    [`hono/timeout ${place}, ${runtime}`, onHonoWith(place, runtime), '504', timeout !== undefined] as const,
    [
      `hono/timeout ${place} with 408, ${runtime}`,
      onHonoWith(place, runtime, new HTTPException(408)),
      '408',
      timeout !== undefined,
    ] as const,
  ]),
]

describe('a timeout that answers 503, 504 or 408 for a handler that still runs', () => {
  // The oldest frameworks have some of these timers not yet.
  for (const [name, start, status] of LEAVING.filter(([, , , can]) => can)) {
    it(`no second one starts inside the lease, and nothing is lost: ${name}`, async () => {
      const { endpoint, first, send, running, finish } = await timedOut(start)
      expect(first).toBe(status)
      expect(await Promise.all([send(), send(), send()])).toEqual(Array(3).fill(IN_PROGRESS))
      expect(running).toEqual({ now: 1, most: 1, ever: 1 })
      await finish()
      expect(await send()).toBe(IN_PROGRESS)
      endpoint.clock.advanceSeconds(61)
      expect(await send()).toBe('200')
      expect(await send()).toBe('409 event_duplicate')
      expect(running).toEqual({ now: 0, most: 1, ever: 2 })
    })
  }
})

/** A timer in front of a plain server. */
const onBareServer: Start = (listener, work) => {
  const verify = onExpress(listener)
  const app: RequestListener = (request, response) => {
    setTimeout(() => response.headersSent || response.writeHead(503).end(), TIMEOUT_MS)
    verify(request, response, async () => {
      await work()
      response.statusCode = 204
      response.end()
    })
  }
  return onSockets(serve(app))
}

/** A timer in front, whose scope has a handler that sets its status. */
const onFastifyWithTimer: Start = (listener, work) => onFastifyTimed(listener, work, async () => {})

/** It fails with the 200 that it has set. */
const onFastifyFailing: Start = (listener, work) =>
  onFastifyTimed(listener, work, () => Promise.reject(new Error('late')))

function onFastifyTimed(listener: Listener, work: Work, end: Work): Promise<Send> {
  const app = Fastify()
  app.register(async (scope) => {
    await scope.register(onFastify, { listener })
    scope.addHook('preHandler', async (_request, reply) => {
      const timeout = setTimeout(() => reply.code(503).send(), TIMEOUT_MS)
      reply.raw.on('finish', () => clearTimeout(timeout))
    })
    scope.post('/hook', async (_request, reply) => {
      await work()
      reply.code(200)
      await end()
      return 'done'
    })
  })
  return onSockets(serveFastify(app))
}

const LATE: readonly (readonly [name: string, start: Start, first: string])[] = [
  ['node:http', onBareServer, '503'],
  ['Fastify', onFastifyWithTimer, '503'],
  ...(timeout
    ? ([
        ['hono/timeout in front, on Node', onHonoWith('in front', 'on Node'), '504'],
        ['hono/timeout with 408', onHonoWith('in front', 'on Node', new HTTPException(408)), '408'],
      ] as const)
    : []),
]

describe('a handler that answers 2xx after a timeout has answered', () => {
  it.each(LATE)('the event is done: %s', async (_, start, status) => {
    const { first, send, running, finish } = await timedOut(start)
    expect(first).toBe(status)
    expect(await Promise.all([send(), send(), send()])).toEqual(Array(3).fill(IN_PROGRESS))
    await finish()
    expect(await send()).toBe('409 event_duplicate')
    expect(running).toEqual({ now: 0, most: 1, ever: 1 })
  })

  it('a handler of Fastify that sets 200, and then fails, is not done', async () => {
    const { send, finish } = await timedOut(onFastifyFailing)
    await finish()
    expect(await send()).toBe(IN_PROGRESS)
  })

  const failing = (start: Start): Start => {
    return (listener, work) => start(listener, () => work().then(() => Promise.reject(new Error('late'))))
  }
  it.each(LATE.filter(([name]) => name !== 'node:http'))(
    'one that fails then is not done: %s',
    async (_, start) => {
      const { endpoint, send, finish, running } = await timedOut(failing(start))
      await finish()
      expect(await send()).toBe(IN_PROGRESS)
      endpoint.clock.advanceSeconds(61)
      await send()
      expect(running.ever).toBe(2)
    },
  )
})

const WAITING: readonly (readonly [name: string, start: Start, first: string, then: string])[] = [
  ...(timeout ? (['on Node', 'on web APIs alone'] as const) : []).flatMap((runtime) =>
    ([500, 429] as const).map(
      (status) =>
        [
          `hono/timeout with ${status}, ${runtime}`,
          onHonoWith('in front', runtime, new HTTPException(status)),
          `${status}`,
          '200',
        ] as const,
    ),
  ),
  ['a race around webhookHandler()', webInFront, '500', '409 event_duplicate'],
]

describe('a timeout in front that answers anything else', () => {
  for (const [name, start, status, then] of WAITING) {
    it(`settling waits for the handler, since its end is known here: ${name}`, async () => {
      const { first, send, running, finish } = await timedOut(start)
      expect(first).toBe(status)
      expect(await Promise.all([send(), send(), send()])).toEqual(Array(3).fill(IN_PROGRESS))
      expect(running).toEqual({ now: 1, most: 1, ever: 1 })
      await finish()
      expect(await send()).toBe(then)
      expect(await send()).toBe('409 event_duplicate')
      expect(running.most).toBe(1)
    })
  }
})

type Middleware = ReturnType<typeof onExpress>
type OnError = (error: unknown) => void

const onExpressTimed = (create: typeof express) => (verify: Middleware, onError: OnError) =>
  create()
    .post('/hook', timer, verify)
    .use(((error, _request, _response, _next) => onError(error)) satisfies ErrorRequestHandler)

const TIMED: readonly (readonly [name: string, (verify: Middleware, onError: OnError) => RequestListener])[] =
  [
    ['Express 4', onExpressTimed(express4)],
    ['Express 5', onExpressTimed(express)],
    [
      'node:http',
      (verify, onError) => (request, response: ServerResponse) => {
        setTimeout(() => response.writeHead(503).end(), TIMEOUT_MS)
        verify(request, response, onError)
      },
    ],
  ]

describe('a timeout that answers before the body is complete', () => {
  it.each(TIMED)('the hooks get the refusal, and no error handler is called, on %s', async (_, mount) => {
    const { listener, request, verdicts } = hmacEndpoint()
    const errors: unknown[] = []
    const verify = onExpress(listener, { bodyTimeoutSeconds: (2 * TIMEOUT_MS) / 1000 })
    const { address } = await serve(mount(verify, (error) => errors.push(error)))
    const connection = new RawConnection(address)
    await connection.write(toBytes(await request()).subarray(0, -1))

    expect((await connection.reply())?.status).toBe(503)
    await verdicts.reaches(1)
    await new Promise((resolve) => setTimeout(resolve)) // after the promise of the middleware

    expect(verdicts.entries).toEqual(['body_incomplete'])
    expect(errors).toEqual([])
    connection.abort()
  })
})
