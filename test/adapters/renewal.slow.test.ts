import type { RequestListener } from 'node:http'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { getRequestListener } from '@hono/node-server'
import Fastify from 'fastify'
import { Hono, type MiddlewareHandler } from 'hono'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { verifyWebhook as onExpress } from '../../adapters/express.ts'
import { verifyWebhook as onFastify } from '../../adapters/fastify.ts'
import { verifyWebhook as onHono } from '../../adapters/hono.ts'
import { webhookHandler } from '../../adapters/web.ts'
import type { EventStore, Listener, ListenerOptions, WebhookEvent } from '../../src/index.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { Log } from '../support/log.ts'
import { exchange, RawConnection, toBytes } from '../support/raw-http.ts'
import { type Endpoint, hmacEndpoint } from '../support/sender.ts'
import { serve } from '../support/servers.ts'
import { MOUNTED } from './mounted.ts'

type Mount = (typeof MOUNTED)[string]
type Handle = Parameters<Mount>[1]

/** Every adapter, on real sockets. */
const ADAPTERS: { readonly [name: string]: Mount } = {
  ...MOUNTED,
  'Hono on web APIs': (listener, handle) => {
    const app = new Hono().post('/hook', onHono(listener), async (c) =>
      c.body('', (await handle(c.var.webhook)) as 200),
    )
    return getRequestListener((request) => app.fetch(request))
  },
  web: (listener, handle) => {
    const answer = webhookHandler(
      listener,
      async (event) => new Response(null, { status: await handle(event) }),
    )
    return getRequestListener((request) => answer(request))
  },
}

/** Short, and longer than a busy machine stalls. */
const LEASE_SECONDS = 0.8
const LEASE_MS = LEASE_SECONDS * 1000

/** An endpoint whose store has the clock of the platform. */
const endpointOf = (options: Partial<ListenerOptions> = {}, store: EventStore = memoryStore()) =>
  hmacEndpoint({ leaseSeconds: LEASE_SECONDS, ...options }, () => store)

/** All but renewals. */
const verbs = ({ calls }: Endpoint) =>
  calls.entries.map((call) => call.split(' ')[0]).filter((verb) => verb !== 'renew')
const renewals = ({ calls }: Endpoint) => calls.entries.filter((call) => call.startsWith('renew')).length
const codes = ({ failures }: Endpoint) => failures.entries.map((error) => Reflect.get(Object(error), 'code'))

async function started(app: RequestListener | Promise<RequestListener>, endpoint: Endpoint) {
  const { address, closings } = await serve(await app)
  const bytes = toBytes(await endpoint.request())
  return {
    /** The same delivery each time. */
    send: async () => (await exchange(address, bytes))?.status,
    async hangUp(entered: Promise<unknown>) {
      const connection = new RawConnection(address)
      await connection.write(bytes)
      await entered
      connection.abort()
      await closings.reaches(1)
    },
    /** Sends it, and waits for no answer. */
    async leaveOpen() {
      const connection = new RawConnection(address)
      onTestFinished(() => connection.abort())
      await connection.write(bytes)
    },
  }
}

/** In parallel, because each takes a few leases. */
const onEach = (run: (mount: Mount, name: string) => Promise<unknown>) =>
  Promise.all(Object.entries(ADAPTERS).map(([name, mount]) => run(mount, name)))

const never = () => new Promise<never>(() => {})

