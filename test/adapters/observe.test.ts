import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { connect, createServer as createHttp2 } from 'node:http2'
import type { AddressInfo, NetConnectOpts } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import express, { type RequestHandler } from 'express'
import Fastify from 'fastify'
import { Hono } from 'hono'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { observeWebhook as onExpress, verifyWebhook, webhookOf } from '../../adapters/express.ts'
import { observeWebhook as onFastify } from '../../adapters/fastify.ts'
import { observeWebhook as onHono } from '../../adapters/hono.ts'
import { observeWebhook as onWeb } from '../../adapters/web.ts'
import { defineListener, type ListenerOptions, type Verdict, type VerdictContext } from '../../src/index.ts'
import { asana } from '../../src/schemes/asana.ts'
import { slack } from '../../src/schemes/slack.ts'
import { stripe } from '../../src/schemes/stripe.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { signAs } from '../../src/testing/index.ts'
import { Log } from '../support/log.ts'
import { exchange, RawConnection, toBytes } from '../support/raw-http.ts'
import { serve, serveFastify } from '../support/servers.ts'
import { spyStore } from '../support/spy-store.ts'

const SECRET = 'whsec_beside-the-old-check-0123456789'

/** A Stripe listener, and what its hooks hear. */
function stripeListener(options: Partial<ListenerOptions> = {}) {
  const heard = new Log<{ readonly verdict: Verdict; readonly context: VerdictContext }>()
  const errors = new Log<unknown>()
  const { store, calls } = spyStore(memoryStore())
  const listener = defineListener({
    id: 'beside',
    auth: stripe({ secrets: SECRET }),
    store,
    onVerdict: (verdict, context) => heard.add({ verdict, context }),
    onError: (error) => errors.add(error),
    ...options,
  })
  const reasons = () => heard.entries.map(({ verdict }) => (verdict.ok ? 'accepted' : verdict.reason))
  return { listener, heard, errors, reasons, calls }
}

const BODY = '{"id":"evt_1","type":"invoice.paid"}'

async function delivery(body: string | Buffer = BODY) {
  const { headers } = await signAs(stripe, { secret: SECRET, body: body.toString() })
  return { method: 'POST', path: '/', headers: Object.entries(headers), body: Buffer.from(body) }
}

async function post(
  address: NetConnectOpts,
  request: Awaited<ReturnType<typeof delivery>>,
  chunkBytes?: number,
) {
  const reply = await exchange(address, toBytes(request, chunkBytes === undefined ? {} : { chunkBytes }))
  return { status: reply?.status, body: reply?.body }
}

/** Express with one route: the observer, and then these handlers. */
async function behind(observe: RequestHandler, ...handlers: RequestHandler[]) {
  const app = express()
  app.all(/.*/, observe, ...handlers)
  return (await serve(app)).address
}

const raw = express.raw({ type: () => true, limit: '10mb' })
const length: RequestHandler = (request, response) => void response.send(`${request.body.length}`)

afterEach(() => void vi.restoreAllMocks())

