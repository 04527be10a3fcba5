import { once } from 'node:events'
import type { RequestListener, ServerResponse } from 'node:http'
import { connect, constants, createServer as createHttp2Server } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import express from 'express'
import express4 from 'express4'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { type Context, Hono } from 'hono'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { verifyWebhook as onNode } from '../../adapters/express.ts'
import { verifyWebhook as onFastify } from '../../adapters/fastify.ts'
import { verifyWebhook as onHono } from '../../adapters/hono.ts'
import { webhookHandler } from '../../adapters/web.ts'
import type { EventStore, Listener } from '../../src/index.ts'
import { github } from '../../src/schemes/github.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { signAs } from '../../src/testing/index.ts'
import { Log } from '../support/log.ts'
import { exchange, RawConnection, type RawRequest, toBytes } from '../support/raw-http.ts'
import { type Endpoint, endpoint as endpointOf, hmacEndpoint } from '../support/sender.ts'
import { serve } from '../support/servers.ts'
import { MOUNTED } from './mounted.ts'

type Mount = (typeof MOUNTED)[string]

const onWeb: Mount = (listener, handle) => {
  const answer = webhookHandler(
    listener,
    async (event) => new Response(null, { status: await handle(event) }),
  )
  return getRequestListener((request) => answer(request))
}

const onHonoWeb: Mount = (listener, handle) => {
  const app = new Hono().post('/hook', onHono(listener), async (c) =>
    c.body('', (await handle(c.var.webhook)) as 200),
  )
  return getRequestListener((request) => app.fetch(request))
}

/** Every adapter, on real sockets. */
const ADAPTERS = { ...MOUNTED, 'Hono on web APIs': onHonoWeb, web: onWeb }

/** More turns of the event loop, timers included, than anything takes that `close` has started. Counted, so that no machine is too slow. */
async function laterTurn(): Promise<void> {
  for (let turn = 0; turn < 15; turn += 1) await new Promise<void>((resolve) => setTimeout(resolve))
}

const verbs = ({ calls }: Endpoint) => calls.entries.map((call) => call.split(' ')[0])

async function started(app: RequestListener | Promise<RequestListener>) {
  const { address, closings } = await serve(await app)
  /** Sends a request, and hangs up when `entered` says so. */
  const hangUp = async (request: RawRequest, entered: Promise<unknown> = Promise.resolve()) => {
    const closed = closings.entries.length + 1
    const connection = new RawConnection(address)
    await connection.write(toBytes(request))
    await entered
    connection.abort()
    await closings.reaches(closed)
  }
  const send = async (request: RawRequest) => (await exchange(address, toBytes(request)))?.status
  return { address, closings, hangUp, send }
}

/** A handler that waits until it is opened. */
function gate() {
  const entered = new Log<string>()
  const opened = new Log<string>()
  const pass = async () => {
    entered.add('entered')
    await opened.has('opened')
  }
  return { entered, pass, open: () => opened.add('opened') }
}

/** A listener on an app, whose sender hangs up while the handler waits. Returns the calls of the store, a while later. */
async function afterHangUp(
  mount: (listener: Listener, pass: () => Promise<void>) => RequestListener | Promise<RequestListener>,
  endpoint = hmacEndpoint(),
) {
  const { entered, pass, open } = gate()
  const { hangUp } = await started(mount(endpoint.listener, pass))
  await hangUp(await endpoint.request(), entered.reaches(1))
  await laterTurn()
  const before = verbs(endpoint)
  open()
  await laterTurn()
  return { before, after: verbs(endpoint) }
}

const LAPSES = { before: ['claim'], after: ['claim'] }
const COMMITS = { before: ['claim'], after: ['claim', 'commit'] }

