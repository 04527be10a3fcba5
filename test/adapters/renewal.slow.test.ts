import type { RequestListener } from 'node:http'
import { Readable } from 'node:stream'
import { getRequestListener } from '@hono/node-server'
import Fastify from 'fastify'
import { Hono, type MiddlewareHandler } from 'hono'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { verifyWebhook as onExpress } from '../../adapters/express.ts'
import { verifyWebhook as onFastify } from '../../adapters/fastify.ts'
import { verifyWebhook as onHono } from '../../adapters/hono.ts'
import { running } from '../../adapters/kit/running.ts'
import { webhookHandler } from '../../adapters/web.ts'
import { beat } from '../../src/beat.ts'
import type { EventStore, Listener, ListenerOptions, WebhookEvent } from '../../src/index.ts'
import { inTransaction } from '../../src/joining.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import type { FakeClock } from '../support/clock.ts'
import { Log } from '../support/log.ts'
import { monotonicTime } from '../support/monotonic-time.ts'
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

const LEASE_SECONDS = 60

const endpointOf = (options: Partial<ListenerOptions> = {}, store?: (clock: FakeClock) => EventStore) =>
  hmacEndpoint({ leaseSeconds: LEASE_SECONDS, ...options }, store)

/** Looks after the running handlers, as the timer does once in a second. */
async function look(): Promise<void> {
  for (const lease of running) if (!beat(lease)) running.delete(lease)
  await new Promise((resolve) => setImmediate(resolve)) // after the renewals
}

/** Time that passes at once, for the process and the store of an endpoint, whatever the machine does. */
function passing() {
  const monotonic = monotonicTime()
  return {
    /** Lets so many leases pass, with the beats of their timer. */
    async pass({ clock }: Endpoint, leases: number): Promise<void> {
      const beats = Math.ceil(leases * 10)
      for (let count = 0; count < beats; count += 1) {
        const seconds = (leases * LEASE_SECONDS) / beats
        monotonic.pass(seconds)
        clock.advanceSeconds(seconds)
        await look()
      }
    },
    /** The process does nothing else for longer than a lease. */
    block: () => monotonic.pass(LEASE_SECONDS + 1),
  }
}

/** A gate, and who has come to it. */
function gate() {
  const entered = new Log<string>()
  const opened = new Log<string>()
  const pass = async () => {
    entered.add('entered')
    await opened.has('opened')
  }
  return { entered: () => entered.reaches(1), pass, open: () => opened.add('opened') }
}

/** All but renewals. */
const verbs = ({ calls }: Endpoint) =>
  calls.entries.map((call) => call.split(' ')[0]).filter((verb) => verb !== 'renew')
/** Resolves when no handler of it runs any more, as far as anybody can see. */
const letGo = ({ listener }: Endpoint) =>
  expect.poll(() => [...running].some((lease) => lease.listener === listener)).toBe(false)
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

async function onEach(run: (mount: Mount, name: string) => Promise<unknown>): Promise<void> {
  for (const [name, mount] of Object.entries(ADAPTERS)) await run(mount, name)
}

const never = () => new Promise<never>(() => {})