describe('the verdict beside an old check', () => {
  it('the verdict comes after the answer, with enforced: false, and its event cannot be settled', async () => {
    const order: string[] = []
    const { listener, heard, calls } = stripeListener()
    const address = await behind(onExpress(listener), raw, async (request, response) => {
      for (let turn = 0; turn < 20; turn += 1) await undefined
      order.push(`answers, ${heard.entries.length} verdicts`)
      response.send(`${'webhook' in request}`)
    })
    expect(await post(address, await delivery())).toEqual({ status: 200, body: 'false' })
    await heard.reaches(1)
    expect(order).toEqual(['answers, 0 verdicts'])
    const [{ verdict, context } = expect.fail()] = heard.entries
    expect(context).toMatchObject({ enforced: false, eventId: 'evt_1', eventType: 'invoice.paid' })
    if (!verdict.ok) return expect.fail(verdict.reason)
    expect(Buffer.from(verdict.event.rawBody).toString()).toBe(BODY)
    expect([await verdict.event.commit(), await verdict.event.release()]).toEqual(['lost', false])
    expect(calls).toEqual([])
  })

  it('the verdict is never a duplicate, and verifyWebhook after it claims as ever', async () => {
    const { listener, heard, calls } = stripeListener()
    const address = await behind(
      onExpress(listener),
      onExpress(listener),
      verifyWebhook(listener),
      (request, response) => response.send(webhookOf(request).id),
    )
    expect(await post(address, await delivery())).toEqual({ status: 200, body: 'evt_1' })
    expect(await post(address, await delivery())).toEqual({ status: 200, body: '' })
    await heard.reaches(6)
    const told = heard.entries.map(
      ({ verdict, context }) => `${verdict.ok} ${context.enforced ?? 'enforced'}`,
    )
    expect(told.toSorted()).toEqual([
      ...['false enforced', 'true enforced', 'true false', 'true false', 'true false', 'true false'],
    ])
    expect(calls.map((call) => call.split(' ')[0])).toEqual(['claim', 'commit', 'claim'])
  })

  it('the verdict is a handshake for a handshake, which the old handler answers', async () => {
    const { listener, heard } = stripeListener({ auth: slack({ secrets: SECRET }) })
    const address = await behind(onExpress(listener), express.json(), (request, response) =>
      response.send(request.body.challenge),
    )
    const body = '{"type":"url_verification","challenge":"abc"}'
    const { headers } = await signAs(slack, { secret: SECRET, body })
    const request = { ...(await delivery(body)), headers: Object.entries(headers) }
    expect(await post(address, request)).toEqual({ status: 200, body: 'abc' })
    await heard.reaches(1)
    expect(heard.entries[0]?.verdict).toMatchObject({ ok: false, handshake: true })
  })

  it('the verdict does not tell onHandshake', async () => {
    const onHandshake = vi.fn()
    const { listener, heard } = stripeListener({ auth: asana({ onHandshake }) })
    const headers = [
      ['Content-Type', 'application/json'],
      ['X-Hook-Secret', 'b537'],
    ] as [string, string][]
    const request = { ...(await delivery('{}')), headers }
    const observed = await behind(onExpress(listener), raw, length)
    expect(await post(observed, request)).toEqual({ status: 200, body: '2' })
    await heard.reaches(1)
    expect(heard.entries[0]?.verdict).toMatchObject({ ok: false, handshake: true })
    expect(onHandshake).not.toHaveBeenCalled()
    await post(await behind(verifyWebhook(listener)), request)
    expect(onHandshake).toHaveBeenCalledExactlyOnceWith({ secret: 'b537' })
  })

  it('the verdict takes account of the source address', async () => {
    const { listener, heard, reasons } = stripeListener({ allowedCidrs: ['192.0.2.0/24'] })
    const address = await behind(onExpress(listener, { trustedProxies: ['127.0.0.0/8'] }), raw, length)
    const request = await delivery()
    const from = (ip: string) => ({
      ...request,
      headers: [...request.headers, ['X-Forwarded-For', ip] as [string, string]],
    })
    await post(address, from('203.0.113.9'))
    await post(address, from('192.0.2.1'))
    await heard.reaches(2)
    expect(reasons()).toEqual(['source_ip_not_allowed', 'accepted'])
  })

  it('the verdict goes to the console, if the listener has no hook', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const { listener } = stripeListener({ onVerdict: undefined })
    const request = { ...(await delivery()), body: Buffer.from('{"id":"evt_2","type":"invoice.paid"}') }
    expect((await post(await behind(onExpress(listener), raw, length), request)).status).toBe(200)
    await expect.poll(() => warn).toHaveBeenCalledOnce()
    expect(warn.mock.lastCall?.[0]).toContain('listener "beside" would refuse a delivery: signature_mismatch')
  })
})

