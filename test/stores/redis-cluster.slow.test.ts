import { afterAll, beforeAll, describe, it } from 'vitest'
import { redisStore } from '../../src/stores/redis/store.ts'
import { eventStoreSuite } from '../../src/testing/index.ts'
import { CLUSTER_CLIENTS, type Connected } from '../support/redis-clients.ts'
import { onRedis, type RedisCluster, startRedisCluster, WHY_NO_REDIS } from '../support/redis-server.ts'

const portsOf = ({ nodes }: RedisCluster) => nodes.map(({ port }) => port)

describe.skipIf(WHY_NO_REDIS)(onRedis('on a cluster of three'), { concurrent: true }, () => {
  let cluster: RedisCluster
  beforeAll(async () => {
    cluster = await startRedisCluster()
  })
  afterAll(() => cluster.close())

  describe.each(Object.entries(CLUSTER_CLIENTS))('the contract of every store, by %s', (_, connect) => {
    let connected: Connected
    beforeAll(async () => {
      connected = await connect(portsOf(cluster))
    })
    afterAll(() => connected.close())
    eventStoreSuite(it, () => redisStore(connected.client))
  })

  describe.each(['ioredis 6', 'node-redis 6'] as const)('compact: %s', (name) => {
    let connected: Connected
    beforeAll(async () => {
      connected = await CLUSTER_CLIENTS[name](portsOf(cluster))
    })
    afterAll(() => connected.close())
    eventStoreSuite(it, () => redisStore(connected.client, { layout: 'compact' }))
  })
})