describe('a handler that takes longer than its lease, in all adapters', () => {
  it('it runs once, and nothing is told: neither to onError nor to the console', async () => {
    const time = passing()
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    onTestFinished(() => warn.mockRestore())
    await onEach(async (mount, name) => {
      let runs = 0
      const { entered, pass, open } = gate()
      const endpoint = endpointOf({ onError: undefined, onVerdict: undefined })
      const handle: Handle = async () => {
        runs += 1
        await pass()
        return 200
      }
      const { send } = await started(mount(endpoint.listener, handle), endpoint)
      const first = send()
      await entered()
      for (const _ of [1, 2]) {
        await time.pass(endpoint, 1.1)
        expect(await send(), name).toBe(503)
      }
      open()
      expect(await first, name).toBe(200)
      await expect.poll(() => verbs(endpoint), { message: name }).toContain('commit')
      expect([await send(), runs], name).toEqual([409, 1])
      expect(renewals(endpoint), name).toBeGreaterThanOrEqual(3)
    })
    expect(warn.mock.calls).toEqual([])
  })

  it('it keeps its event after the sender has hung up, and commits once it succeeds', async () => {
    const time = passing()
    await onEach(async (mount, name) => {
      let runs = 0
      const { entered, pass, open } = gate()
      const endpoint = endpointOf()
      const handle: Handle = async () => {
        runs += 1
        await pass()
        return 200
      }
      const { send, hangUp } = await started(mount(endpoint.listener, handle), endpoint)
      await hangUp(entered())
      await time.pass(endpoint, 1.5)
      expect(await send(), name).toBe(503)
      open()
      await expect.poll(() => verbs(endpoint), { message: name }).toContain('commit')
      expect([await send(), runs, codes(endpoint)], name).toEqual([409, 1, []])
    })
  })

  it('its lease lapses if the sender has hung up, and it fails', async () => {
    const time = passing()
    await onEach(async (mount, name) => {
      let runs = 0
      const { entered, pass, open } = gate()
      const endpoint = endpointOf()
      const handle: Handle = async () => {
        runs += 1
        if (runs > 1) return 200
        await pass()
        return 500
      }
      const { send, hangUp } = await started(mount(endpoint.listener, handle), endpoint)
      await hangUp(entered())
      await time.pass(endpoint, 1.3)
      expect(await send(), name).toBe(503)
      open()
      await letGo(endpoint)
      await time.pass(endpoint, 1.1)
      expect([await send(), codes(endpoint)], name).toEqual([200, []])
    })
  })

  it('it is told once if it never ends, its signal is aborted, and the next delivery runs', async () => {
    const time = passing()
    await onEach(async (mount, name) => {
      const { entered, pass } = gate()
      const signals: AbortSignal[] = []
      const endpoint = endpointOf({ maxRunSeconds: LEASE_SECONDS * 1.5 })
      const handle: Handle = async ({ signal }) => {
        signals.push(signal)
        if (signals.length === 1) await pass()
        return 200
      }
      const { send, leaveOpen } = await started(mount(endpoint.listener, handle), endpoint)
      await leaveOpen()
      await entered()
      await time.pass(endpoint, 1.2)
      expect([await send(), codes(endpoint)], name).toEqual([503, []])
      await time.pass(endpoint, 1.4)
      expect([await send(), codes(endpoint)], name).toEqual([200, ['ERR_RUN_TOO_LONG']])
      expect(signals[0]?.reason, name).toBe(endpoint.failures.entries[0])
      expect(signals[1]?.aborted, name).toBe(false)
    })
  })

  it('it can release its event while it runs: the next delivery runs at once, and nothing is renewed', async () => {
    const time = passing()
    await onEach(async (mount, name) => {
      let runs = 0
      const [working, over] = [gate(), gate()]
      const endpoint = endpointOf()
      const released = new Log<boolean>()
      const handle: Handle = async (event) => {
        runs += 1
        if (runs > 1) return 200
        await working.pass()
        released.add(await event.release())
        await over.pass()
        return 200
      }
      const { send } = await started(mount(endpoint.listener, handle), endpoint)
      const first = send()
      await working.entered()
      await time.pass(endpoint, 1)
      working.open()
      await over.entered()
      const before = renewals(endpoint)
      expect([released.entries, await send()], name).toEqual([[true], 200])
      await time.pass(endpoint, 1)
      over.open()
      expect([await first, codes(endpoint)], name).toEqual([200, []])
      expect(renewals(endpoint), name).toBe(before)
    })
  })

  it('it is told, once, if it blocks the process for longer than its lease, although it commits', async () => {
    const time = passing()
    for (const [name, mount] of Object.entries(ADAPTERS)) {
      const endpoint = endpointOf()
      const signals: AbortSignal[] = []
      const handle: Handle = async (event) => {
        signals.push(event.signal)
        time.block()
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
      const time = passing()
      for (const [name, mount] of Object.entries(ADAPTERS)) {
        const endpoint = endpointOf()
        const handle: Handle = async () => {
          time.block()
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
    const time = passing()
    await onEach(async (mount, name) => {
      const { pass, open } = gate()
      const endpoint = endpointOf({ settle: 'manual' })
      const job = async (event: WebhookEvent) => {
        await pass()
        await event.commit()
      }
      const handle: Handle = async (event) => {
        void job(event)
        return 202
      }
      const { send } = await started(mount(endpoint.listener, handle), endpoint)
      expect(await send(), name).toBe(202)
      await time.pass(endpoint, 1.5)
      expect(await send(), name).toBe(503)
      open()
      await expect.poll(() => verbs(endpoint), { message: name }).toContain('commit')
      const before = renewals(endpoint)
      await time.pass(endpoint, 1)
      expect([await send(), codes(endpoint)], name).toEqual([409, []])
      expect(renewals(endpoint), name).toBe(before)
    })
  })

  it('an event that the handler has committed in its transaction is renewed no more', async () => {
    const time = passing()
    await onEach(async (mount, name) => {
      const joining = (clock: FakeClock): EventStore => {
        const store = memoryStore({ clock })
        const commitIn = inTransaction(async (_tx, ...claim) => {
          await store.commit(...claim)
          return 'committed'
        })
        return Object.assign(store, { commitIn })
      }
      const endpoint = endpointOf({ settle: 'manual' }, joining)
      const handle: Handle = async (event) => {
        await event.commit({})
        return 200
      }
      const { send } = await started(mount(endpoint.listener, handle), endpoint)
      expect(await send(), name).toBe(200)
      await letGo(endpoint)
      await time.pass(endpoint, 1.1)
      expect([renewals(endpoint), codes(endpoint)], name).toEqual([0, []])
    })
  })

  it('an event that is never settled is told after maxRunSeconds', async () => {
    const time = passing()
    await onEach(async (mount, name) => {
      const endpoint = endpointOf({ settle: 'manual', maxRunSeconds: LEASE_SECONDS * 1.5 })
      const { send } = await started(
        mount(endpoint.listener, async () => 202),
        endpoint,
      )
      expect(await send(), name).toBe(202)
      await time.pass(endpoint, 1.6)
      expect(codes(endpoint), name).toEqual(['ERR_RUN_TOO_LONG'])
    })
  })

  it('a handler of Fastify whose stream breaks off is renewed no more: its lease lapses', async () => {
    const time = passing()
    async function* broken() {
      yield Buffer.from('half of it')
      throw new Error('the upstream is gone')
    }
    const streams: readonly (() => unknown)[] = [
      () => Readable.from(broken()),
      () => Readable.toWeb(Readable.from(broken())),
      () => new Response(Readable.toWeb(Readable.from(broken())) as ReadableStream),
    ]
    for (const stream of streams) {
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
      await letGo(endpoint)
      await time.pass(endpoint, 1.1)
      expect([await send(), codes(endpoint)]).toEqual([200, []])
    }
  })

  it.each([500, 302])('a handler that fails with %d is renewed no more: its lease lapses', async (status) => {
    const time = passing()
    await onEach(async (mount, name) => {
      let runs = 0
      const endpoint = endpointOf({ settle: 'manual' })
      const handle: Handle = async () => {
        runs += 1
        return runs === 1 ? status : 202
      }
      const { send } = await started(mount(endpoint.listener, handle), endpoint)
      expect(await send(), name).toBe(status)
      await letGo(endpoint)
      await time.pass(endpoint, 1.1)
      expect([await send(), codes(endpoint)], name).toEqual([202, []])
    })
  })
})

type Work = () => Promise<unknown>

/** A timeout that answers 503 while the handler still runs, at `due`. */
const TIMEOUTS: {
  readonly [name: string]: (
    listener: Listener,
    work: Work,
    due: Work,
  ) => RequestListener | Promise<RequestListener>
} = {
  'a timeout in front of Hono on Node': (listener, work, due) => {
    const app = new Hono()
    const timeout: MiddlewareHandler = (c, next) =>
      Promise.race([next(), due().then(() => c.body(null, 503))])
    app.post('/hook', timeout, onHono(listener), async (c) => c.text(String(await work())))
    return getRequestListener(app.fetch)
  },
  'a timer beside an async function on node:http': (listener, work, due) => (request, response) => {
    void due().then(() => response.writeHead(503).end())
    onExpress(listener)(request, response, async () => {
      response.end(await work())
    })
  },
  'a timer in a hook of Fastify': async (listener, work, due) => {
    const app = Fastify()
    onTestFinished(() => app.close())
    app.addHook('onRequest', async (_request, reply) => {
      void due().then(() => reply.code(503).send())
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
    const time = passing()
    const endpoint = endpointOf()
    const { entered, pass, open } = gate()
    const works = [() => pass().then(() => 'done'), async () => 'done']
    const dues = [entered]
    const app = mount(
      endpoint.listener,
      async () => works.shift()?.(),
      () => dues.shift()?.() ?? never(),
    )
    const { send } = await started(app, endpoint)
    expect(await send()).toBe(503)
    await time.pass(endpoint, 1.5)
    expect(await send()).toBe(503)
    expect([verbs(endpoint), works.length]).toEqual([['claim', 'claim'], 1])
    open()
    await letGo(endpoint)
    await time.pass(endpoint, 1.1)
    expect([await send(), works.length, codes(endpoint)]).toEqual([
      isCommitted ? 409 : 200,
      isCommitted ? 1 : 0,
      [],
    ])
  })
})

describe('a handler on node:http that fails without an answer', () => {
  it.each<[string, (error: Error | undefined, left: Work) => unknown, number]>([
    [
      'throws, and throws the error that it is given',
      (error) => {
        throw error ?? new Error('the database is away')
      },
      0,
    ],
    [
      'rejects after its sender has hung up',
      async (_error, left) => {
        await left()
        throw new Error('the database is away')
      },
      1,
    ],
  ])('if it %s, its event is kept for no more than a lease', async (_how, fail, unhandled) => {
    const time = passing()
    const rejections = rejectionsNotHandled()
    const endpoint = endpointOf()
    const { pass, open } = gate()
    let isFirst = true
    const { send, hangUp } = await started((request, response) => {
      onExpress(endpoint.listener)(request, response, (error) => {
        if (error || isFirst) {
          isFirst = false
          return fail(error, pass)
        }
        response.end()
      })
    }, endpoint)
    await hangUp(endpoint.calls.reaches(1))
    open()
    await letGo(endpoint)
    await time.pass(endpoint, 1.1)
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
  const time = passing()
  const endpoint = endpointOf()
  let runs = 0
  const { send } = await started((request, response) => {
    onExpress(endpoint.listener)(request, response, () => {
      runs += 1
      if (runs > 1) response.end()
      else response.writeHead(503).end() // a timeout's
    })
  }, endpoint)
  expect(await send()).toBe(503)
  await letGo(endpoint)
  await time.pass(endpoint, 1.1)
  expect([await send(), runs, codes(endpoint)]).toEqual([200, 2, []])
})

describe('a store that is away while a handler runs', () => {
  it.each<[string, EventStore['renew']]>([
    ['throws', () => Promise.reject(new Error('ECONNREFUSED'))],
    ['hangs', never],
  ])(
    'if it %s until the lease has ended, the loss is told with its cause, and the next delivery runs',
    async (_how, renew) => {
      const time = passing()
      const { entered, pass } = gate()
      const endpoint = endpointOf({ storeTimeoutSeconds: 0.1 }, (clock) => {
        const { claim, commit, release } = memoryStore({ clock })
        return { claim, commit, release, renew: renew as never }
      })
      const handlers = [() => pass().then(() => 200), async () => 200]
      const { send, leaveOpen } = await started(
        ADAPTERS['node:http']?.(
          endpoint.listener,
          async () => handlers.shift()?.() ?? 500,
        ) as RequestListener,
        endpoint,
      )
      await leaveOpen()
      await entered()
      await time.pass(endpoint, 0.6)
      // One more than has failed.
      await expect.poll(() => look().then(() => renewals(endpoint))).toBeGreaterThanOrEqual(2)
      await time.pass(endpoint, 0.6)
      expect(codes(endpoint)).toEqual(['ERR_LEASE_LOST'])
      expect(String(Reflect.get(Object(endpoint.failures.entries[0]), 'cause'))).toMatch(
        /the event store (failed to|did not) renew/,
      )
      expect(renewals(endpoint)).toBeGreaterThanOrEqual(1)
      expect(await send()).toBe(200)
    },
  )
})