describe.each(Object.entries(ADAPTERS))('a sender that hangs up, on %s', (_name, mount) => {
  it('one captured delivery of GitHub, hung up before each answer, succeeds once', async () => {
    const secret = 'a secret of GitHub'
    const auth = github({ secrets: secret })
    const sign = async () => {
      const { headers, body } = await signAs(github, { secret, body: '{"zen":1}' })
      return { headers: { ...headers, 'x-github-event': 'push' }, body }
    }
    const endpoint = endpointOf(auth, sign as never, {})
    let successes = 0
    const entered = new Log<string>()
    const handle = async () => {
      entered.add('entered')
      await laterTurn()
      await laterTurn()
      successes += 1
      return 200
    }
    const { hangUp, send } = await started(mount(endpoint.listener, handle))
    const captured = await endpoint.request()
    await hangUp(captured, entered.reaches(1))
    await endpoint.calls.reaches(2)
    for (let replay = 0; replay < 5; replay += 1) {
      endpoint.clock.advanceSeconds(61)
      await hangUp(captured, endpoint.verdicts.reaches(2 + replay))
    }
    expect(await send(captured)).toBe(200) // the sender's own retry: a duplicate
    expect([successes, entered.entries.length]).toEqual([1, 1])
  })

  it.each([
    [200, 'commits'],
    [299, 'commits'],
    [302, 'lapses'],
    [400, 'lapses'],
    [408, 'lapses'],
    [500, 'lapses'],
    [503, 'lapses'],
    [504, 'lapses'],
  ])('a handler that answers %i to nobody: its event %s', async (status, then) => {
    const calls = await afterHangUp((listener, pass) => mount(listener, () => pass().then(() => status)))
    expect(calls).toEqual(then === 'commits' ? COMMITS : LAPSES)
  })

  it('a handler that throws lets the lease lapse', async () => {
    vi.spyOn(console, 'error').mockReturnValue() // the frameworks
    const calls = await afterHangUp((listener, pass) =>
      mount(listener, async () => {
        await pass()
        throw new Error('no database')
      }),
    )
    expect(calls).toEqual(LAPSES)
  })

  it('the next attempt is told to wait until the handler has ended, and is a duplicate then', async () => {
    const endpoint = hmacEndpoint()
    const { entered, pass, open } = gate()
    const { hangUp, send } = await started(mount(endpoint.listener, () => pass().then(() => 200)))
    const request = await endpoint.request()
    await hangUp(request, entered.reaches(1))
    await laterTurn()
    expect(await send(request)).toBe(503)
    open()
    await endpoint.calls.reaches(3)
    expect(await send(request)).toBe(409)
    expect(entered.entries).toHaveLength(1)
  })

  it('a sender that leaves during the claim changes nothing: a handler that succeeds commits', async () => {
    const claiming = gate()
    const endpoint = hmacEndpoint({}, (clock) => heldStore(memoryStore({ clock }), claiming.pass))
    const { hangUp } = await started(mount(endpoint.listener, async () => 200))
    await hangUp(await endpoint.request(), claiming.entered.reaches(1))
    await laterTurn()
    claiming.open()
    await endpoint.calls.reaches(2)
    expect(verbs(endpoint)).toEqual(['claim', 'commit'])
  })

  it('a sender that leaves during its body makes no claim', async () => {
    const endpoint = hmacEndpoint()
    const { address, closings } = await started(mount(endpoint.listener, async () => 200))
    const connection = new RawConnection(address)
    await connection.write(toBytes(await endpoint.request()).subarray(0, -1))
    connection.abort()
    await closings.reaches(1)
    await endpoint.verdicts.has('body_incomplete')
    expect(endpoint.calls.entries).toEqual([])
  })

  it("settle: 'manual' leaves it to the handler", async () => {
    const endpoint = hmacEndpoint({ settle: 'manual' })
    const calls = await afterHangUp(
      (listener, pass) => mount(listener, () => pass().then(() => 200)),
      endpoint,
    )
    expect(calls).toEqual(LAPSES)
  })

  it('a commit that fails is told to onError, and the lease lapses', async () => {
    const endpoint = hmacEndpoint({}, (clock) => ({
      ...heldStore(memoryStore({ clock }), async () => {}),
      commit: () => Promise.reject(new Error('no store')),
    }))
    const calls = await afterHangUp(
      (listener, pass) => mount(listener, () => pass().then(() => 200)),
      endpoint,
    )
    expect(calls).toEqual(COMMITS)
    expect(endpoint.failures.entries.map(String)).toEqual([
      'EventStoreError: the event store failed to commit',
    ])
  })

  it('a handler that outlived its lease commits nothing that another delivery has claimed, and onError hears of it', async () => {
    const endpoint = hmacEndpoint()
    const first = gate()
    const second = gate()
    const gates = [first, second]
    const handle = async () => {
      await gates.shift()?.pass()
      return 200
    }
    const { hangUp } = await started(mount(endpoint.listener, handle))
    const request = await endpoint.request()
    await hangUp(request, first.entered.reaches(1))
    endpoint.clock.advanceSeconds(61)
    await hangUp(request, second.entered.reaches(1))
    await laterTurn()
    first.open()
    await endpoint.failures.reaches(1)
    expect(String(endpoint.failures.entries[0])).toContain('the commit came too late')
    second.open()
    await endpoint.calls.reaches(4)
    expect(verbs(endpoint)).toEqual(['claim', 'claim', 'commit', 'commit'])
  })
})

