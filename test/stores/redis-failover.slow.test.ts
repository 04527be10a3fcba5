import { Redis } from 'ioredis'
import { createSentinel } from 'redis'
import { describe, expect, it, onTestFinished } from 'vitest'
import { EventStoreError } from '../../src/index.ts'
import { type RedisClient, redisStore } from '../../src/stores/redis/store.ts'
import { hmacListener } from '../support/hmac-listener.ts'
import { acceptedEvent, outcome } from '../support/outcome.ts'
import { SENTINEL_NAME, startSentinel } from '../support/redis-sentinel.ts'
import { onRedis, type RedisServer, startRedis, WHY_NO_REDIS } from '../support/redis-server.ts'

const DURABLE = ['--appendonly', 'yes']

/** A primary whose replica is up to date. */
async function pair(...settings: string[]): Promise<{ primary: RedisServer; replica: RedisServer }> {
  const primary = await startRedis(...DURABLE, '--repl-diskless-sync-delay', '0', ...settings)
  onTestFinished(() => primary.close())
  const replica = await startRedis(...DURABLE, '--replicaof', '127.0.0.1', `${primary.port}`)
  onTestFinished(() => replica.close())
  await expect.poll(() => replica.cli('INFO', 'replication')).toContain('master_link_status:up')
  return { primary, replica }
}

async function offsetOf(server: RedisServer): Promise<string | undefined> {
  return /master_repl_offset:(\d+)/.exec(await server.cli('INFO', 'replication'))?.[1]
}

/** A listener on a server. */
function listenerOn({ port }: RedisServer) {
  const client = new Redis({ port, host: '127.0.0.1', maxRetriesPerRequest: 1 })
  client.on('error', () => {})
  onTestFinished(() => client.disconnect())
  return hmacListener({ store: redisStore(client) })
}

const SENTINEL_CLIENTS: { readonly [name: string]: (port: number) => Promise<RedisClient> } = {
  async ioredis(port) {
    const sentinels = [{ host: '127.0.0.1', port }]
    const client = new Redis({ sentinels, name: SENTINEL_NAME, maxRetriesPerRequest: 1 })
    client.on('error', () => {})
    onTestFinished(() => client.disconnect())
    return client
  },
  async 'node-redis'(port) {
    const sentinelRootNodes = [{ host: '127.0.0.1', port }]
    const client = createSentinel({ name: SENTINEL_NAME, sentinelRootNodes })
    client.on('error', () => {})
    await client.connect()
    onTestFinished(() => client.destroy())
    return client
  },
}

