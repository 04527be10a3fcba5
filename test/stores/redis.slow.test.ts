import { afterAll, beforeAll, describe, it } from 'vitest'
import { redisStore } from '../../src/stores/redis/store.ts'
import { eventStoreSuite } from '../../src/testing/index.ts'
import { expectAnyId } from '../support/any-id.ts'
import { type Connected, SINGLE_CLIENTS } from '../support/redis-clients.ts'
import { onRedis, type RedisServer, startRedis, WHY_NO_REDIS } from '../support/redis-server.ts'

describe.skipIf(WHY_NO_REDIS)(onRedis('on one server'), { concurrent: true }, () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await startRedis()
  })
  afterAll(() => server.close())

  describe.each(Object.entries(SINGLE_CLIENTS))('the contract of every store, by %s', (_, connect) => {
    let connected: Connected
    let another: Connected
    beforeAll(async () => {
      ;[connected, another] = await Promise.all([connect(server.port), connect(server.port)])
    })
    afterAll(() => Promise.all([connected.close(), another.close()]))
    eventStoreSuite(it, () => ({ store: redisStore(connected.client), other: redisStore(another.client) }))
    it('the store takes any ID, as verify() maps it', () => expectAnyId(redisStore(connected.client)))
  })

  describe('the contract of every store, compact', () => {
    let connected: Connected
    beforeAll(async () => {
      connected = await SINGLE_CLIENTS['ioredis 6'](server.port)
    })
    afterAll(() => connected.close())
    eventStoreSuite(it, () => redisStore(connected.client, { layout: 'compact' }))
    it('the store takes any ID, as verify() maps it', () =>
      expectAnyId(redisStore(connected.client, { layout: 'compact' })))
  })
})
