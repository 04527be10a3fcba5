import { expect } from 'vitest'
import type { ListenerOptions } from '../../src/index.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import {
  ACCEPTED,
  type Client,
  closing,
  describeMatrix,
  FAILED,
  type Row,
  refused,
  type Wire,
  wireOf,
} from '../support/describe-matrix.ts'
import { Log } from '../support/log.ts'
import { headOf, RawConnection, toBytes } from '../support/raw-http.ts'
import { type Endpoint, hmacEndpoint, jwtEndpoint } from '../support/sender.ts'

const BUSY = refused(503, 'unavailable', { retryAfter: '1', ...closing })

/** Logs what a verdict waits for, and holds it back until opened. */
interface Gate {
  readonly asked: Log<string>
  readonly open: Log<string>
  pass(): Promise<void>
}

function newGate(): Gate {
  const asked = new Log<string>()
  const open = new Log<string>()
  const pass = () => {
    asked.add('asked')
    return open.reaches(1)
  }
  return { asked, open, pass }
}

const gates = new WeakMap<object, Gate>()

function gateOf({ listener }: Client): Gate {
  const gate = gates.get(listener)
  if (gate === undefined) throw new Error('the row has no gate')
  return gate
}

/** Makes the endpoint with a gate, and stores the gate for its row. */
async function gated(make: (gate: Gate) => Endpoint | Promise<Endpoint>): Promise<Endpoint> {
  const gate = newGate()
  const endpoint = await make(gate)
  gates.set(endpoint.listener, gate)
  return endpoint
}

const waitingForStore = () =>
  gated(({ pass }) =>
    hmacEndpoint({ storeTimeoutSeconds: 60 }, (clock) => {
      const store = memoryStore({ clock })
      return {
        claim: async (...claim) => {
          await pass()
          return store.claim(...claim)
        },
        commit: store.commit.bind(store),
        release: store.release.bind(store),
      }
    }),
  )

const waitingForKeys = () =>
  gated(({ pass }) =>
    jwtEndpoint({}, (keys) => ({
      find: async (keyId, algorithm) => {
        await pass()
        return keys.find(keyId, algorithm)
      },
    })),
  )

const waitingForSchema = () =>
  gated(({ pass }) => {
    const validate = async (value: unknown) => {
      await pass()
      return { value }
    }
    const payload = { '~standard': { version: 1, vendor: 'test', validate } }
    return hmacEndpoint({ payload } as Partial<ListenerOptions>)
  })

const waitingForListener = () => gated(() => hmacEndpoint())

function lookupOf({ listener, lookup }: Endpoint) {
  return async (path: string) => {
    await gates.get(listener)?.pass()
    return lookup(path)
  }
}

/** One body waits, and the next is refused by its headers alone. */
async function refusedAtOnce(client: Client): Promise<Wire[]> {
  const { asked, open } = gateOf(client)
  const first = client.send(await client.request())
  await asked.reaches(1)
  const excess = new RawConnection(client.address)
  await excess.write(headOf(await client.request(), [['Content-Length', '60000']]))
  const refusal = wireOf(await excess.reply())
  await client.hungUp(excess)
  open.add('open')
  return [refusal, await first]
}

/** One body waits, and the next is refused until the first is done. */
async function oneAtATime(client: Client): Promise<Wire[]> {
  const { asked, open } = gateOf(client)
  const first = client.send(await client.request())
  await asked.reaches(1)
  const second = await client.send(await client.request())
  open.add('open')
  return [second, await first, await client.send(await client.request())]
}

const ONE_BODY = { maxConcurrentBodies: 1 }