describe('the copy', () => {
  it('the copy ends at maxBodyBytes, and the handler reads on', async () => {
    const { listener, heard, reasons } = stripeListener({ maxBodyBytes: 1000 })
    const address = await behind(onExpress(listener, { maxConcurrentBytes: 70_000 }), raw, length)
    for (const size of [1000, 1001, 300_000]) {
      const body = `"${'x'.repeat(size - 2)}"`
      expect(await post(address, await delivery(body), 64_000)).toEqual({ status: 200, body: `${size}` })
    }
    await heard.reaches(3)
    expect(reasons()).toEqual(['accepted', 'body_too_large', 'body_too_large'])
  })

  it('the copy ends at maxConcurrentBytes, which onError hears, and the handler reads on', async () => {
    const { listener, heard, errors, reasons } = stripeListener()
    const address = await behind(onExpress(listener, { maxConcurrentBytes: 500 }), raw, length)
    const body = `{"id":"evt_1","type":"${'x'.repeat(600)}"}`
    expect(await post(address, await delivery(body))).toEqual({ status: 200, body: `${body.length}` })
    await errors.reaches(1)
    expect(errors.entries[0]).toMatchObject({ code: 'ERR_TOO_MANY_BODIES' })
    for (let count = 0; count < 20; count += 1) await post(address, await delivery()) // each gives its room back
    await heard.reaches(20)
    expect(new Set(reasons())).toEqual(new Set(['accepted']))
  })

  it('the copy is given up without a word if the sender or the reader leaves', async () => {
    const { listener, heard, errors } = stripeListener()
    const closed = new Log<number>()
    const address = await behind(
      onExpress(listener, { maxConcurrentBodies: 1 }),
      (request, response, next) => {
        request.on('close', () => closed.add(1))
        if (request.url === '/drops') return void request.resume().on('end', () => response.send('dropped'))
        raw(request, response, next)
      },
      length,
    )
    const request = await delivery()
    const connection = new RawConnection(address)
    await connection.write(toBytes(request).subarray(0, -1))
    connection.abort()
    await closed.reaches(1)
    expect(await post(address, { ...(await delivery('{"id":"dropped"}')), path: '/drops' })).toEqual({
      status: 200,
      body: 'dropped',
    })
    expect(await post(address, request)).toEqual({ status: 200, body: `${BODY.length}` })
    await heard.reaches(1)
    expect([heard.entries[0]?.context.eventId, errors.entries]).toEqual(['evt_1', []])
  })

  it('the copy is given up without a word if a reader peeks, and puts back what it has read', async () => {
    const { listener, heard, errors } = stripeListener()
    const peek: RequestHandler = async (request, _response, next) => {
      if (request.url === '/plain') return next()
      await once(request, 'readable')
      request.unshift(request.read(4))
      await new Promise((resolve) => setTimeout(resolve, 5))
      next()
    }
    const address = await behind(onExpress(listener), peek, raw, length)
    const request = await delivery()
    const answer = { status: 200, body: `${BODY.length}` }
    // In chunks, no announced length shows that bytes came twice.
    for (const chunkBytes of [undefined, 10]) expect(await post(address, request, chunkBytes)).toEqual(answer)
    const plain = await delivery('{"id":"evt_2"}')
    await post(address, { ...plain, path: '/plain' })
    await heard.reaches(1)
    expect([errors.entries, heard.entries.map(({ context }) => context.eventId)]).toEqual([[], ['evt_2']])
  })

  it('the copy is not judged if a text has lost its bytes, though their number is right', async () => {
    const { listener, heard, errors } = stripeListener()
    const text: RequestHandler = async (request, response) => {
      let length = 0
      for await (const part of request.setEncoding('utf8')) length += part.length
      response.send(`${length}`)
    }
    const address = await behind(onExpress(listener), text)
    const cut = Buffer.from('{"id":"evt_1","x":"\ufffd"}')
    cut.set([0xf0, 0x9f, 0x98], cut.indexOf('\ufffd')) // reads as U+FFFD, which is as long
    expect(await post(address, await delivery(cut))).toEqual({ status: 200, body: '22' })
    await errors.reaches(1)
    expect([errors.entries, heard.entries]).toEqual([[expect.objectContaining({ option: 'body' })], []])
  })

  it('the copy leaves the request as it was', async () => {
    const { listener, heard } = stripeListener()
    const names: string[][] = []
    const look = (request: IncomingMessage) => names.push(Object.getOwnPropertyNames(request))
    const observe = onExpress(listener)
    const server = createServer((request, response) => {
      look(request)
      observe(request as never, response as never, () => {
        request
          .resume()
          .on('data', () => {})
          .on('end', () =>
            setImmediate(() => {
              look(request)
              response.end()
            }),
          )
      })
    })
    await post((await serve(server as never)).address, await delivery())
    await heard.reaches(1)
    expect(names[0]).not.toContain('emit')
    expect(names[1]).not.toContain('emit')
  })

  it('the copy is taken on HTTP/2, and of a request without a body', async () => {
    const { listener, heard, reasons } = stripeListener()
    const observe = onExpress(listener)
    const server = createHttp2((request, response) => {
      observe(request as never, response as never, () => {
        request.on('data', () => {}).on('end', () => response.end('read'))
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    onTestFinished(() => {
      client.close()
      server.close()
    })
    for (const [method, body] of [
      ['POST', BODY],
      ['GET', undefined],
    ] as const) {
      const { headers } = await delivery()
      const stream = client.request(
        { ':method': method, ':path': '/', ...Object.fromEntries(headers) },
        { endStream: body === undefined },
      )
      stream.end(body).resume()
      await once(stream, 'end')
    }
    await heard.reaches(2)
    expect(reasons()).toEqual(['accepted', 'method_not_post'])
  })
})

describe('a lookup beside an old check', () => {
  it('a lookup may hang, throw, reject or find nothing: the request goes on', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const lookups = [
      () => new Promise<never>(() => {}),
      () => {
        throw new Error('secret')
      },
      () => Promise.reject(Object.assign(new Error('secret'), { code: 'a secret code' })),
      () => undefined,
      async () => undefined,
    ]
    for (const lookup of lookups) {
      const address = await behind(onExpress(lookup), raw, length)
      expect(await post(address, await delivery())).toEqual({ status: 200, body: `${BODY.length}` })
    }
    expect(warn.mock.calls.map(([line]) => line)).toEqual([
      expect.stringContaining('listener "unknown" failed: ERR_LISTENER_LOAD.'),
    ])
  })
})

describe('Hono', () => {
  it.each(['text', 'arrayBuffer'] as const)(
    'observeWebhook takes what a middleware has read by c.req.%s()',
    async (read) => {
      const { listener, heard, reasons } = stripeListener()
      const app = new Hono().use(async (c, next) => {
        await c.req[read]()
        await next()
      })
      app.post('/', onHono(listener), async (c) => c.text(`${(await c.req.text()).length}`))
      const { address } = await serve(createAdaptorServer({ fetch: app.fetch }))
      const { headers, body } = await delivery()
      const sent = { method: 'POST', headers, body } // Bun answers in chunks
      expect(await (await fetch(`http://127.0.0.1:${Object(address).port}/`, sent)).text()).toBe(
        `${BODY.length}`,
      )
      await heard.reaches(1)
      expect(reasons()).toEqual(['accepted'])
    },
  )

  it('observeWebhook passes on what the handler throws', async () => {
    const { listener, heard } = stripeListener()
    const app = new Hono()
    app.post('/', onHono(listener), async (c) => {
      await c.req.text()
      throw new Error('from the handler')
    })
    app.onError((error, c) => c.text(error.message, 500))
    const { headers, body } = await delivery()
    const response = await app.request('/', { method: 'POST', headers, body })
    expect([response.status, await response.text()]).toEqual([500, 'from the handler'])
    await heard.reaches(1)
  })
})

describe('a fetch handler', () => {
  it('a fetch handler gets its own arguments, and its answer or its error is passed on as it is', async () => {
    const { listener, heard } = stripeListener()
    const request = async () => new Request('http://localhost/', { ...(await delivery()) })
    const answer = new Response('old')
    const handler = onWeb(listener, (given: Request, env: string) => (env === 'sync' ? answer : given.text()))
    expect(handler(await request(), 'sync')).toBe(answer)
    expect(await handler(await request(), 'reads')).toBe(BODY)
    const thrown = new Error('from the handler')
    const throwing = onWeb(listener, () => {
      throw thrown
    })
    const first = await request()
    expect(() => throwing(first)).toThrow(thrown)
    await heard.reaches(1)
    expect(heard.entries).toHaveLength(1) // neither of the others has read
  })

  it('a fetch handler is kept alive by waitUntil until its verdict', async () => {
    const { listener, heard } = stripeListener()
    const works: Promise<unknown>[] = []
    const handler = onWeb(listener, (request: Request) => request.text(), {
      waitUntil: (work) => void works.push(work),
    })
    await handler(new Request('http://localhost/', await delivery()))
    await Promise.all(works)
    expect([works.length, heard.entries.length]).toEqual([1, 1])
  })

  it('a copy whose sender leaves before the body ends is given up without a word', async () => {
    const { listener, heard, errors } = stripeListener()
    const waits: Promise<unknown>[] = []
    const waitUntil = (work: Promise<unknown>) => void waits.push(work)
    const handle = onWeb(listener, (request: Request) => request.text(), { waitUntil })
    const body = new ReadableStream({
      pull(controller) {
        controller.error(new Error('the sender has left'))
      },
    })
    const request = new Request('http://localhost', { method: 'POST', body, duplex: 'half' })
    await expect(handle(request)).rejects.toThrow('the sender has left')
    await Promise.all(waits)
    expect([heard.entries, errors.entries, waits.length]).toEqual([[], [], 1])
  })

  it('a body that was read before is told once to onError', async () => {
    const { listener, errors } = stripeListener()
    const handler = onWeb(listener, async () => 'old')
    for (let count = 0; count < 2; count += 1) {
      const request = new Request('http://localhost/', await delivery())
      await request.text()
      expect(await handler(request)).toBe('old')
    }
    expect(errors.entries).toEqual([expect.objectContaining({ code: 'ERR_LISTENER_CONFIG' })])
  })
})

describe('Fastify', () => {
  it('observeWebhook keeps the parsers of the scope, and reports nothing where a hook refuses first', async () => {
    const { listener, heard, reasons } = stripeListener()
    const app = Fastify()
    app.register(async (scope) => {
      await scope.register(onFastify, { listener })
      scope.addHook('onRequest', async (request, reply) => {
        if (request.url === '/refused') await reply.code(403).send('no')
      })
      scope.post('/*', async ({ body }) => Object.keys(Object(body)))
    })
    const { address } = await serveFastify(app)
    const request = await delivery()
    expect(await post(address, { ...request, path: '/refused' })).toEqual({ status: 403, body: 'no' })
    expect(await post(address, request)).toEqual({ status: 200, body: '["id","type"]' })
    await heard.reaches(1)
    expect(reasons()).toEqual(['accepted'])
  })

  it('observeWebhook says how to mount it', async () => {
    const app = Fastify()
    app.post('/', onFastify as never)
    expect((await app.inject({ method: 'POST', url: '/', payload: {} })).json().message).toBe(
      'observeWebhook: is a plugin: scope.register(observeWebhook, { listener }), in a scope of its own',
    )
  })
})

describe('mistakes at startup', () => {
  const { listener } = stripeListener()
  const strict = stripeListener({ allowedCidrs: ['192.0.2.0/24'] }).listener

  it.each([
    ['an unknown option', () => onExpress(listener, { trustProxies: [] } as never), 'trustProxies'],
    [
      'a timeout, which nothing waits for',
      () => onHono(listener, { bodyTimeoutSeconds: 5 } as never),
      'bodyTimeoutSeconds',
    ],
    ['no listener', () => onExpress({} as never), 'listener'],
    ['no handler', () => onWeb(listener, undefined as never), 'handler'],
    ['a waitUntil that is no function', () => onHono(listener, { waitUntil: true as never }), 'waitUntil'],
    ['a fetch handler that does not know its source', () => onWeb(strict, () => 'old'), 'sourceIp'],
    ['a route of Hono that does not know its source', () => onHono(strict), 'sourceIp'],
  ])('%s', (_, mount, option) => {
    expect(mount).toThrow(expect.objectContaining({ code: 'ERR_LISTENER_CONFIG', option }))
  })
})

describe('what is told of foreign code that throws beside an old check', () => {
  const broken = () => {
    throw Symbol('broken')
  }

  async function observed(options: Parameters<typeof onExpress>[1], listener = stripeListener()) {
    const app = express().use(onExpress(listener.listener, options))
    const { address } = await serve(
      app.use(express.raw({ type: () => true }), (_, res) => void res.end('old')),
    )
    return { ...listener, send: async () => post(address, await delivery()) }
  }

  it('onError gets what a clock throws, once', async () => {
    const { send, errors, reasons } = await observed({}, stripeListener({ clock: { now: broken } }))
    expect([await send(), await send()]).toEqual([OLD, OLD])
    await errors.reaches(1)
    expect([errors.entries.map(String), reasons()]).toEqual([['Symbol(broken)'], []])
  })

  it('a broken clock keeps no warning from being written, and writes no flood', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    for (const [id, now] of Object.entries({ 'no clock': broken, 'no time': () => Number.NaN })) {
      const quiet = { onVerdict: undefined, onError: undefined }
      const { send } = await observed({}, stripeListener({ id, clock: { now }, ...quiet }))
      await send()
      await expect.poll(() => warn.mock.calls.flat().join()).toContain(`"${id}"`)
      await send()
      await send()
    }
    expect(warn).toHaveBeenCalledTimes(2)
  })

  it('the console may throw', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(broken)
    const quiet = { id: 'no console', onVerdict: undefined, onError: undefined }
    const { send } = await observed({}, stripeListener({ ...quiet, clock: { now: broken } }))
    expect(await send()).toEqual(OLD)
    await expect.poll(() => warn.mock.calls.length).toBeGreaterThan(0)
  })

  it('waitUntil may throw', async () => {
    const { send, heard, reasons } = await observed({ waitUntil: broken })
    expect(await send()).toEqual(OLD)
    await heard.reaches(1)
    expect(reasons()).toEqual(['accepted'])
  })
})

const OLD = { status: 200, body: 'old' }