describe.skipIf(WHY_NO_REDIS)(onRedis('a failover'), () => {
  it('a failover keeps the events that reached the replica', async () => {
    const { primary, replica } = await pair()
    const before = listenerOn(primary)
    const [done, running] = [await before.deliver(), await before.deliver()]
    await (await acceptedEvent(done, before.listener)).commit()
    await acceptedEvent(running, before.listener)
    await expect.poll(async () => (await offsetOf(replica)) === (await offsetOf(primary))).toBe(true)
    await primary.kill()
    await replica.cli('REPLICAOF', 'NO', 'ONE')
    const after = listenerOn(replica)
    expect(await outcome(done, after.listener)).toBe('409 event_duplicate')
    expect(await outcome(running, after.listener)).toBe('503 event_in_progress')
  })

  it('a failover keeps a renewal that reached the replica, and a handler renews on the new primary', async () => {
    const { primary, replica } = await pair()
    const storeOn = ({ port }: RedisServer) => {
      const client = new Redis({ port, host: '127.0.0.1', maxRetriesPerRequest: 1 })
      client.on('error', () => {})
      onTestFinished(() => client.disconnect())
      return redisStore(client)
    }
    const before = storeOn(primary)
    const key = { listenerId: 'L1', eventId: crypto.randomUUID() }
    await before.claim(key, 'a', 500)
    expect(await before.renew?.(key, 'a', 60_000)).toBe(true)
    await expect.poll(async () => (await offsetOf(replica)) === (await offsetOf(primary))).toBe(true)
    await primary.kill()
    await replica.cli('REPLICAOF', 'NO', 'ONE')
    await new Promise((resolve) => setTimeout(resolve, 600)) // the first lease is over
    const after = storeOn(replica)
    expect(await after.claim(key, 'b', 60_000)).toBe('busy')
    expect(await after.renew?.(key, 'a', 60_000)).toBe(true)
    await expect(before.renew?.(key, 'a', 60_000)).rejects.toThrow()
  })

  it('an event that did not reach the replica is accepted again, as docs/stores/redis.md says', async () => {
    const { primary, replica } = await pair()
    const before = listenerOn(primary)
    await replica.kill()
    const done = await before.deliver()
    await (await acceptedEvent(done, before.listener)).commit()
    await primary.kill()
    await replica.start()
    await replica.cli('REPLICAOF', 'NO', 'ONE')
    expect(await outcome(done, listenerOn(replica).listener)).toBe('accepted')
  })

  it('a failover by hand forgets what the old primary still accepts, and min-replicas-to-write makes it refuse', async () => {
    const { primary, replica } = await pair()
    const [before, after] = [listenerOn(primary), listenerOn(replica)]
    await replica.cli('REPLICAOF', 'NO', 'ONE')
    const late = await before.deliver()
    await (await acceptedEvent(late, before.listener)).commit()
    expect(await outcome(late, after.listener)).toBe('accepted')
    await primary.cli('CONFIG', 'SET', 'min-replicas-to-write', '1')
    await expect(outcome(await before.deliver(), before.listener)).rejects.toThrow(EventStoreError)
  })

  it('a FAILOVER forgets nothing', async () => {
    const { primary, replica } = await pair()
    const before = listenerOn(primary)
    const [done, running] = [await before.deliver(), await before.deliver()]
    await (await acceptedEvent(done, before.listener)).commit()
    await acceptedEvent(running, before.listener)
    await primary.cli('FAILOVER')
    await expect.poll(() => replica.cli('ROLE')).toMatch(/^master/)
    const after = listenerOn(replica)
    expect(await outcome(done, after.listener)).toBe('409 event_duplicate')
    expect(await outcome(running, after.listener)).toBe('503 event_in_progress')
    await expect(outcome(await before.deliver(), before.listener)).rejects.toThrow(EventStoreError)
  })

  it('a primary with min-replicas-to-write whose replicas are silent answers 503, and flows again', async () => {
    const { primary, replica } = await pair('--min-replicas-to-write', '1', '--min-replicas-max-lag', '2')
    const { listener, deliver } = listenerOn(primary)
    const verdict = async () =>
      outcome(await deliver(), listener).catch((error: unknown) => {
        expect(error).toBeInstanceOf(EventStoreError)
        return 'undecided'
      })
    await expect.poll(verdict).toBe('accepted')
    replica.pause()
    await expect.poll(verdict, { interval: 100 }).toBe('undecided')
    replica.resume()
    await expect.poll(verdict, { interval: 100 }).toBe('accepted')
  })

  it.each(Object.entries(SENTINEL_CLIENTS))(
    'a failover by a Sentinel, seen through %s, is 503 meanwhile, then it recovers, and finished events stay done',
    { timeout: 60_000 },
    async (_, connect) => {
      const { primary, replica } = await pair()
      const sentinel = await startSentinel(primary)
      onTestFinished(() => sentinel.close())
      const { listener, deliver } = hmacListener({ store: redisStore(await connect(sentinel.port)) })
      const done = await deliver()
      await (await acceptedEvent(done, listener)).commit()
      await expect.poll(async () => (await offsetOf(replica)) === (await offsetOf(primary))).toBe(true)
      await primary.kill()
      const verdict = async () =>
        outcome(await deliver(), listener).catch((error: unknown) => {
          expect(error).toBeInstanceOf(EventStoreError)
          return 'undecided'
        })
      expect(await verdict()).toBe('undecided')
      await expect.poll(verdict, { interval: 100 }).toBe('accepted')
      expect(await outcome(done, listener)).toBe('409 event_duplicate')
      expect(await replica.cli('ROLE')).toMatch(/^master/)
    },
  )
})