describe('a handler that takes longer than its lease, in all adapters', () => {
  it('it runs once, and nothing is told: neither to onError nor to the console', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    onTestFinished(() => warn.mockRestore())
    await onEach(async (mount, name) => {
      let runs = 0
      const endpoint = endpointOf({ onError: undefined, onVerdict: undefined })
      const handle: Handle = async () => {
        runs += 1
        await sleep(LEASE_MS * 2.5)
        return 200
      }
      const { send } = await started(mount(endpoint.listener, handle), endpoint)
      const first = send()
      for (const _ of [1, 2]) {
        await sleep(LEASE_MS * 1.1)
        expect(await send(), name).toBe(503)
      }
      expect(await first, name).toBe(200)
      await expect.poll(() => verbs(endpoint), { message: name }).toContain('commit')
      expect([await send(), runs], name).toEqual([409, 1])
      expect(renewals(endpoint), name).toBeGreaterThanOrEqual(3)
    })
    expect(warn.mock.calls).toEqual([])
  })

  it('it keeps its event after the sender has hung up, and commits once it succeeds', async () => {
    await onEach(async (mount, name) => {
      const entered = new Log<string>()
      const endpoint = endpointOf()
      const handle: Handle = async () => {
        entered.add('entered')
        await sleep(LEASE_MS * 2.5)
        return 200
      }
      const { send, hangUp } = await started(mount(endpoint.listener, handle), endpoint)
      await hangUp(entered.reaches(1))
      await sleep(LEASE_MS * 1.5)
      expect(await send(), name).toBe(503)
      await expect.poll(() => verbs(endpoint), { message: name }).toContain('commit')
      expect([await send(), entered.entries.length, codes(endpoint)], name).toEqual([409, 1, []])
    })
  })

  it('its lease lapses if the sender has hung up, and it fails', async () => {
    await onEach(async (mount, name) => {
      const entered = new Log<string>()
      const endpoint = endpointOf()
      const handle: Handle = async () => {
        entered.add('entered')
        if (entered.entries.length > 1) return 200
        await sleep(LEASE_MS * 1.5)
        return 500
      }
      const { send, hangUp } = await started(mount(endpoint.listener, handle), endpoint)
      await hangUp(entered.reaches(1))
      await sleep(LEASE_MS * 1.3)
      expect(await send(), name).toBe(503)
      await sleep(LEASE_MS * 1.3)
      expect([await send(), codes(endpoint)], name).toEqual([200, []])
    })
  })

  it('it is told once if it never ends, its signal is aborted, and the next delivery runs', async () => {
    await onEach(async (mount, name) => {
      const signals: AbortSignal[] = []
      const endpoint = endpointOf({ maxRunSeconds: LEASE_SECONDS * 1.5 })
      const handle: Handle = async ({ signal }) => {
        signals.push(signal)
        return signals.length === 1 ? never() : 200
      }
      const { send, leaveOpen } = await started(mount(endpoint.listener, handle), endpoint)
      await leaveOpen()
      await sleep(LEASE_MS * 1.2)
      expect([await send(), codes(endpoint)], name).toEqual([503, []])
      await endpoint.failures.reaches(1)
      await sleep(LEASE_MS)
      expect([await send(), codes(endpoint)], name).toEqual([200, ['ERR_RUN_TOO_LONG']])
      expect(signals[0]?.reason, name).toBe(endpoint.failures.entries[0])
      expect(signals[1]?.aborted, name).toBe(false)
    })
  })

  it('it can release its event while it runs: the next delivery runs at once, and nothing is renewed', async () => {
    await onEach(async (mount, name) => {
      let runs = 0
      const endpoint = endpointOf()
      const released = new Log<boolean>()
      const handle: Handle = async (event) => {
        runs += 1
        if (runs > 1) return 200
        await sleep(LEASE_MS)
        released.add(await event.release())
        await sleep(LEASE_MS)
        return 200
      }
      const { send } = await started(mount(endpoint.listener, handle), endpoint)
      const first = send()
      await released.reaches(1)
      const before = renewals(endpoint)
      expect([released.entries, await send()], name).toEqual([[true], 200])
      expect([await first, codes(endpoint)], name).toEqual([200, []])
      expect(renewals(endpoint), name).toBe(before)
    })
  })

  it('it is told, once, if it blocks the process for longer than its lease, although it commits', async () => {
    for (const [name, mount] of Object.entries(ADAPTERS)) {
      const endpoint = endpointOf({ leaseSeconds: 0.1 })
      const signals: AbortSignal[] = []
      const handle: Handle = async (event) => {
        signals.push(event.signal)
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 150)
        return 200
      }
      const { send } = await started(mount(endpoint.listener, handle), endpoint)
      expect(await send(), name).toBe(200)
      await endpoint.failures.reaches(1)
      await expect.poll(() => verbs(endpoint), { message: name }).toEqual(['claim', 'commit'])
      expect(codes(endpoint), name).toEqual(['ERR_LEASE_LOST'])
      expect(signals[0]?.aborted, name).toBe(true)
    }
  })

  it.each([408, 503, 504, 500])(
    'it is told if it blocks the process for longer than its lease, and then answers %d',
    async (status) => {
      for (const [name, mount] of Object.entries(ADAPTERS)) {
        const endpoint = endpointOf({ leaseSeconds: 0.04 })
        const handle: Handle = async () => {
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60)
          return status
        }
        const { send } = await started(mount(endpoint.listener, handle), endpoint)
        expect(await send(), name).toBe(status)
        await endpoint.failures.reaches(1)
        expect(codes(endpoint), name).toEqual(['ERR_LEASE_LOST'])
      }
    },
  )
})