/** A store whose claims wait. */
function heldStore(store: EventStore, pass: () => Promise<void>): EventStore {
  return {
    claim: (...given) => pass().then(() => store.claim(...given)),
    commit: store.commit.bind(store),
    release: store.release.bind(store),
  }
}

type Middleware = (response: ServerResponse) => void

/** Where a middleware stands, and when it ends the response. */
const ENDERS: { readonly [when: string]: Middleware } = {
  'as it is emitted': (response) => void response.on('close', () => response.end()),
  'before others are told': (response) => void response.prependListener('close', () => response.end()),
  'in a microtask': (response) =>
    void response.on('close', async () => {
      await undefined
      await undefined
      response.end()
    }),
  'in a tick': (response) => void response.on('close', () => process.nextTick(() => response.end())),
  'in an immediate': (response) => void response.on('close', () => setImmediate(() => response.end())),
  'in a timer': (response) => void response.on('close', () => setTimeout(() => response.end())),
  'in a timer, and a promise that waits for it': (response) =>
    void response.on('close', async () => {
      await new Promise((resolve) => setTimeout(resolve, 2))
      response.end()
    }),
}

const onExpressWith =
  (create: typeof express) => (inFront: Middleware, behind: Middleware, listener: Listener, work: Work) =>
    create()
      .use((_request, response, next) => {
        inFront(response)
        next()
      })
      .post('/hook', onNode(listener), async (_request, response) => {
        behind(response)
        await work()
        response.status(200).end()
      })

type Work = () => Promise<void>

const NODE: {
  readonly [name: string]: (
    inFront: Middleware,
    behind: Middleware,
    listener: Listener,
    work: Work,
  ) => RequestListener
} = {
  'Express 4': onExpressWith(express4),
  'Express 5': onExpressWith(express),
  'node:http': (inFront, behind, listener, work) => {
    const verify = onNode(listener)
    return (request, response) => {
      inFront(response)
      verify(request, response, async () => {
        behind(response)
        await work()
        if (!response.headersSent) response.writeHead(200).end()
      })
    }
  },
}

const nothing = () => {}

