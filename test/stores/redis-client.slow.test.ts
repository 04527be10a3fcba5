import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EventStoreError, ListenerConfigError } from '../../src/index.ts'
import { type RedisClient, type RedisStoreOptions, redisStore } from '../../src/stores/redis/store.ts'
import { eventStoreSuite } from '../../src/testing/index.ts'
import { onRedis, type RedisServer, startRedis, WHY_NO_REDIS } from '../support/redis-server.ts'
import { bunStandIn, bytesOver, functionOver, glideStandIn } from '../support/redis-stand-ins.ts'
import { connectUpstash } from '../support/upstash-front.ts'

const KEY = { listenerId: 'L1', eventId: '7f1d3c5e-0a4b-4c8d-9e2f-000000000001' }

describe.skipIf(WHY_NO_REDIS)(onRedis('the contract of every store'), { concurrent: true }, () => {
  let server: RedisServer
  let redis: Redis
  let upstash: Awaited<ReturnType<typeof connectUpstash>>
  beforeAll(async () => {
    server = await startRedis()
    redis = new Redis({ port: server.port, host: '127.0.0.1' })
    upstash = await connectUpstash(redis)
  })
  afterAll(async () => {
    await upstash.close()
    redis.disconnect()
    await server.close()
  })

  describe.each<[string, () => RedisClient]>([
    ["Valkey GLIDE's shape, over ioredis", () => glideStandIn(redis)],
    ["Bun's shape, over ioredis", () => bunStandIn(redis)],
    ['Upstash, through a REST front', () => upstash.client],
    ['a function, over ioredis', () => functionOver(redis)],
    ['replies in bytes', () => bytesOver(redis)],
  ])('%s', (_, client) => {
    eventStoreSuite(it, () => redisStore(client()))
  })
})

/** A client that records its calls. */
function noting(reply: unknown) {
  const asked: unknown[][] = []
  const note = async (...words: unknown[]) => {
    asked.push(words)
    return reply
  }
  return { asked, note }
}

describe('which client it is', () => {
  it('a client is found by a method that only it has, because ioredis and node-redis share names with other meanings', async () => {
    const wrong = () => Promise.reject(new Error('the wrong method was called'))
    const { asked, note } = noting('acquired')
    for (const client of [
      { call: note, sendCommand: wrong, eval: wrong },
      { customCommand: note, eval: wrong },
      { sendCommand: wrong, eval: note },
      { send: note },
      { eval: note },
    ]) {
      expect(await redisStore(client).claim(KEY, 'me', 1000)).toBe('acquired')
    }
    const script = expect.stringContaining('redis.call')
    const key = `hookgate:2:L1:${KEY.eventId}`
    expect(asked).toEqual([
      ['EVAL', script, '1', key, 'p:me', '1000'],
      [['EVAL', script, '1', key, 'p:me', '1000']],
      [script, { keys: [key], arguments: ['p:me', '1000'] }],
      ['EVAL', [script, '1', key, 'p:me', '1000']],
      [script, [key], ['p:me', '1000']],
    ])
  })

  it("a function gets the command's words, and the key for routing in a cluster", async () => {
    const { asked, note } = noting('acquired')
    await redisStore(note, { prefix: 'p:' }).claim(KEY, 'me', 1000)
    const key = `p:2:L1:${KEY.eventId}`
    expect(asked).toEqual([[['EVAL', expect.any(String), '1', key, 'p:me', '1000'], key]])
  })

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a URL', 'redis://localhost'],
    ['an empty object', {}],
    ['another database', { query() {} }],
    ['an incomplete node-redis client', { sendCommand() {} }],
    ['members that are not functions', { call: 'EVAL', eval: true }],
  ])('redisStore throws for %s, and names the clients that it knows', (_, client) => {
    // The types forbid this, but JavaScript allows it.
    const create = () => redisStore(client as unknown as RedisClient)
    expect(create).toThrow(ListenerConfigError)
    expect(create).toThrow(/client: .*ioredis.*node-redis.*GLIDE.*Bun.*Upstash.*function/)
  })
})

describe('a reply outside the contract', () => {
  it.each([undefined, null, '', 'OK', 1, true, 'Acquired', ['acquired'], {}, Buffer.from('nonsense')])(
    '%j: every verb rejects',
    async (reply) => {
      const store = redisStore(async () => reply)
      await expect(store.claim(KEY, 'a', 1000)).rejects.toThrow(EventStoreError)
      await expect(store.commit(KEY, 'a', 1000)).rejects.toThrow(EventStoreError)
      await expect(store.release(KEY, 'a')).rejects.toThrow(EventStoreError)
      await expect(store.renew?.(KEY, 'a', 1000)).rejects.toThrow(EventStoreError)
      await expect(store.check()).rejects.toThrow(EventStoreError)
    },
  )

  it('an answer of another verb is refused too', async () => {
    await expect(redisStore(async () => 'committed').claim(KEY, 'a', 1000)).rejects.toThrow(EventStoreError)
    await expect(redisStore(async () => 'acquired').commit(KEY, 'a', 1000)).rejects.toThrow(EventStoreError)
    await expect(redisStore(async () => 'released').renew?.(KEY, 'a', 1000)).rejects.toThrow(EventStoreError)
  })
})

describe('options', () => {
  it.each<[string, object]>([
    ['prefix', { prefix: 7 }],
    ['prefix', { prefix: '\ud800' }],
    ['layout', { layout: 'small' }],
    ['retentionSeconds', { retentionSeconds: 600 }],
    ['retentionSeconds', { layout: 'compact', retentionSeconds: 0 }],
    ['shards', { shards: 64 }],
    ['shards', { layout: 'compact', shards: 0.5 }],
    ['ttl', { ttl: 600 }],
  ])('%s: %j is refused', (option, options: RedisStoreOptions) => {
    const create = () => redisStore(async () => 'acquired', options)
    expect(create).toThrow(ListenerConfigError)
    expect(create).toThrow(new RegExp(`^${option}: `))
  })
})