describe("settle: 'manual', in all adapters", () => {
  it('a job that outlives the answer keeps the event until it commits', async () => {
    await onEach(async (mount, name) => {
      const endpoint = endpointOf({ settle: 'manual' })
      const job = async (event: WebhookEvent) => {
        await sleep(LEASE_MS * 2.5)
        await event.commit()
      }
      const handle: Handle = async (event) => {
        void job(event)
        return 202
      }
      const { send } = await started(mount(endpoint.listener, handle), endpoint)
      expect(await send(), name).toBe(202)
      await sleep(LEASE_MS * 1.5)
      expect(await send(), name).toBe(503)
      await expect.poll(() => verbs(endpoint), { message: name }).toContain('commit')
      const before = renewals(endpoint)
      await sleep(LEASE_MS)
      expect([await send(), codes(endpoint)], name).toEqual([409, []])
      expect(renewals(endpoint), name).toBe(before)
    })
  })

  it('an event that is never settled is told after maxRunSeconds', async () => {
    await onEach(async (mount, name) => {
      const endpoint = endpointOf({ settle: 'manual', maxRunSeconds: LEASE_SECONDS * 1.5 })
      const { send } = await started(
        mount(endpoint.listener, async () => 202),
        endpoint,
      )
      expect(await send(), name).toBe(202)
      await endpoint.failures.reaches(1)
      expect(codes(endpoint), name).toEqual(['ERR_RUN_TOO_LONG'])
    })
  })

  it('a handler of Fastify whose stream breaks off is renewed no more: its lease lapses', async () => {
    async function* broken() {
      yield Buffer.from('half of it')
      throw new Error('the upstream is gone')
    }
    const streams: readonly (() => unknown)[] = [
      () => Readable.from(broken()),
      () => Readable.toWeb(Readable.from(broken())),
      () => new Response(Readable.toWeb(Readable.from(broken())) as ReadableStream),
    ]
    await Promise.all(
      streams.map(async (stream) => {
        let runs = 0
        const endpoint = endpointOf()
        const app = Fastify()
        onTestFinished(() => app.close())
        app.register(async (scope) => {
          await scope.register(onFastify, { listener: endpoint.listener })
          scope.post('/hook', async () => {
            runs += 1
            return runs === 1 ? stream() : 'done'
          })
        })
        await app.ready()
        const { send } = await started(app.routing as RequestListener, endpoint)
        await send()
        expect(await send()).toBe(503)
        await sleep(LEASE_MS * 1.3)
        expect([await send(), codes(endpoint)]).toEqual([200, []])
      }),
    )
  })

  it('a handler that fails is renewed no more: its lease lapses', async () => {
    await onEach(async (mount, name) => {
      let runs = 0
      const endpoint = endpointOf({ settle: 'manual' })
      const handle: Handle = async () => {
        runs += 1
        return runs === 1 ? 500 : 202
      }
      const { send } = await started(mount(endpoint.listener, handle), endpoint)
      expect(await send(), name).toBe(500)
      await sleep(LEASE_MS * 1.3)
      expect([await send(), codes(endpoint)], name).toEqual([202, []])
    })
  })
})

type Work = () => Promise<unknown>

/** A timeout that answers 503 while the handler still runs. */
const TIMEOUTS: {
  readonly [name: string]: (listener: Listener, work: Work) => RequestListener | Promise<RequestListener>
} = {
  'a timeout in front of Hono on Node': (listener, work) => {
    const app = new Hono()
    const timeout: MiddlewareHandler = (c, next) =>
      Promise.race([next(), sleep(50).then(() => c.body(null, 503))])
    app.post('/hook', timeout, onHono(listener), async (c) => c.text(String(await work())))
    return getRequestListener(app.fetch)
  },
  'a timer beside an async function on node:http': (listener, work) => (request, response) => {
    setTimeout(() => response.headersSent || response.writeHead(503).end(), 50)
    onExpress(listener)(request, response, async () => {
      response.end(await work())
    })
  },
  'a timer in a hook of Fastify': async (listener, work) => {
    const app = Fastify()
    onTestFinished(() => app.close())
    app.addHook('onRequest', async (_request, reply) => {
      setTimeout(() => reply.sent || reply.code(503).send(), 50)
    })
    app.register(async (scope) => {
      await scope.register(onFastify, { listener })
      scope.post('/hook', async () => work())
    })
    await app.ready()
    return app.routing as RequestListener // the same function under Fastify's own types
  },
}