describe.each(Object.entries(NODE))('what ends the response because of close, on %s', (_name, mount) => {
  it.each(Object.entries(ENDERS))('commits nothing %s, in front and behind', async (when, end) => {
    const inFront = await afterHangUp((listener, pass) => mount(end, nothing, listener, pass))
    expect(inFront).toEqual(LAPSES)
    if (when === 'before others are told') return // such a middleware stands in front
    const behind = await afterHangUp((listener, pass) => mount(nothing, end, listener, pass))
    expect(behind).toEqual(LAPSES)
  })

  it('commits nothing either if the sender leaves during the claim', async () => {
    for (const end of Object.values(ENDERS)) {
      const claiming = gate()
      const endpoint = hmacEndpoint({}, (clock) => heldStore(memoryStore({ clock }), claiming.pass))
      const entered = new Log<string>()
      const work = async () => entered.add('entered')
      const { hangUp } = await started(mount(end, nothing, endpoint.listener, work))
      await hangUp(await endpoint.request(), claiming.entered.reaches(1))
      await laterTurn()
      claiming.open()
      await entered.reaches(1)
      await laterTurn()
      expect(verbs(endpoint)).toEqual(['claim'])
    }
  })

  it('commits nothing either if the sender leaves during the claim, and the end comes while the handler runs', async () => {
    const claiming = gate()
    const handling = gate()
    const endpoint = hmacEndpoint({}, (clock) => heldStore(memoryStore({ clock }), claiming.pass))
    const ended = new Log<string>()
    const wait: Middleware = (response) =>
      void response.on('close', () => {
        const timer = setInterval(() => {
          if (handling.entered.entries.length === 0) return
          clearInterval(timer)
          response.end()
          ended.add('ended')
        })
      })
    const { hangUp } = await started(mount(wait, nothing, endpoint.listener, handling.pass))
    await hangUp(await endpoint.request(), claiming.entered.reaches(1))
    await laterTurn()
    claiming.open()
    await ended.reaches(1)
    handling.open()
    await laterTurn()
    expect(verbs(endpoint)).toEqual(['claim'])
  })
})

const onExpress =
  (handle: (response: express.Response, pass: Work) => unknown) => (listener: Listener, pass: Work) =>
    express()
      .set('env', 'test')
      .post('/hook', onNode(listener), (_request, response) => handle(response, pass))

describe('a handler of Express whose sender has left', () => {
  it('commits by res.json(), res.send() and res.sendStatus()', async () => {
    for (const answer of [
      (response: express.Response) => response.json({ done: true }),
      (response: express.Response) => response.send('done'),
      (response: express.Response) => response.sendStatus(204),
    ]) {
      const calls = await afterHangUp(
        onExpress(async (response, pass) => {
          await pass()
          answer(response)
        }),
      )
      expect(calls).toEqual(COMMITS)
    }
  })

  it('commits behind a middleware that compresses, which replaced end() and may wait for a drain for ever', async () => {
    const calls = await afterHangUp((listener, pass) =>
      express()
        .use((_request, response, next) => {
          const { end } = response
          response.end = ((...given: []) => {
            if (!response.destroyed) Reflect.apply(end, response, given)
            return response
          }) as typeof response.end
          next()
        })
        .post('/hook', onNode(listener), async (_request, response) => {
          await pass()
          response.send('done')
        }),
    )
    expect(calls).toEqual(COMMITS)
  })

  it('lets the lease lapse if the handler fails after its status was sent', async () => {
    const calls = await afterHangUp(
      onExpress(async (response, pass) => {
        response.writeHead(200).write('half of it')
        await pass()
        response.status(500).end()
      }),
    )
    expect(calls).toEqual(LAPSES)
  })

  it('commits if the rest of its answer follows the sender', async () => {
    const calls = await afterHangUp(
      onExpress(async (response, pass) => {
        response.writeHead(200).write('half of it')
        await pass()
        response.end('the rest')
      }),
    )
    expect(calls).toEqual(COMMITS)
  })

  it('lets the lease lapse if it never ends the response', async () => {
    expect(await afterHangUp(onExpress((_response, pass) => pass()))).toEqual(LAPSES)
  })

  it('commits once, though it ends the response twice', async () => {
    const calls = await afterHangUp(
      onExpress(async (response, pass) => {
        await pass()
        response.end()
        response.end()
      }),
    )
    expect(calls).toEqual(COMMITS)
  })
})

type RouteHandler = (request: FastifyRequest, reply: FastifyReply, pass: Work) => unknown

const onFastifyWith =
  (handle: RouteHandler, prepare: (scope: FastifyInstance) => unknown = nothing, server = {}) =>
  async (listener: Listener, pass: Work) => {
    const app = Fastify(server)
    onTestFinished(() => app.close())
    app.register(async (scope) => {
      await scope.register(onFastify, { listener })
      prepare(scope)
      scope.post('/hook', (request, reply) => handle(request, reply, pass))
    })
    await app.ready()
    return app.routing as RequestListener // the same function under Fastify's own types
  }

/** Ends its work in a callback, as older clients do. */
const inCallback = (pass: Work, callback: () => void) => void pass().then(callback)

