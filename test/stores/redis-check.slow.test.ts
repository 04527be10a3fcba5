import { Redis } from 'ioredis'
import { createClient, createClientPool, createCluster } from 'redis'
import { createClient as createClient5, createClientPool as createClientPool5 } from 'redis5'
import { describe, expect, it, onTestFinished } from 'vitest'
import { redisStore } from '../../src/stores/redis/store.ts'
import { CLUSTER_CLIENTS } from '../support/redis-clients.ts'
import {
  onRedis,
  type RedisServer,
  startRedis,
  startRedisCluster,
  WHY_NO_REDIS,
} from '../support/redis-server.ts'

const DURABLE = ['--appendonly', 'yes']

async function running(...settings: string[]): Promise<RedisServer> {
  const server = await startRedis(...settings)
  onTestFinished(() => server.close())
  return server
}

function clientOf({ port }: RedisServer, user: { username?: string; password?: string } = {}): Redis {
  const client = new Redis({ port, host: '127.0.0.1', maxRetriesPerRequest: 1, ...user })
  client.on('error', () => {})
  onTestFinished(() => client.disconnect())
  return client
}

interface Socket {
  readonly port: number
  readonly host: string
}

/** The text of each problem that check() finds on a server. */
async function problemsOf(server: RedisServer): Promise<string[]> {
  const problems = await redisStore(clientOf(server)).check()
  for (const { fix } of problems) expect(fix).not.toBe('')
  return problems.map(({ problem }) => problem)
}