describe.each(Object.entries(TIMEOUTS))('%s', (name, mount) => {
  // Hono alone shows how the handler that it has answered for would have answered itself.
  const isCommitted = name.includes('Hono')

  it('a handler that it has answered for keeps its event until it ends, then commits a 200 or lets it lapse', async () => {
    const endpoint = endpointOf()
    const works = [() => sleep(LEASE_MS * 2.5, 'done'), async () => 'done']
    const { send } = await started(
      mount(endpoint.listener, async () => works.shift()?.()),
      endpoint,
    )
    expect(await send()).toBe(503)
    await sleep(LEASE_MS * 1.5)
    expect(await send()).toBe(503)
    expect([verbs(endpoint), works.length]).toEqual([['claim', 'claim'], 1])
    await sleep(LEASE_MS * 2.2) // the handler's end, and a lease
    expect([await send(), works.length, codes(endpoint)]).toEqual([
      isCommitted ? 409 : 200,
      isCommitted ? 1 : 0,
      [],
    ])
  })
})

describe('a handler on node:http that fails without an answer', () => {
  it.each<[string, (error: Error | undefined) => unknown, number]>([
    [
      'throws, and throws the error that it is given',
      (error) => {
        throw error ?? new Error('the database is away')
      },
      0,
    ],
    [
      'rejects after its sender has hung up',
      async () => {
        await sleep(LEASE_MS / 4)
        throw new Error('the database is away')
      },
      1,
    ],
  ])('if it %s, its event is kept for no more than a lease', async (_how, fail, unhandled) => {
    const rejections = rejectionsNotHandled()
    const endpoint = endpointOf()
    let isFirst = true
    const { send, hangUp } = await started((request, response) => {
      onExpress(endpoint.listener)(request, response, (error) => {
        if (error || isFirst) {
          isFirst = false
          return fail(error)
        }
        response.end()
      })
    }, endpoint)
    await hangUp(endpoint.calls.reaches(1))
    await sleep(LEASE_MS * 1.3)
    expect([await send(), renewals(endpoint), codes(endpoint)]).toEqual([200, 0, []])
    expect(rejections).toHaveLength(unhandled)
  })
})

/** What Node would end the process for. */
function rejectionsNotHandled(): unknown[] {
  const found: unknown[] = []
  const others = process.listeners('unhandledRejection')
  process.removeAllListeners('unhandledRejection')
  process.on('unhandledRejection', (reason) => found.push(reason))
  onTestFinished(() => {
    process.removeAllListeners('unhandledRejection')
    for (const other of others) process.on('unhandledRejection', other)
  })
  return found
}

it('after a 503 in Express, nobody sees the end of the handler, so the lease lapses', async () => {
  const endpoint = endpointOf()
  let runs = 0
  const { send } = await started((request, response) => {
    setTimeout(() => response.headersSent || response.writeHead(503).end(), 50)
    onExpress(endpoint.listener)(request, response, () => {
      runs += 1
      if (runs > 1) response.end()
    })
  }, endpoint)
  expect(await send()).toBe(503)
  await sleep(LEASE_MS * 1.3)
  expect([await send(), runs, codes(endpoint)]).toEqual([200, 2, []])
})

describe('a store that is away while a handler runs', () => {
  it.each<[string, EventStore['renew']]>([
    ['throws', () => Promise.reject(new Error('ECONNREFUSED'))],
    ['hangs', never],
  ])(
    'if it %s until the lease has ended, the loss is told with its cause, and the next delivery runs',
    async (_how, renew) => {
      const { claim, commit, release } = memoryStore()
      const endpoint = endpointOf(
        { storeTimeoutSeconds: 0.1 },
        { claim, commit, release, renew: renew as never },
      )
      const handlers = [never, async () => 200]
      const { send, leaveOpen } = await started(
        ADAPTERS['node:http']?.(
          endpoint.listener,
          async () => handlers.shift()?.() ?? 500,
        ) as RequestListener,
        endpoint,
      )
      await leaveOpen()
      await endpoint.failures.reaches(1)
      expect(codes(endpoint)).toEqual(['ERR_LEASE_LOST'])
      expect(String(Reflect.get(Object(endpoint.failures.entries[0]), 'cause'))).toMatch(
        /the event store (failed to|did not) renew/,
      )
      expect(renewals(endpoint)).toBeGreaterThanOrEqual(1)
      expect(await send()).toBe(200)
    },
  )
})
