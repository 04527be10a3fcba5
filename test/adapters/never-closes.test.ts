import { type RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { verifyWebhook as onExpress } from '../../adapters/express.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { Log } from '../support/log.ts'
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

/** In parallel, because each waits up to a second for the sweep. */
const onEach = (run: (name: string, mount: (typeof MOUNTED)[string]) => Promise<unknown>) =>
  Promise.all(Object.entries(MOUNTED).map(([name, mount]) => run(name, mount)))

it('onError is not called for an answered response that never closes', async () => {
  const run = async ([name, how, mount, makeSink]: (typeof hosts)[number]) => {
    const answers = [200, new Promise<number>(() => {})]
    const endpoint = hmacEndpoint({ leaseSeconds: 0.4, maxRunSeconds: 0.4 })
    const handle = async () => answers.shift() ?? 500
    const { address, send } = await started(mount, makeSink, endpoint, handle)
    expect(await send(toBytes(await endpoint.request()))).toBe(200)
    const unanswered = new RawConnection(address)
    await unanswered.write(toBytes(await endpoint.request()))
    await endpoint.failures.reaches(1) // One sweep looks at both.
    expect(endpoint.failures.entries, `${name} ${how}`).toHaveLength(1)
    unanswered.abort()
  }
  await Promise.all(hosts.map(run))
})

describe('a handler that does not answer', () => {
  it('a handler that does not answer is reported to onError after maxRunSeconds, and settles the event if it still answers', async () => {
    await onEach(async (name, mount) => {
      const opened = new Log<string>()
      const endpoint = hmacEndpoint({ leaseSeconds: 0.4, maxRunSeconds: 0.4 })
      const handle = async () => {
        await opened.has('opened')
        return 200
      }
      const { address } = await serve(await mount(endpoint.listener, handle))
      const connection = new RawConnection(address)
      await connection.write(toBytes(await endpoint.request()))
      await endpoint.failures.reaches(1)
      expect(endpoint.failures.entries.map(String), name).toEqual([
        'LeaseLostError: the handler ran longer than maxRunSeconds (0.4), and the next delivery of this event may run',
      ])
      expect(verbs(endpoint), name).toEqual(['claim'])
      opened.add('opened')
      expect((await connection.reply())?.status, name).toBe(200)
      await expect.poll(() => verbs(endpoint), { message: name }).toEqual(['claim', 'commit'])
      expect(endpoint.failures.entries, name).toHaveLength(1)
    })
  })

  it('a handler that does not answer is reported with its event and the time that it was open', async () => {
    const told: unknown[][] = []
    const heard = new Log<string>()
    const onError = (...given: unknown[]) => {
      told.push(given)
      heard.add('heard')
    }
    const { listener, request } = hmacEndpoint({ leaseSeconds: 0.25, maxRunSeconds: 0.5, onError })
    const { address } = await serve((incoming, outgoing) => onExpress(listener)(incoming, outgoing, () => {}))
    const sent = await request()
    const startedAt = performance.now()
    const connection = new RawConnection(address)
    await connection.write(toBytes(sent))
    await heard.reaches(1)
    const context = {
      listenerId: 'L1',
      eventId: sentHeader(sent, 'webhook-event-id'),
      durationMs: expect.any(Number),
    }
    expect(told).toEqual([[expect.any(Error), context]])
    const { durationMs } = Object(told[0]?.[1])
    expect(durationMs).toBeGreaterThanOrEqual(500)
    expect(durationMs).toBeLessThanOrEqual(performance.now() - startedAt)
    connection.abort()
  })

  it('a handler is reported too if its client left before the claim, here at the end of a lease that is not renewed', async () => {
    await onEach(async (name, mount) => {
      const claimed = new Log<string>()
      const entered = new Log<string>()
      const endpoint = hmacEndpoint({ leaseSeconds: 0.4, maxRunSeconds: 0.4 }, (clock) => {
        const store = memoryStore({ clock })
        return {
          claim: (...given) => claimed.has('claimed').then(() => store.claim(...given)),
          commit: store.commit.bind(store),
          release: store.release.bind(store),
        }
      })
      const handle = () => {
        entered.add('entered')
        return new Promise<number>(() => {})
      }
      const { address, closings } = await serve(await mount(endpoint.listener, handle))
      const leaving = new RawConnection(address)
      await leaving.write(toBytes(await endpoint.request()))
      await endpoint.calls.reaches(1)
      leaving.abort()
      await closings.reaches(1)
      claimed.add('claimed')
      await entered.reaches(1)
      const staying = new RawConnection(address)
      await staying.write(toBytes(await endpoint.request()))
      await endpoint.failures.reaches(2)
      expect(
        endpoint.failures.entries.map((error) => Reflect.get(Object(error), 'code')),
        name,
      ).toEqual(Array(2).fill('ERR_NO_ANSWER'))
      staying.abort()
    })
  })

  it('a handler is reported too if its client left', async () => {
    await onEach(async (name, mount) => {
      const entered = new Log<string>()
      const endpoint = hmacEndpoint({ leaseSeconds: 0.4, maxRunSeconds: 0.4 })
      const handle = () => {
        entered.add('entered')
        return new Promise<number>(() => {})
      }
      const { address, closings } = await serve(await mount(endpoint.listener, handle))
      const leaving = new RawConnection(address)
      await leaving.write(toBytes(await endpoint.request()))
      await entered.reaches(1)
      leaving.abort()
      await closings.reaches(1)
      const staying = new RawConnection(address)
      await staying.write(toBytes(await endpoint.request()))
      await endpoint.failures.reaches(2)
      expect(
        endpoint.failures.entries.map((error) => Reflect.get(Object(error), 'code')),
        name,
      ).toEqual(Array(2).fill('ERR_RUN_TOO_LONG'))
      staying.abort()
    })
  })
})
