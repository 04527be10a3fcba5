import { expect } from 'vitest'
import type { ListenerOptions } from '../../src/index.ts'
import { memoryStore } from '../../stores/memory/memory-store.ts'
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
import { RawConnection, type RawRequest, toBytes } from '../support/raw-http.ts'
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
    name: 'B11 keeps its place while the store is asked',
    endpoint: waitingForStore,
    setup: () => ({ options: ONE_BODY }),
    send: oneAtATime,
    expected: [BUSY, ACCEPTED, ACCEPTED],
  },
  {
    name: 'B11 keeps its place while the key set is asked',
    endpoint: waitingForKeys,
    setup: () => ({ options: ONE_BODY }),
    send: oneAtATime,
    expected: [BUSY, ACCEPTED, ACCEPTED],
  },
  {
    name: 'B11 keeps its place while the payload schema validates it',
    endpoint: waitingForSchema,
    setup: () => ({ options: ONE_BODY }),
    send: oneAtATime,
    expected: [BUSY, ACCEPTED, ACCEPTED],
  },
  {
    name: 'B11 has a place while its listener is looked up',
    endpoint: waitingForListener,
    setup: (endpoint) => ({ target: lookupOf(endpoint), options: ONE_BODY }),
    send: oneAtATime,
    expected: [BUSY, ACCEPTED, ACCEPTED],
  },
]

describeMatrix('a body whose verdict waits', waits)

/** Sends the headers of a request and the first byte of its body. */
async function begin({ address }: Client, request: RawRequest): Promise<RawConnection> {
  const connection = new RawConnection(address)
  const bytes = toBytes(request)
  await connection.write(bytes.subarray(0, bytes.byteLength - request.body.byteLength + 1))
  return connection
}

const jsonOf = (bytes: number) => ({ body: `"${'x'.repeat(bytes - 2)}"` })

/** The first body announces 60,000 bytes and stops after one. */
async function beside(
  client: Client,
  second: (request: RawRequest) => Buffer,
  bytes: number,
): Promise<Wire[]> {
  const first = await begin(client, await client.request(jsonOf(60_000)))
  await client.lookups.reaches(1)
  const answer = await client.send(second(await client.request(jsonOf(bytes))))
  await first.write(`${'x'.repeat(59_998)}"`)
  return [answer, wireOf(await first.reply())]
}

const whole = (request: RawRequest) => toBytes(request)
const inChunks = (request: RawRequest) => toBytes(request, { chunkBytes: 1000 })
const bytesAtMost = (maxConcurrentBytes: number) => (endpoint: Endpoint) => ({
  target: endpoint.lookup,
  options: { maxConcurrentBytes },
})

describeMatrix('the bytes of all bodies in flight', [
  {
    name: 'B11 may reach maxConcurrentBytes, as announced',
    setup: bytesAtMost(70_000),
    send: (client) => beside(client, whole, 10_000),
    expected: [ACCEPTED, ACCEPTED],
  },
  {
    name: 'B11 never exceed it',
    setup: bytesAtMost(70_000),
    send: (client) => beside(client, whole, 10_001),
    expected: [BUSY, ACCEPTED],
  },
  {
    name: 'B11 count the limit for a body of unannounced size',
    setup: bytesAtMost(60_000 + 65_536),
    send: (client) => beside(client, inChunks, 1000),
    expected: [ACCEPTED, ACCEPTED],
  },
  {
    name: 'B11 count no less than the limit for a body of unannounced size',
    setup: bytesAtMost(60_000 + 65_535),
    send: (client) => beside(client, inChunks, 1000),
    expected: [BUSY, ACCEPTED],
  },
  {
    name: 'P13 must have room for the largest body of a looked-up listener, otherwise it is an error of the developer',
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