const waits: readonly Row[] = [
  {
    name: 'a body keeps its place while the store is asked',
    endpoint: waitingForStore,
    setup: () => ({ options: ONE_BODY }),
    send: oneAtATime,
    expected: [BUSY, ACCEPTED, ACCEPTED],
  },
  {
    name: 'a body keeps its place while the key set is asked',
    endpoint: waitingForKeys,
    setup: () => ({ options: ONE_BODY }),
    send: oneAtATime,
    expected: [BUSY, ACCEPTED, ACCEPTED],
  },
  {
    name: 'a body keeps its place while the payload schema validates it',
    endpoint: waitingForSchema,
    setup: () => ({ options: ONE_BODY }),
    send: oneAtATime,
    expected: [BUSY, ACCEPTED, ACCEPTED],
  },
  {
    name: 'a body keeps its place, so that the next body is refused by its headers alone, and closed',
    endpoint: waitingForStore,
    setup: () => ({ options: ONE_BODY }),
    send: refusedAtOnce,
    expected: [BUSY, ACCEPTED],
    claims: 1,
  },
  {
    name: 'a body has a place while its listener is looked up',
    endpoint: waitingForListener,
    setup: (endpoint) => ({ target: lookupOf(endpoint), options: ONE_BODY }),
    send: oneAtATime,
    expected: [BUSY, ACCEPTED, ACCEPTED],
  },
]

describeMatrix('a body whose verdict waits', waits)

/** Sends a request without the last bytes of its body. */
async function begin({ address }: Client, bytes: Uint8Array, missing: number): Promise<RawConnection> {
  const connection = new RawConnection(address)
  await connection.write(bytes.subarray(0, -missing))
  return connection
}

const jsonOf = (bytes: number) => ({ body: `"${'x'.repeat(bytes - 2)}"` })
const rest = (bytes: number) => `${'x'.repeat(bytes - 1)}"`

/** The first body announces 60,000 bytes and stops after one. */
async function beside(client: Client, framing: { readonly chunkBytes?: number }): Promise<Wire[]> {
  const first = await begin(client, toBytes(await client.request(jsonOf(60_000))), 59_999)
  await client.lookups.reaches(1)
  const answer = await client.send(toBytes(await client.request(jsonOf(60_000)), framing))
  await first.write(rest(59_999))
  return [answer, wireOf(await first.reply())]
}

const bytesAtMost = (maxConcurrentBytes: number) => (endpoint: Endpoint) => ({
  target: endpoint.lookup,
  options: { maxConcurrentBytes },
})

describeMatrix('the bytes of all bodies in flight', [
  {
    name: 'the bytes are those that have arrived, not those that are announced',
    setup: bytesAtMost(70_000),
    send: (client) => beside(client, {}),
    expected: [ACCEPTED, ACCEPTED],
  },
  {
    name: 'the bytes are those that have arrived if none are announced',
    setup: bytesAtMost(70_000),
    send: (client) => beside(client, { chunkBytes: 1000 }),
    expected: [ACCEPTED, ACCEPTED],
  },
  {
    name: 'the bytes never exceed maxConcurrentBytes: the slowest body is cut',
    setup: bytesAtMost(70_000),
    send: async (client) => {
      const slow = await begin(client, toBytes(await client.request(jsonOf(60_000))), 30_000)
      await client.lookups.reaches(1)
      const fast = await begin(client, toBytes(await client.request(jsonOf(60_000))), 1)
      const cut = wireOf(await slow.reply())
      await client.hungUp(slow)
      await fast.write('"')
      expect(client.failures.entries.map(String)).toEqual([expect.stringMatching('maxConcurrentBytes')])
      return [cut, wireOf(await fast.reply())]
    },
    expected: [BUSY, ACCEPTED],
  },
  {
    name: 'the bytes never exceed maxConcurrentBytes: the newest body is refused if all others are complete',
    endpoint: waitingForStore,
    setup: bytesAtMost(70_000),
    send: async (client) => {
      const { asked, open } = gateOf(client)
      const first = client.send(await client.request(jsonOf(60_000)))
      await asked.reaches(1)
      const second = await client.send(await client.request(jsonOf(20_000)))
      open.add('open')
      return [second, await first]
    },
    expected: [BUSY, ACCEPTED],
    claims: 1,
  },
  {
    name: 'the bytes must have room for the largest body of a looked-up listener, otherwise it is an error of the developer',
    setup: bytesAtMost(65_535),
    send: async (client) => {
      const wire = await client.send(await client.request())
      expect(client.errors.map(String)).toEqual([
        'ListenerConfigError: maxConcurrentBytes: must be at least maxBodyBytes of the listener, which is 65536',
      ])
      return wire
    },
    expected: FAILED,
  },
])