describe('a handler of Fastify whose sender has left', () => {
  it('lets the lease lapse if the sender left in the middle of a stream', async () => {
    for (const stream of [
      (pass: Work) => new ReadableStream({ start: half(pass) }),
      (pass: Work) =>
        Readable.from(
          (async function* () {
            yield 'half of it'
            await pass()
          })(),
        ),
    ]) {
      expect(await afterHangUp(onFastifyWith(async (_request, _reply, pass) => stream(pass)))).toEqual(LAPSES)
      expect(
        await afterHangUp(onFastifyWith((_request, reply, pass) => void reply.send(stream(pass)))),
      ).toEqual(LAPSES)
    }
  })

  it.each<[string, RouteHandler]>([
    ['returns an object', async (_request, _reply, pass) => pass().then(() => ({ done: true }))],
    ['returns nothing', async (_request, _reply, pass) => pass()],
    ['sends its reply', async (_request, reply, pass) => void reply.send(await pass().then(() => 'done'))],
    ['returns the reply that it has sent', async (_r, reply, pass) => pass().then(() => reply.send('done'))],
    ['sends its reply in a callback', (_request, reply, pass) => inCallback(pass, () => reply.send('done'))],
    [
      'ends a reply that it has hijacked',
      async (_request, reply, pass) => {
        reply.hijack()
        inCallback(pass, () => reply.raw.writeHead(200).end())
      },
    ],
  ])('commits if it %s', async (_how, handle) => {
    expect(await afterHangUp(onFastifyWith(handle))).toEqual(COMMITS)
  })

  it.each<[string, RouteHandler, ((scope: FastifyInstance) => unknown)?]>([
    [
      'returns the reply, and sends 500 in a callback',
      async (_request, reply, pass) => {
        inCallback(pass, () => reply.code(500).send('failed'))
        return reply
      },
    ],
    [
      'sets 500, and returns nothing',
      async (_request, reply, pass) => pass().then(() => void reply.code(500)),
    ],
    [
      'throws after its answer',
      async (_request, reply, pass) => {
        await pass()
        await Promise.reject(new Error('no database'))
        return reply.send('done')
      },
    ],
    [
      'returns what an onSend hook refuses',
      async (_request, _reply, pass) => pass().then(() => 'done'),
      (scope) =>
        scope.addHook('onSend', async (_request, reply) => {
          if (reply.statusCode === 200) throw new Error('refused')
        }),
    ],
    [
      'returns what an onSend hook refuses later',
      async (_request, _reply, pass) => pass().then(() => 'done'),
      (scope) =>
        scope.addHook('onSend', async (_request, reply) => {
          await new Promise((resolve) => setTimeout(resolve, 1))
          if (reply.statusCode === 200) throw new Error('refused')
        }),
    ],
  ])('lets the lease lapse if it %s', async (_how, handle, prepare) => {
    expect(await afterHangUp(onFastifyWith(handle, prepare))).toEqual(LAPSES)
  })

  it.each<[string, RouteHandler]>([
    [
      'the reply is returned before, and sent by what waits for close',
      async (_request, reply) => {
        reply.raw.on('close', () => reply.send('bye'))
        return reply
      },
    ],
    [
      'the reply is hijacked, and ended by what waits for close',
      (_request, reply) => {
        reply.hijack().raw.on('close', () => reply.raw.end())
      },
    ],
    [
      'the reply is sent by what waits for close, in an immediate',
      (_request, reply) => void reply.raw.on('close', () => setImmediate(() => reply.send('bye'))),
    ],
    ['the reply is returned, and never sent', async (_request, reply) => reply],
  ])('lets the lease lapse if %s', async (_how, handle) => {
    const entering: RouteHandler = (request, reply, pass) => {
      const waiting = pass()
      return handle(request, reply, () => waiting)
    }
    expect(await afterHangUp(onFastifyWith(entering))).toEqual(LAPSES)
  })

  // Fastify 5.0 takes a returned reply whose connection has closed for one without a body, and ends it itself.
  const endsReturned = Fastify().version.startsWith('5.0.')

  it('commits if it returns the reply and sends it in a callback, unless Fastify ends it when the connection closes', async () => {
    const handle: RouteHandler = async (_request, reply, pass) => {
      inCallback(pass, () => reply.send('done'))
      return reply
    }
    expect(await afterHangUp(onFastifyWith(handle))).toEqual(endsReturned ? LAPSES : COMMITS)
  })

  it('lets the lease lapse if it returns the reply once the sender has left and never sends it, unless Fastify does', async () => {
    const handle: RouteHandler = (_request, reply, pass) => {
      const waiting = pass()
      return waiting.then(() => reply)
    }
    expect(await afterHangUp(onFastifyWith(handle))).toEqual(endsReturned ? COMMITS : LAPSES)
  })

  it('commits by what it returns, though something ends the response when it closes', async () => {
    const ending = (scope: FastifyInstance) =>
      scope.addHook('onRequest', async (_request, { raw }) => void raw.on('close', () => raw.end()))
    const returning =
      (status: number): RouteHandler =>
      async (_request, reply, pass) => {
        await pass()
        reply.code(status)
        return 'done'
      }
    expect(await afterHangUp(onFastifyWith(returning(200), ending))).toEqual(COMMITS)
    expect(await afterHangUp(onFastifyWith(returning(500), ending))).toEqual(LAPSES)
  })

  it('is seen behind the preHandlers of its route, in which the sender left', async () => {
    for (const handle of [async () => {}, async () => 'done']) {
      const calls = await afterHangUp(async (listener, pass) => {
        const app = Fastify()
        onTestFinished(() => app.close())
        app.register(async (scope) => {
          await scope.register(onFastify, { listener })
          scope.post('/hook', { preHandler: pass }, handle)
        })
        await app.ready()
        return app.routing as RequestListener
      })
      expect(calls).toEqual(COMMITS)
    }
  })
})

