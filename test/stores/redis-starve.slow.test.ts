import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Delivery, EventStoreError, type Listener } from '../../src/index.ts'
import { redisStore } from '../../src/stores/redis/store.ts'
import { hmacListener } from '../support/hmac-listener.ts'
import { acceptedEvent, outcome } from '../support/outcome.ts'
import { CLUSTER_CLIENTS, SINGLE_CLIENTS } from '../support/redis-clients.ts'
import {
  onRedis,
  type RedisServer,
  startRedis,
  startRedisCluster,
  WHY_NO_REDIS,
} from '../support/redis-server.ts'

const DEADLINE_MS = 250

interface Setting {
  readonly listener: Listener
  deliver(): Promise<Delivery>
}

async function listenerOn(
  client: keyof typeof SINGLE_CLIENTS,
  ...settings: string[]
): Promise<Setting & { readonly server: RedisServer }> {
  const server = await startRedis(...settings)
  onTestFinished(() => server.close())
  const connected = await SINGLE_CLIENTS[client](server.port)
  onTestFinished(async () => {
    await connected.close()
  })
  const store = redisStore(connected.client)
  return { server, ...hmacListener({ store, storeTimeoutSeconds: DEADLINE_MS / 1000 }) }
}

/** The verdict, or `undecided` if an EventStoreError comes. Without a deadline, none would come while the server is paused. */
const verdictOn = ({ listener }: Setting, delivery: Delivery): Promise<string> =>
  outcome(delivery, listener).catch((error: unknown) => {
    if (error instanceof EventStoreError) return 'undecided'
    throw error
  })

/** Sends new deliveries until one is accepted. Fails if one is refused. */
async function expectRecovery(setting: Setting): Promise<void> {
  let verdict = 'undecided'
  while (verdict === 'undecided') {
    verdict = await verdictOn(setting, await setting.deliver())
    if (verdict === 'undecided') await sleep(10)
  }
  expect(verdict).toBe('accepted')
}

/** Sends the same delivery until it is decided. The release of a late claim may still be in flight. */
async function expectRetryAccepted(setting: Setting, delivery: Delivery): Promise<void> {
  let verdict = await verdictOn(setting, delivery)
  while (verdict !== 'accepted') {
    expect(verdict).toMatch(/undecided|503 event_in_progress/)
    await sleep(10)
    verdict = await verdictOn(setting, delivery)
  }
  expect(verdict).toBe('accepted')
}

type Trouble = readonly [begin: (server: RedisServer) => unknown, end: (server: RedisServer) => unknown]

const TROUBLES: { readonly [name: string]: Trouble } = {
  stopped: [(server) => server.kill(), (server) => server.start()],
  'paused, and goes on': [(server) => server.pause(), (server) => server.resume()],
  'paused, killed in the middle of a command, and restarted': [
    (server) => server.pause(),
    async (server) => {
      await server.kill()
      await server.start()
    },
  ],
  'made a read-only replica': [
    (server) => server.cli('REPLICAOF', '127.0.0.1', '1'),
    (server) => server.cli('REPLICAOF', 'NO', 'ONE'),
  ],
  'out of memory': [
    (server) => server.cli('CONFIG', 'SET', 'maxmemory', '1'),
    (server) => server.cli('CONFIG', 'SET', 'maxmemory', '0'),
  ],
}

const CLIENTS = [
  'ioredis 6',
  'ioredis 5',
  'iovalkey',
  'node-redis 6',
  'node-redis 5',
  'node-redis 6 pool',
] as const

describe.skipIf(WHY_NO_REDIS)(onRedis('a server that fails'), () => {
  describe.each(CLIENTS)('%s', (client) => {
    it.each(Object.entries(TROUBLES))('%s: undecided, then accepted again', async (_, [begin, end]) => {
      const setting = await listenerOn(client)
      await expectRecovery(setting)
      await begin(setting.server)
      const deliveries = await Promise.all(Array.from({ length: 20 }, setting.deliver))
      const verdicts = deliveries.map((delivery) => verdictOn(setting, delivery))
      expect(new Set(await Promise.all(verdicts))).toEqual(new Set(['undecided']))
      await end(setting.server)
      await expectRecovery(setting)
      for (const delivery of deliveries) await expectRetryAccepted(setting, delivery)
    })

    it('a server that restarts at once leaves deliveries undecided or accepted, and accepts again', async () => {
      const setting = await listenerOn(client)
      await expectRecovery(setting)
      await setting.server.kill()
      await setting.server.start()
      await expectRecovery(setting)
    })
  })

  it.each(['ioredis 6', 'node-redis 6'] as const)(
    'one node of a cluster paused, %s: undecided or accepted, and all accepted after its return',
    async (client) => {
      const cluster = await startRedisCluster()
      onTestFinished(() => cluster.close())
      const connected = await CLUSTER_CLIENTS[client](cluster.nodes.map(({ port }) => port))
      onTestFinished(async () => {
        await connected.close()
      })
      const setting = hmacListener({
        store: redisStore(connected.client),
        storeTimeoutSeconds: DEADLINE_MS / 1000,
      })
      await expectRecovery(setting)
      cluster.nodes[0]?.pause()
      const deliveries = await Promise.all(Array.from({ length: 40 }, () => setting.deliver()))
      const verdicts = await Promise.all(deliveries.map((delivery) => verdictOn(setting, delivery)))
      expect(new Set(verdicts)).toEqual(new Set(['undecided', 'accepted']))
      cluster.nodes[0]?.resume()
      for (const [index, delivery] of deliveries.entries()) {
        if (verdicts[index] === 'undecided') await expectRetryAccepted(setting, delivery)
      }
    },
  )

  it('a server that restarts with its append-only file still knows committed events', async () => {
    const setting = await listenerOn('ioredis 6', '--appendonly', 'yes', '--appendfsync', 'always')
    const delivery = await setting.deliver()
    await (await acceptedEvent(delivery, setting.listener)).commit()
    await setting.server.kill()
    await setting.server.start()
    await expectRecovery(setting)
    expect(await verdictOn(setting, delivery)).toBe('409 event_duplicate')
  })

  it('full, it still knows its duplicates', async () => {
    const setting = await listenerOn('ioredis 6')
    const delivery = await setting.deliver()
    await (await acceptedEvent(delivery, setting.listener)).commit()
    await setting.server.cli('CONFIG', 'SET', 'maxmemory', '1')
    expect(await verdictOn(setting, delivery)).toBe('409 event_duplicate')
    expect(await verdictOn(setting, await setting.deliver())).toBe('undecided')
  })
})
