import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, createServer, type Socket } from 'node:net'
import type { DynamoDB } from '@aws-sdk/client-dynamodb'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type Delivery, EventStoreError, type Listener } from '../../src/index.ts'
import { type DynamodbStoreOptions, dynamodbStore } from '../../src/stores/dynamodb/store.ts'
import { DynamodbServer, settingsFor } from '../support/dynamodb-server.ts'
import { hmacListener } from '../support/hmac-listener.ts'
import { outcome } from '../support/outcome.ts'

const DEADLINE_MS = 1000 // the SDK is slow on a busy machine
vi.setConfig({ testTimeout: 60_000 })
const CROWD = 5
/** More than the SDK's connections. */
const LARGE_CROWD = 60

interface Setting {
  readonly listener: Listener
  deliver(): Promise<Delivery>
}

async function startServer(): Promise<DynamodbServer> {
  const server = await DynamodbServer.start()
  onTestFinished(() => server.close())
  await dynamodbStore(server.client()).migrate()
  return server
}

function listenerOn(client: DynamoDB, options: DynamodbStoreOptions = {}): Setting {
  const store = dynamodbStore(client, options)
  return hmacListener({ store, storeTimeoutSeconds: DEADLINE_MS / 1000 })
}

/** The verdict, or `undecided` if an EventStoreError comes. Without a deadline, none would come while the server is paused. */
const verdictOn = ({ listener }: Setting, delivery: Delivery): Promise<string> =>
  outcome(delivery, listener).catch((error: unknown) => {
    if (error instanceof EventStoreError) return 'undecided'
    throw error
  })

const crowd = ({ deliver }: Setting, length = CROWD) => Promise.all(Array.from({ length }, deliver))

async function verdictsOn(setting: Setting, deliveries: readonly Delivery[]): Promise<Set<string>> {
  return new Set(await Promise.all(deliveries.map((delivery) => verdictOn(setting, delivery))))
}

/** Sends new deliveries until one is accepted. None may be refused. */
async function untilAccepted(setting: Setting): Promise<void> {
  let verdict = 'undecided'
  while (verdict !== 'accepted') {
    verdict = await verdictOn(setting, await setting.deliver())
    expect(verdict).toMatch(/^(accepted|undecided)$/)
  }
}

type Trouble = readonly [begin: (server: DynamodbServer) => unknown, end: (server: DynamodbServer) => unknown]
const refusing = (error: string): Trouble => [
  (server) => server.behave({ refuse: error }),
  (server) => server.behave({ refuse: null }),
]

const TROUBLES: { readonly [name: string]: Trouble } = {
  stopped: [(server) => server.halt(), (server) => server.resume()],
  'paused, and goes on': [(server) => server.pause(), (server) => server.unpause()],
  'paused, killed in the middle of a command, and restarted': [
    (server) => server.pause(),
    async (server) => {
      await server.halt()
      await server.resume()
    },
  ],
  'throttled (what AWS has for out of memory)': refusing('ProvisionedThroughputExceededException'),
  'failing on its side': refusing('InternalServerError'),
  'forbidden to write (what AWS has for read-only)': refusing('AccessDeniedException'),
}

function keyOf(delivery: Delivery, { listener }: Setting) {
  return { listenerId: listener.id, eventId: String(delivery.header('webhook-event-id')) }
}

describe('a DynamoDB that fails', () => {
  it.each(Object.entries(TROUBLES))('%s: undecided, then accepted again', async (_, [begin, end]) => {
    const server = await startServer()
    const setting = listenerOn(server.client())
    await untilAccepted(setting)
    await begin(server)
    expect(await verdictsOn(setting, await crowd(setting))).toEqual(new Set(['undecided']))
    await end(server)
    await untilAccepted(setting)
  })

  it("the SDK's own retries make no difference", async () => {
    const server = await startServer()
    const setting = listenerOn(server.client({ maxAttempts: 3 }))
    await untilAccepted(setting)
    await server.halt()
    expect(await verdictsOn(setting, await crowd(setting))).toEqual(new Set(['undecided']))
    await server.resume()
    await untilAccepted(setting)
  })

  it('a server that is killed and restarted still knows committed events', async () => {
    const server = await startServer()
    const setting = listenerOn(server.client())
    await untilAccepted(setting)
    const delivery = await setting.deliver()
    const store = dynamodbStore(server.client())
    await store.commit(keyOf(delivery, setting), 'a', 60_000)
    await server.halt()
    await server.resume()
    await untilAccepted(setting)
    await expect.poll(() => verdictOn(setting, delivery)).toBe('409 event_duplicate')
  })

  it('a call that hangs is aborted after abortSeconds, and its connection is free again', async () => {
    const server = await startServer()
    const wire = await silenceableWire(server.port)
    const client = server.client(settingsFor(wire.port))
    const setting = listenerOn(client, { abortSeconds: 2 * (DEADLINE_MS / 1000) })
    await untilAccepted(setting)
    wire.silence()
    const deliveries = await crowd(setting, LARGE_CROWD)
    expect(await verdictsOn(setting, deliveries)).toEqual(new Set(['undecided']))
    await expect.poll(() => wire.open()).toBe(0)
    wire.speak()
    await untilAccepted(setting)
  })

  it('a claim whose reply is lost is asked again by the SDK, and acquired', async () => {
    const server = await startServer()
    const wire = await silenceableWire(server.port)
    const store = dynamodbStore(server.client({ ...settingsFor(wire.port), maxAttempts: 3 }), {
      abortSeconds: 60,
    })
    const key = { listenerId: 'L1', eventId: crypto.randomUUID() }
    await store.release(key, 'warm-up')
    wire.cutAtReply()
    expect(await store.claim(key, 'a', 60_000)).toBe('acquired')
    wire.cutAtReply()
    expect(await store.commit(key, 'a', 60_000)).toBe('already')
  })
})

/** A proxy in front of the server. It can swallow requests, or drop one reply with its connection. */
async function silenceableWire(target: number) {
  let silent = false
  let cutting = false
  const open = new Set<Socket>()
  const wire = createServer((near) => {
    const far = connect(target, '127.0.0.1')
    open.add(near)
    for (const socket of [near, far]) {
      socket.on('error', () => {}).once('close', () => [near, far].forEach((end) => void end.destroy()))
    }
    near.once('close', () => open.delete(near))
    near.on('data', (bytes) => silent || far.write(bytes))
    far.on('data', (bytes) => {
      if (!cutting) return near.write(bytes)
      cutting = false
      return near.destroy()
    })
  })
  await once(wire.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    for (const socket of open) socket.destroy()
    wire.close()
  })
  return {
    port: (wire.address() as AddressInfo).port, // only a pipe's address is a string
    open: () => open.size,
    silence: () => {
      silent = true
    },
    speak: () => {
      silent = false
    },
    cutAtReply: () => {
      cutting = true
    },
  }
}