const onHonoWith =
  (handle: (c: Context, pass: Work) => Response | Promise<Response>) => (listener: Listener, pass: Work) =>
    getRequestListener(new Hono().post('/hook', onHono(listener), (c) => handle(c, pass)).fetch)

/** An answer of which the sender gets half. */
const half = (pass: Work) => async (controller: ReadableStreamDefaultController) => {
  controller.enqueue(Buffer.from('half of it'))
  await pass()
  controller.error(new Error('the upstream is gone'))
}

describe('a handler of Hono on Node whose sender has left', () => {
  it('lets the lease lapse if the sender left in the middle of a stream, of which nobody knows how it would have ended', async () => {
    for (const stream of [
      (_c: Context, pass: Work) => new Response(new ReadableStream({ start: half(pass) })),
      (c: Context, pass: Work) => c.body(new ReadableStream({ start: half(pass) })),
    ]) {
      expect(await afterHangUp(onHonoWith(stream))).toEqual(LAPSES)
    }
  })

  it('commits though something in front of it takes its time', async () => {
    const calls = await afterHangUp((listener, pass) => {
      const app = new Hono().use(async (_c, next) => {
        await next()
        await pass()
      })
      return getRequestListener(app.post('/hook', onHono(listener), (c) => c.text('done')).fetch)
    })
    expect(calls).toEqual(COMMITS)
  })

  it('is waited for if something in front answers meanwhile', async () => {
    const calls = await afterHangUp((listener, pass) => {
      const handling = new Log<string>()
      const app = new Hono<{ Bindings: HttpBindings }>().use(async (c, next) => {
        void next()
        await handling.reaches(1)
        return c.body(null, 202)
      })
      return getRequestListener(
        app.post('/hook', onHono(listener), async (c) => {
          const answered = once(c.env.outgoing, 'finish')
          handling.add('handling')
          await answered
          await pass()
          return c.text('done')
        }).fetch,
      )
    })
    expect(calls).toEqual(COMMITS)
  })

  it('commits by what it returns, though something ends the response when it closes', async () => {
    const returning = (status: number) => (listener: Listener, pass: Work) => {
      const answer = onHonoWith(async (c) => {
        const { outgoing } = c.env as HttpBindings
        outgoing.on('close', () => outgoing.end())
        await pass()
        return c.body(null, status as 200)
      })(listener, pass)
      // @hono/node-server 1 rejects when it writes to a response that has ended.
      return (async (request, response) => {
        await Promise.resolve(answer(request, response)).catch(onlyHeadersSent)
      }) satisfies RequestListener
    }
    expect(await afterHangUp(returning(200))).toEqual(COMMITS)
    expect(await afterHangUp(returning(500))).toEqual(LAPSES)
  })

  it('counts what it writes by itself when it ends it, and not when it returns', async () => {
    const calls = await afterHangUp(
      onHonoWith((c, pass) => {
        inCallback(pass, () => c.env.outgoing.writeHead(200).end())
        return RESPONSE_ALREADY_SENT
      }),
    )
    expect(calls).toEqual(COMMITS)
  })
})

