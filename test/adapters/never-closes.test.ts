import { type RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { verifyWebhook as onExpress } from '../../adapters/express.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { Log } from '../support/log.ts'
import { type MonotonicTime, monotonicTime } from '../support/monotonic-time.ts'
import { exchange, RawConnection, toBytes } from '../support/raw-http.ts'
import { type Endpoint, hmacEndpoint, sentHeader } from '../support/sender.ts'
import { serve } from '../support/servers.ts'
import { MOUNTED } from './mounted.ts'

type OnWritten = (error?: Error) => void

const ignore = () => {}

/** Stand-ins for a socket, as hosts give them to a response. They only accept what is written. */
const SINKS = {
  'that write at once, and so finish inside end()': () => ({
    writable: true,
    _writableState: {},
    on: ignore,
    removeListener: ignore,
    destroy: ignore,
    cork: ignore,
    uncork: ignore,
    write: (_bytes: unknown, encoding: unknown, onWritten?: OnWritten) => {
      const written = onWritten ?? encoding
      if (typeof written === 'function') written()
      return true
    },
  }),
  'that write later': () => new Writable({ write: (_bytes, _encoding, done) => done() }),
}

type MakeSink = (typeof SINKS)[keyof typeof SINKS]

/** A host that passes Node's own responses to its app, but without a socket. They finish and never close. */
function behindHost(app: RequestListener, makeSink: MakeSink, closed: Log<string>): RequestListener {
  return (request, outgoing) => {
    const response = new ServerResponse(request)
    response.assignSocket(makeSink() as Socket) // the part of a socket that a response uses
    response.on('close', () => closed.add('closed'))
    response.on('finish', () => outgoing.writeHead(response.statusCode).end())
    app(request, response)
  }
}

/** All but renewals. */
const verbs = ({ calls }: Endpoint) =>
  calls.entries.map((call) => call.split(' ')[0]).filter((verb) => verb !== 'renew')

const hosts = Object.entries(MOUNTED).flatMap(([name, mount]) =>
  Object.entries(SINKS).map(([how, makeSink]) => [name, how, mount, makeSink] as const),
)

async function started(
  mount: (typeof MOUNTED)[string],
  makeSink: MakeSink,
  endpoint: Endpoint,
  handle: () => Promise<number>,
) {
  const closed = new Log<string>()
  const { address } = await serve(behindHost(await mount(endpoint.listener, handle), makeSink, closed))
  return { address, closed, send: async (bytes: Uint8Array) => (await exchange(address, bytes))?.status }
}

describe.each(hosts)('%s, on hosts whose responses never close, %s', (_name, _how, mount, makeSink) => {
  it.each([
    [200, 'commit', 409],
    [500, 'release', 500],
    [503, 'neither', 503],
  ])('an answer of %i settles its event, once: %s', async (status, verb, next) => {
    const endpoint = hmacEndpoint()
    const { send, closed } = await started(mount, makeSink, endpoint, async () => status)
    const sent = toBytes(await endpoint.request())
    expect([await send(sent), await send(sent)]).toEqual([status, next])
    expect(verbs(endpoint).slice(0, 3)).toEqual(
      verb === 'neither' ? ['claim', 'claim'] : ['claim', verb, 'claim'],
    )
    expect(closed.entries).toEqual([])
  })
})

/** In parallel, because the timer of the leases fires once in a second. */
const onEach = <Begun>(begin: (mount: (typeof MOUNTED)[string], name: string) => Promise<Begun>) =>
  Promise.all(Object.entries(MOUNTED).map(([name, mount]) => begin(mount, name)))

const RUN_SECONDS = 60
const LEASE = { leaseSeconds: RUN_SECONDS, maxRunSeconds: RUN_SECONDS }

const renewals = ({ calls }: Endpoint) => calls.entries.filter((call) => call.startsWith('renew '))
const codes = ({ failures }: Endpoint) => failures.entries.map((error) => Reflect.get(Object(error), 'code'))

/** Lets `maxRunSeconds` pass, with one renewal of each lease on the way. */
async function outlast(time: MonotonicTime, endpoints: readonly Endpoint[], handlers = 1) {
  time.pass(RUN_SECONDS * 0.6)
  for (const endpoint of endpoints) await expect.poll(() => renewals(endpoint)).toHaveLength(handlers)
  expect(endpoints.flatMap(codes)).toEqual([])
  time.pass(RUN_SECONDS * 0.6)
  await Promise.all(endpoints.map(({ failures }) => failures.reaches(handlers)))
}

/** A handler that never answers, and a log of its calls. */
function hanging() {
  const entered = new Log<string>()
  const handle = () => {
    entered.add('entered')
    return new Promise<number>(() => {})
  }
  return { entered, handle }
}

async function sent(endpoint: Endpoint, address: ConstructorParameters<typeof RawConnection>[0]) {
  const connection = new RawConnection(address)
  await connection.write(toBytes(await endpoint.request()))
  return connection
}

it('onError is not called for an answered response that never closes', async () => {
  const time = monotonicTime()
  const begin = async ([, , mount, makeSink]: (typeof hosts)[number]) => {
    const endpoint = hmacEndpoint(LEASE)
    const { entered, handle } = hanging()
    let isFirst = true
    const once = async () => {
      const isAnswered = isFirst
      isFirst = false
      return isAnswered ? 200 : handle()
    }
    const { address, send } = await started(mount, makeSink, endpoint, once)
    expect(await send(toBytes(await endpoint.request()))).toBe(200)
    const unanswered = await sent(endpoint, address)
    await entered.reaches(1)
    return { endpoint, unanswered }
  }
  const begun = await Promise.all(hosts.map(begin))
  const endpoints = begun.map(({ endpoint }) => endpoint)
  await outlast(time, endpoints) // one timer looks at all
  expect(endpoints.map(codes)).toEqual(endpoints.map(() => ['ERR_RUN_TOO_LONG']))
  for (const { unanswered } of begun) unanswered.abort()
})

describe('a handler that does not answer', () => {
  it('a handler that does not answer is reported to onError after maxRunSeconds, and settles the event if it still answers', async () => {
    const time = monotonicTime()
    const begun = await onEach(async (mount, name) => {
      const [entered, opened] = [new Log<string>(), new Log<string>()]
      const endpoint = hmacEndpoint(LEASE)
      const handle = async () => {
        entered.add('entered')
        await opened.has('opened')
        return 200
      }
      const { address } = await serve(await mount(endpoint.listener, handle))
      const connection = await sent(endpoint, address)
      await entered.reaches(1)
      return { name, endpoint, opened, connection }
    })
    await outlast(
      time,
      begun.map(({ endpoint }) => endpoint),
    )
    for (const { name, endpoint, opened, connection } of begun) {
      expect(endpoint.failures.entries.map(String), name).toEqual([
        'LeaseLostError: the handler ran longer than maxRunSeconds (60), and the next delivery of this event may run',
      ])
      expect(verbs(endpoint), name).toEqual(['claim'])
      opened.add('opened')
      expect((await connection.reply())?.status, name).toBe(200)
      await expect.poll(() => verbs(endpoint), { message: name }).toEqual(['claim', 'commit'])
      expect(endpoint.failures.entries, name).toHaveLength(1)
    }
  })

  it('a handler that does not answer is reported with its event and the time that it was open', async () => {
    const time = monotonicTime()
    const told: unknown[][] = []
    const onError = (...given: unknown[]) => {
      told.push(given)
      endpoint.failures.add(given[0])
    }
    const endpoint: Endpoint = hmacEndpoint({ ...LEASE, onError })
    const entered = new Log<string>()
    const { address } = await serve((incoming, outgoing) =>
      onExpress(endpoint.listener)(incoming, outgoing, () => entered.add('entered')),
    )
    const request = await endpoint.request()
    const startedAt = performance.now()
    const connection = new RawConnection(address)
    await connection.write(toBytes(request))
    await entered.reaches(1)
    await outlast(time, [endpoint])
    const context = {
      listenerId: 'L1',
      eventId: sentHeader(request, 'webhook-event-id'),
      durationMs: expect.any(Number),
    }
    expect(told).toEqual([[expect.any(Error), context]])
    const { durationMs } = Object(told[0]?.[1])
    expect(durationMs).toBeGreaterThanOrEqual(RUN_SECONDS * 1000)
    expect(durationMs).toBeLessThanOrEqual(performance.now() - startedAt)
    connection.abort()
  })

  it('a handler is reported too if its client left before the claim, here at the end of a lease that is not renewed', async () => {
    const time = monotonicTime()
    const begun = await onEach(async (mount, name) => {
      const claimed = new Log<string>()
      const endpoint = hmacEndpoint(LEASE, (clock) => {
        const store = memoryStore({ clock })
        return {
          claim: (...given) => claimed.has('claimed').then(() => store.claim(...given)),
          commit: store.commit.bind(store),
          release: store.release.bind(store),
        }
      })
      const { entered, handle } = hanging()
      const { address, closings } = await serve(await mount(endpoint.listener, handle))
      const leaving = await sent(endpoint, address)
      await endpoint.calls.reaches(1)
      leaving.abort()
      await closings.reaches(1)
      claimed.add('claimed')
      await entered.reaches(1)
      const staying = await sent(endpoint, address)
      await entered.reaches(2)
      return { name, endpoint, staying }
    })
    time.pass(RUN_SECONDS + 1)
    for (const { name, endpoint, staying } of begun) {
      await endpoint.failures.reaches(2)
      expect(codes(endpoint), name).toEqual(['ERR_NO_ANSWER', 'ERR_NO_ANSWER'])
      staying.abort()
    }
  })

  it('a handler is reported too if its client left', async () => {
    const time = monotonicTime()
    const begun = await onEach(async (mount, name) => {
      const endpoint = hmacEndpoint(LEASE)
      const { entered, handle } = hanging()
      const { address, closings } = await serve(await mount(endpoint.listener, handle))
      const leaving = await sent(endpoint, address)
      await entered.reaches(1)
      leaving.abort()
      await closings.reaches(1)
      const staying = await sent(endpoint, address)
      await entered.reaches(2)
      return { name, endpoint, staying }
    })
    await outlast(
      time,
      begun.map(({ endpoint }) => endpoint),
      2,
    )
    for (const { name, endpoint, staying } of begun) {
      expect(codes(endpoint), name).toEqual(['ERR_RUN_TOO_LONG', 'ERR_RUN_TOO_LONG'])
      staying.abort()
    }
  })
})
