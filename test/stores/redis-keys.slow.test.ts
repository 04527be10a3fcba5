import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type RedisCommand, type RedisStoreOptions, redisStore } from '../../src/stores/redis/store.ts'
import { onRedis, type RedisServer, startRedis, WHY_NO_REDIS } from '../support/redis-server.ts'

const LEASE_MS = 60_000
const DAY_MS = 86_400_000
const WEEK_MS = 7 * DAY_MS
const MINUTE_MS = 60_000

const newKey = (listenerId = 'L1') => ({ listenerId, eventId: randomUUID() })

describe.skipIf(WHY_NO_REDIS)(onRedis('the keys in Redis'), () => {
  let server: RedisServer
  let redis: Redis
  beforeAll(async () => {
    server = await startRedis()
    redis = new Redis({ port: server.port, host: '127.0.0.1' })
  })
  beforeEach(() => redis.flushall())
  afterAll(async () => {
    redis.disconnect()
    await server.close()
  })
  const storeWith = (options?: RedisStoreOptions) => redisStore(redis, options)
  const onlyKey = async () => {
    const keys = await redis.keys('*')
    expect(keys).toHaveLength(1)
    return keys[0] ?? ''
  }

  it('the keys begin with the prefix, and services with different prefixes stay apart', async () => {
    const key = newKey()
    expect(await storeWith({ prefix: 'shop:' }).claim(key, 'a', LEASE_MS)).toBe('acquired')
    expect(await storeWith({ prefix: 'bank:' }).claim(key, 'b', LEASE_MS)).toBe('acquired')
    expect(await storeWith().claim(key, 'c', LEASE_MS)).toBe('acquired')
    const text = `2:L1:${key.eventId}`
    expect((await redis.keys('*')).toSorted()).toEqual([`bank:${text}`, `hookgate:${text}`, `shop:${text}`])
  })

  it('leases and buckets in layout compact begin with the prefix and the shard', async () => {
    const [leased, done] = [newKey(), newKey()]
    const store = storeWith({ prefix: 'shop:', layout: 'compact', shards: 1 })
    await store.claim(leased, 'a', LEASE_MS)
    await store.commit(done, 'a', WEEK_MS)
    expect((await redis.keys('*')).toSorted()).toEqual([
      expect.stringMatching(/^shop:\{0\}:done:L1:\d{5}$/),
      `shop:{0}:lease:2:L1:${leased.eventId}`,
    ])
  })

  it.each<[string, RedisStoreOptions]>([
    ['plain', {}],
    ['compact', { layout: 'compact' }],
  ])('the keys always have an expiry: %s', async (_, options) => {
    const store = storeWith(options)
    for (let event = 0; event < 20; event += 1) {
      const key = newKey()
      await store.claim(key, 'a', LEASE_MS)
      if (event % 2 === 1) await store.renew?.(key, 'a', 2 * LEASE_MS)
      if (event % 3 === 1) await store.commit(key, 'a', WEEK_MS)
      if (event % 3 === 2) await store.release(key, 'a')
      if (event % 4 === 3) await store.commit(newKey(), 'b', 30 * DAY_MS)
    }
    const keys = await redis.keys('*')
    expect(keys.length).toBeGreaterThan(10)
    for (const key of keys) {
      const leftMs = await redis.pttl(key)
      expect(leftMs).toBeGreaterThan(0)
      expect(leftMs).toBeLessThanOrEqual(30 * DAY_MS)
    }
  })

  it.each<[string, RedisStoreOptions]>([
    ['plain', {}],
    ['compact', { layout: 'compact' }],
  ])('a renewal changes the expiry of the lease, and nothing else: %s', async (_, options) => {
    const store = storeWith(options)
    const key = newKey()
    await store.claim(key, 'a', LEASE_MS)
    const [name, value] = [await onlyKey(), await redis.get(await onlyKey())]
    for (const leaseMs of [10 * LEASE_MS, LEASE_MS / 2]) {
      expect(await store.renew?.(key, 'a', leaseMs + 0.5)).toBe(true)
      const leftMs = await redis.pttl(name)
      expect(leftMs).toBeLessThanOrEqual(leaseMs + 1)
      expect(leftMs).toBeGreaterThan(leaseMs - 10_000)
    }
    expect(await store.renew?.(key, 'b', 10 * LEASE_MS)).toBe(false)
    expect(await redis.pttl(name)).toBeLessThanOrEqual(LEASE_MS)
    expect([await onlyKey(), await redis.get(name)]).toStrictEqual([name, value])
  })

  it.each<[string, RedisStoreOptions]>([
    ['plain', {}],
    ['compact', { layout: 'compact', retentionSeconds: 86_400 }],
  ])('a renewal leaves what is done alone, for however long it is kept: %s', async (_, options) => {
    const store = storeWith(options)
    const keys = [DAY_MS, WEEK_MS, 400 * DAY_MS].map((retentionMs) => ({ key: newKey(), retentionMs }))
    for (const { key, retentionMs } of keys) {
      await store.claim(key, 'a', LEASE_MS)
      await store.commit(key, 'a', retentionMs)
    }
    const ends = async () =>
      Promise.all((await redis.keys('*')).toSorted().map(async (key) => [key, await redis.pexpiretime(key)]))
    const before = await ends()
    for (const { key } of keys) expect(await store.renew?.(key, 'a', LEASE_MS)).toBe(false)
    expect(await ends()).toStrictEqual(before)
    for (const { key } of keys) expect(await store.claim(key, 'b', LEASE_MS)).toBe('done')
  })

  it('a full server still renews the leases of running handlers, although it takes no new event', async () => {
    const full = await startRedis('--maxmemory-policy', 'noeviction')
    const client = new Redis({ port: full.port, host: '127.0.0.1' })
    try {
      for (const store of [redisStore(client), redisStore(client, { layout: 'compact' })]) {
        const key = newKey()
        await full.cli('CONFIG', 'SET', 'maxmemory', '0')
        await store.claim(key, 'a', LEASE_MS)
        await full.cli('CONFIG', 'SET', 'maxmemory', '1mb')
        await expect(store.claim(newKey(), 'b', LEASE_MS)).rejects.toThrow('OOM')
        expect(await store.renew?.(key, 'a', 10 * LEASE_MS)).toBe(true)
        expect(await store.claim(key, 'b', LEASE_MS)).toBe('busy')
      }
    } finally {
      client.disconnect()
      await full.close()
    }
  })

  it("the keys expire by the server's clock, whatever the local time", async () => {
    const store = storeWith()
    const compact = storeWith({ layout: 'compact' })
    const key = newKey()
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      for (const each of [store, compact]) {
        await each.commit(key, 'a', WEEK_MS)
        vi.setSystemTime(Date.now() + 30 * DAY_MS)
        expect(await each.claim(key, 'b', LEASE_MS)).toBe('done')
      }
    } finally {
      vi.useRealTimers()
    }
  })

  it('a committed event in layout plain is done at 6 d 23 h 59 min, and new at 7 d', async () => {
    const store = storeWith()
    const key = newKey()
    await store.claim(key, 'a', LEASE_MS)
    await store.commit(key, 'a', WEEK_MS)
    const leftMs = await redis.pttl(await onlyKey())
    expect(leftMs).toBeGreaterThan(WEEK_MS - MINUTE_MS)
    expect(leftMs).toBeLessThanOrEqual(WEEK_MS)
    await redis.pexpire(await onlyKey(), MINUTE_MS)
    expect(await store.claim(key, 'b', LEASE_MS)).toBe('done')
    await redis.pexpire(await onlyKey(), 1)
    await sleep(5)
    expect(await store.claim(key, 'b', LEASE_MS)).toBe('acquired')
  })

  describe('in layout compact', () => {
    /** Makes the committed event some days older by renaming its bucket. */
    async function age(days: number, minutes = 0): Promise<void> {
      const [bucket = ''] = await redis.keys('*:done:*[0-9]')
      const [field = Buffer.of()] = await redis.hkeysBuffer(bucket)
      await redis.hincrby(bucket, field, -minutes * MINUTE_MS)
      await redis.rename(
        bucket,
        bucket.replace(/\d+$/, (day) => `${Number(day) - days}`),
      )
    }

    /** Runs the scripts as if the server's clock stood still at this time. */
    const atTime =
      (ms: number): RedisCommand =>
      ([command = '', script = '', ...rest]) =>
        redis.call(command, script.replace("redis.call('TIME')", `{${Math.floor(ms / 1000)}, 0}`), ...rest)

    it.each([
      ['done', '0 d', 0, 0],
      ['done', '6 d', 6, 0],
      ['done', '6 d 23 h 59 min', 7, -1],
      ['acquired', '7 d 0 h 1 min', 7, 1],
      ['acquired', '9 d', 9, 0],
    ])('a committed event is %s at %s', async (answer, _, days, minutes) => {
      const store = storeWith({ layout: 'compact' })
      const key = newKey()
      await store.claim(key, 'a', LEASE_MS)
      await store.commit(key, 'a', WEEK_MS)
      await age(days, minutes)
      expect(await store.claim(key, 'b', LEASE_MS)).toBe(answer)
      expect(await store.commit(key, 'b', WEEK_MS)).toBe(answer === 'done' ? 'already' : 'committed')
    })

    it.each([
      ['done', 7, 1],
      ['done', 7, 7],
      ['acquired', 7, 8],
      ['done', 30, 7],
      ['acquired', 30, 8],
      ['done', 366, 7],
      ['acquired', 366, 8],
    ])(
      "a committed event is %s, with a retention of %d days, when the server's clock was set back by %d",
      async (answer, days, daysBack) => {
        const store = storeWith({ layout: 'compact', retentionSeconds: days * 86_400 })
        const key = newKey()
        await store.commit(key, 'a', days * DAY_MS)
        await age(-daysBack)
        expect(await storeWith({ layout: 'compact' }).claim(key, 'b', LEASE_MS)).toBe(answer)
      },
    )

    it('a clock that was ten years ahead for a while costs the events of that while alone', async () => {
      const now = Date.now()
      const options = { layout: 'compact', shards: 1, retentionSeconds: 30 * 86_400 } as const
      const at = (ms: number) => redisStore(atTime(ms), options)
      const [before, during, after] = [newKey(), newKey(), newKey()]
      await at(now).commit(before, 'a', 30 * DAY_MS)
      await at(now + 3650 * DAY_MS).commit(during, 'a', 30 * DAY_MS)
      await at(now).commit(after, 'a', 20 * DAY_MS)
      for (const key of [before, after]) expect(await at(now).claim(key, 'b', LEASE_MS)).toBe('done')
      expect(await at(now).claim(during, 'b', LEASE_MS)).toBe('acquired')
    })

    it.each([8, 30, 366, 4000])(
      'without the day of the last bucket, a process finds what one of the same option remembers for %d days',
      async (days) => {
        const store = storeWith({ layout: 'compact', shards: 1, retentionSeconds: days * 86_400 })
        const key = newKey()
        await store.commit(key, 'a', DAY_MS)
        await age(1 - days) // as a version did that wrote no such day
        expect(await store.claim(key, 'b', LEASE_MS)).toBe('done')
        expect(await store.commit(key, 'b', DAY_MS)).toBe('already')
      },
    )

    it('a second before midnight, an event is done that was committed a second after it', async () => {
      const midnight = Math.ceil((Date.now() + MINUTE_MS) / DAY_MS) * DAY_MS
      const late = redisStore(atTime(midnight + 1000), { layout: 'compact' })
      const early = redisStore(atTime(midnight - 1000), { layout: 'compact' })
      const key = newKey()
      await late.claim(key, 'a', LEASE_MS)
      await late.commit(key, 'a', WEEK_MS)
      expect(await early.claim(key, 'b', LEASE_MS)).toBe('done')
      expect(await early.commit(key, 'b', WEEK_MS)).toBe('already')
    })

    it.each([
      [30, 7],
      [7, 30],
      [366, 1],
      [400, 1],
      [1, 400],
    ])('what a process remembers for %d days is done for one of %d days', async (days, otherDays) => {
      const store = storeWith({ layout: 'compact', retentionSeconds: days * 86_400 })
      const other = storeWith({ layout: 'compact', retentionSeconds: otherDays * 86_400 })
      const key = newKey()
      await store.claim(key, 'a', LEASE_MS)
      await store.commit(key, 'a', days * DAY_MS)
      expect(await other.claim(key, 'b', LEASE_MS)).toBe('done')
      expect(await other.commit(key, 'b', otherDays * DAY_MS)).toBe('already')
    })

    it.each([
      ['in a bucket', 7, ['done']],
      ['in a bucket, beside the day of the last one,', 8, ['done', 'done']],
      ['in a bucket, beside the day of the last one,', 366, ['done', 'done']],
      ["in the lease's key", 367, ['lease']],
    ])('an event is kept %s for %d days', async (_, days, names) => {
      const store = storeWith({ layout: 'compact', retentionSeconds: 400 * 86_400 })
      await store.commit(newKey(), 'a', days * DAY_MS)
      expect((await redis.keys('*')).map((key) => /done|lease/.exec(key)?.[0])).toEqual(names)
    })

    it('the day of the last bucket is kept as long as that bucket, whatever is committed later', async () => {
      const store = storeWith({ layout: 'compact', shards: 1, retentionSeconds: 30 * 86_400 })
      for (const days of [10, 30, 7, 20]) await store.commit(newKey(), 'a', days * DAY_MS)
      const ends = await Promise.all((await redis.keys('*')).map((key) => redis.pexpiretime(key)))
      const far = await redis.pexpiretime('hookgate:{0}:done:L1:far')
      expect(Math.abs(Math.max(...ends) - far)).toBeLessThan(1000)
      expect(await redis.get('hookgate:{0}:done:L1:far')).toBe(`${Math.floor(Date.now() / DAY_MS) + 30}`)
    })

    it('a bucket expires when the last day of its events ends, at most a day after its last event', async () => {
      const store = storeWith({ layout: 'compact', shards: 1 })
      for (let event = 0; event < 10; event += 1) await store.commit(newKey(), 'a', WEEK_MS)
      const endsAt = await redis.pexpiretime(await onlyKey())
      expect(endsAt % DAY_MS).toBe(0)
      const leftMs = await redis.pttl(await onlyKey())
      expect(leftMs).toBeGreaterThan(WEEK_MS - MINUTE_MS)
      expect(leftMs).toBeLessThanOrEqual(WEEK_MS + DAY_MS)
    })

    it('an event takes at most 30 bytes', async () => {
      const store = storeWith({ layout: 'compact', shards: 8 })
      const events = Array.from({ length: 2000 }, () => newKey())
      await Promise.all(events.map((key) => store.commit(key, 'a', WEEK_MS)))
      const buckets = await redis.keys('*')
      expect(buckets).toHaveLength(8)
      const bytes = await Promise.all(buckets.map((bucket) => redis.memory('USAGE', bucket, 'SAMPLES', 0)))
      const total = bytes.reduce<number>((sum, each) => sum + Number(each), 0)
      expect(total / events.length).toBeLessThan(30)
      for (const key of events) expect(await store.claim(key, 'b', LEASE_MS)).toBe('done')
    })

    it("a retention longer than that of the layout is kept in the lease's key", async () => {
      const store = storeWith({ layout: 'compact', retentionSeconds: 2 * 86_400 })
      const [long, short] = [newKey(), newKey()]
      expect(await store.commit(long, 'a', 3 * DAY_MS)).toBe('committed')
      expect(await redis.pttl(await onlyKey())).toBeGreaterThan(3 * DAY_MS - MINUTE_MS)
      expect(await store.commit(short, 'a', 2 * DAY_MS)).toBe('committed')
      for (const key of [long, short]) {
        expect(await store.claim(key, 'b', LEASE_MS)).toBe('done')
        expect(await store.commit(key, 'b', DAY_MS)).toBe('already')
      }
    })
  })
})