/** Throws every other error. */
function onlyHeadersSent(error: { code?: string }) {
  if (error.code !== 'ERR_HTTP_HEADERS_SENT') throw error
}

/** A session, and streams of it that are reset with a code. */
async function onHttp2(
  app: RequestListener,
  listener: Parameters<typeof createHttp2Server>[1] = app as never,
) {
  const server = createHttp2Server(listener).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  const closings = new Log<string>()
  server.on('stream', (stream) => stream.once('close', () => closings.add('closed')))
  await new Promise((resolve) => server.once('listening', resolve))
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  onTestFinished(() => session.destroy())
  return async ({ method, path, headers, body }: RawRequest, entered: Promise<unknown>, code: number) => {
    const stream = session.request({ ...Object.fromEntries(headers), ':method': method, ':path': path })
    stream.on('error', nothing).end(body)
    await entered
    stream.close(code)
    await closings.reaches(1)
    await laterTurn()
  }
}

const CODES = ['NGHTTP2_CANCEL', 'NGHTTP2_NO_ERROR', 'NGHTTP2_INTERNAL_ERROR'] as const

describe('a sender that resets its stream, on HTTP/2', () => {
  const verified =
    (answer: (response: ServerResponse, pass: Work) => unknown) => (listener: Listener, pass: Work) => {
      const verify = onNode(listener)
      return (async (request, response) =>
        verify(request, response, () => answer(response, pass))) satisfies RequestListener
    }

  async function afterReset(
    mount: (listener: Listener, pass: Work) => RequestListener | Promise<RequestListener>,
    code: (typeof CODES)[number],
  ) {
    const endpoint = hmacEndpoint()
    const { entered, pass, open } = gate()
    const reset = await onHttp2(await mount(endpoint.listener, pass))
    await reset(await endpoint.request(), entered.reaches(1), constants[code])
    const before = verbs(endpoint)
    open()
    await laterTurn()
    return { before, after: verbs(endpoint) }
  }

  it.each(CODES)('%s: a handler that ends later commits by its status alone', async (code) => {
    const withStatus = (status: number) =>
      verified(async (response, pass) => {
        await pass()
        response.writeHead(status).end()
      })
    expect(await afterReset(withStatus(200), code)).toEqual(COMMITS)
    expect(await afterReset(withStatus(500), code)).toEqual(LAPSES)
  })

  it.each(CODES)('%s: what waits for aborted or close commits nothing', async (code) => {
    for (const event of ['aborted', 'close']) {
      const mount = verified(async (response, pass) => {
        const { req } = response as { req: NodeJS.EventEmitter }
        ;(event === 'close' ? response : req).on(event, () => response.end())
        await pass()
        response.end()
      })
      expect(await afterReset(mount, code)).toEqual(LAPSES)
    }
  })

  it.each(CODES)('%s: a handler of Hono or Fastify that returns commits', async (code) => {
    expect(
      await afterReset(
        onHonoWith((c, pass) => pass().then(() => c.text('done'))),
        code,
      ),
    ).toEqual(COMMITS)
    const handle: RouteHandler = (_request, _reply, pass) => pass().then(() => 'done')
    expect(await afterReset(onFastifyWith(handle, nothing, { http2: true }), code)).toEqual(COMMITS)
  })
})
