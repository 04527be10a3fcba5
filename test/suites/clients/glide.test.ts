import { GlideClient, GlideClusterClient } from '@valkey/valkey-glide'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { EventStoreError } from '../../../src/errors.ts'
import { verify } from '../../../src/index.ts'
import { redisStore } from '../../../src/stores/redis/store.ts'
import { eventStoreSuite } from '../../../src/testing/index.ts'
import { hmacListener } from '../../support/hmac-listener.ts'
import { outcome } from '../../support/outcome.ts'
import {
  type RedisCluster,
  type RedisServer,
  startRedis,
  startRedisCluster,
} from '../../support/redis-server.ts'

const addressOf = ({ port }: RedisServer) => ({ host: '127.0.0.1', port })

describe('Valkey GLIDE on one server', { concurrent: true }, () => {
  let server: RedisServer
  let client: GlideClient
  beforeAll(async () => {
    server = await startRedis('--appendonly', 'yes')
    client = await GlideClient.createClient({ addresses: [addressOf(server)] })
  })
  afterAll(async () => {
    client?.close()
    await server?.close()
  })

  describe('the contract of every store', () => {
    eventStoreSuite(it, () => redisStore(client))
  })

  describe('the contract in layout compact', () => {
    eventStoreSuite(it, () => redisStore(client, { layout: 'compact' }))
  })

  it('check() finds nothing if all is well', async () => {
    expect(await redisStore(client).check()).toStrictEqual([])
  })
})

describe('Valkey GLIDE on a cluster', () => {
  let cluster: RedisCluster
  let client: GlideClusterClient
  beforeAll(async () => {
    cluster = await startRedisCluster('--maxmemory', '50mb', '--maxmemory-policy', 'allkeys-lru')
    client = await GlideClusterClient.createClient({ addresses: cluster.nodes.map(addressOf) })
  })
  afterAll(async () => {
    client?.close()
    await cluster?.close()
  })

  describe('the contract of every store', () => {
    eventStoreSuite(it, () => redisStore(client))
  })

  describe('the contract in layout compact', () => {
    eventStoreSuite(it, () => redisStore(client, { layout: 'compact' }))
  })

  it('check() meets every node', async () => {
    const evicting = (await redisStore(client).check()).filter(({ problem }) => /allkeys-lru/.test(problem))
    expect(evicting).toHaveLength(3)
  })
})

describe('Valkey GLIDE on a server that is paused', () => {
  async function pausedDelivery(requestTimeout?: number) {
    const server = await startRedis()
    onTestFinished(() => server.close())
    const timeout = requestTimeout === undefined ? {} : { requestTimeout }
    const client = await GlideClient.createClient({ addresses: [addressOf(server)], ...timeout })
    onTestFinished(() => client.close())
    const store = redisStore(client)
    const { listener, deliver } = hmacListener({ store, storeTimeoutSeconds: 0.5, leaseSeconds: 5 })
    expect(await outcome(await deliver(), listener)).toBe('accepted')
    server.pause()
    const delivery = await deliver()
    await expect(verify(delivery, listener)).rejects.toThrow(EventStoreError)
    server.resume()
    return () => outcome(delivery, listener).catch(() => 'undecided')
  }

  it('a late claim is released if GLIDE waits longer than the listener', async () => {
    const retry = await pausedDelivery(30_000)
    await expect.poll(retry).toBe('accepted')
  })

  it("a claim with GLIDE's own 250 ms is not released, and the event runs when its lease has lapsed", async () => {
    const retry = await pausedDelivery()
    await expect.poll(retry).toBe('503 event_in_progress')
    await expect.poll(retry, { interval: 250 }).toBe('accepted')
  })
})