describe.skipIf(WHY_NO_REDIS)(onRedis('check()'), () => {
  it('check() finds nothing on a server that keeps its data', async () => {
    expect(await problemsOf(await running(...DURABLE))).toEqual([])
    expect(await problemsOf(await running(...DURABLE, '--maxmemory', '1gb'))).toEqual([])
  })

  it.each(['allkeys-lru', 'volatile-ttl', 'volatile-lru', 'allkeys-random'])(
    'check() finds maxmemory-policy %s, where there is a maxmemory',
    async (policy) => {
      const evicting = ['--maxmemory-policy', policy]
      const limited = await running(...DURABLE, ...evicting, '--maxmemory', '1gb')
      expect(await problemsOf(limited)).toEqual([expect.stringContaining(`maxmemory-policy is ${policy}`)])
      await limited.cli('CONFIG', 'SET', 'maxmemory', '0')
      expect(await problemsOf(limited)).toEqual([])
    },
  )

  it('check() finds a server that forgets on restart', async () => {
    expect(await problemsOf(await running())).toEqual([expect.stringContaining('appendonly is off')])
  })

  it('check() finds replicas without a wait for them, and a server that is a replica itself', async () => {
    const primary = await running(...DURABLE)
    const replica = await running(...DURABLE, '--replicaof', '127.0.0.1', `${primary.port}`)
    await expect
      .poll(() => problemsOf(primary))
      .toEqual([expect.stringContaining('replication is asynchronous')])
    expect(await problemsOf(replica)).toEqual([expect.stringContaining('this is a replica')])
    await primary.cli('CONFIG', 'SET', 'min-replicas-to-write', '1')
    expect(await problemsOf(primary)).toEqual([])
  })

  it('check() needs no CONFIG, and reports a forbidden INFO', async () => {
    const server = await running(...DURABLE)
    await server.cli('ACL', 'SETUSER', 'app', 'on', '>pass', '~*', '+@all', '-config')
    const app = redisStore(clientOf(server, { username: 'app', password: 'pass' }))
    expect(await app.check()).toEqual([])
    await server.cli('ACL', 'SETUSER', 'app', '-info')
    expect(await app.check()).toEqual([
      { problem: expect.stringContaining('INFO is forbidden'), fix: expect.stringContaining('provider') },
    ])
  })

  it.each([
    ['plain', []],
    ['compact', ['time', 'hget', 'hset', 'pexpireat']],
  ] as const)('layout %s needs exactly these rights, and names missing ones', async (layout, more) => {
    const server = await running(...DURABLE)
    const rights = ['get', 'set', 'del', 'pexpire', ...more]
    const give = (granted: readonly string[]) =>
      server.cli(
        'ACL',
        'SETUSER',
        'app',
        'reset',
        'on',
        '>pass',
        '~hookgate:*',
        '-@all',
        ...['eval', 'info', ...granted].map((right) => `+${right}`),
      )
    await give(rights)
    const client = clientOf(server, { username: 'app', password: 'pass' })
    const store = redisStore(client, { layout })
    expect(await store.check()).toEqual([])
    const [key, other] = ['1', '2'].map((digit) => ({
      listenerId: 'a',
      eventId: `7f1d3c5e-0a4b-4c8d-9e2f-00000000000${digit}`,
    }))
    if (key === undefined || other === undefined) throw new Error('there are two')
    expect(await store.claim(key, 'a', 60_000)).toBe('acquired')
    expect(await store.commit(key, 'a', 60_000)).toBe('committed')
    expect(await store.claim(other, 'a', 60_000)).toBe('acquired')
    expect(await store.renew?.(other, 'a', 60_000)).toBe(true)
    expect(await store.release(other, 'a')).toBe(true)
    for (const lacking of rights) {
      await give(rights.filter((right) => right !== lacking))
      expect(await store.check()).toEqual([
        {
          problem: expect.stringContaining(`may not run ${lacking.toUpperCase()}:`),
          fix: `ACL SETUSER … +${lacking}`,
        },
      ])
    }
  })

  it('check() reports an INFO without memory settings', async () => {
    const store = redisStore(async () => 'redis_version:7.0.15\r\nrole:master\r\n')
    expect(await store.check()).toHaveLength(1)
  })

  it.each([
    ['client of node-redis 6', (socket: Socket) => createClient({ socket })],
    ['pool of node-redis 6', (socket: Socket) => createClientPool({ socket })],
    ['client of node-redis 5', (socket: Socket) => createClient5({ socket })],
    ['pool of node-redis 5', (socket: Socket) => createClientPool5({ socket })],
  ])(
    'check() finds a %s without an error listener, whose first error would end the process',
    async (_, create) => {
      const { port } = await running(...DURABLE)
      const client = create({ port, host: '127.0.0.1' })
      await client.connect()
      onTestFinished(() => client.destroy())
      const store = redisStore(client)
      expect(await store.check()).toEqual([
        { problem: expect.stringContaining('ends this process'), fix: expect.stringContaining("on('error'") },
      ])
      client.on('error', () => {})
      expect(await store.check()).toEqual([])
    },
  )

  it('check() finds nothing wrong with a cluster client of node-redis, which handles its errors itself', async () => {
    const cluster = await startRedisCluster(...DURABLE)
    onTestFinished(() => cluster.close())
    const rootNodes = cluster.nodes.map(({ port }) => ({ socket: { port, host: '127.0.0.1' } }))
    const client = createCluster({ rootNodes })
    await client.connect()
    onTestFinished(() => client.destroy())
    expect(await redisStore(client).check()).toEqual([])
  })

  it('check() checks every node of a cluster, and names the bad one', async () => {
    const cluster = await startRedisCluster(...DURABLE)
    onTestFinished(() => cluster.close())
    const { client, close } = CLUSTER_CLIENTS['ioredis 6'](cluster.nodes.map(({ port }) => port))
    onTestFinished(close)
    const [, faulty] = cluster.nodes
    await faulty?.cli('CONFIG', 'SET', 'maxmemory', '1gb')
    await faulty?.cli('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru')
    const problems = await redisStore(client).check()
    expect(problems.map(({ problem }) => problem)).toEqual([
      expect.stringMatching(`^node ${faulty?.port}: maxmemory-policy is allkeys-lru`),
    ])
  })

  it('check() rejects when the server is gone', async () => {
    const server = await running()
    const store = redisStore(clientOf(server))
    await server.kill()
    await expect(store.check()).rejects.toThrow()
  })
})
