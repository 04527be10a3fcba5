import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ClaimAnswer, EventKey } from '../../src/index.ts'
import { redisStore } from '../../src/stores/redis/store.ts'
import { eventStoreSuite } from '../../src/testing/index.ts'
import { CLUSTER_CLIENTS, type Connected } from '../support/redis-clients.ts'
import {
  onRedis,
  type RedisCluster,
  type RedisServer,
  startRedisCluster,
  WHY_NO_REDIS,
} from '../support/redis-server.ts'

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

const LEASE_MS = 60_000

/** A cluster of which one slot can be moved: every key of the stores is in it. */
class MovingSlot {
  readonly #source: RedisServer
  readonly #target: RedisServer
  readonly #nodes: readonly RedisServer[]
  readonly #slot: string
  readonly #ids: readonly string[]

  private constructor(nodes: readonly RedisServer[], slot: string, ids: readonly string[], owner: number) {
    const at = (index: number) => nodes[index % nodes.length] as RedisServer // there are three
    this.#source = at(owner)
    this.#target = at(owner + 1)
    this.#nodes = nodes
    this.#slot = slot
    this.#ids = [owner, owner + 1].map((index) => ids[index % nodes.length] ?? '')
  }

  static async of({ nodes }: RedisCluster, key: string): Promise<MovingSlot> {
    const slot = (await nodes[0]?.cli('CLUSTER', 'KEYSLOT', key)) ?? ''
    const ids = await Promise.all(nodes.map((node) => node.cli('CLUSTER', 'MYID')))
    const owner = Math.floor((Number(slot) * nodes.length) / 16_384)
    return new MovingSlot(nodes, slot, ids, owner)
  }

  async begin(): Promise<void> {
    const [source = '', target = ''] = this.#ids
    await this.#target.cli('CLUSTER', 'SETSLOT', this.#slot, 'IMPORTING', source)
    await this.#source.cli('CLUSTER', 'SETSLOT', this.#slot, 'MIGRATING', target)
  }

  /** Moves those of its keys whose names contain this text. */
  async move(part = ''): Promise<void> {
    const keys = (await this.#source.cli('CLUSTER', 'GETKEYSINSLOT', this.#slot, '1000')).split('\n')
    const chosen = keys.filter((key) => key !== '' && key.includes(part))
    if (chosen.length === 0) return
    const to = ['127.0.0.1', `${this.#target.port}`, '', '0', '5000', 'KEYS', ...chosen]
    expect(await this.#source.cli('MIGRATE', ...to)).toBe('OK')
  }

  async end(): Promise<void> {
    for (const node of [this.#target, this.#source, ...this.#nodes]) {
      await node.cli('CLUSTER', 'SETSLOT', this.#slot, 'NODE', this.#ids[1] ?? '')
    }
  }
}

describe.skipIf(WHY_NO_REDIS).each(['ioredis 6', 'node-redis 6'] as const)(
  onRedis('while a cluster moves the slot of its events: %s'),
  (name) => {
    let cluster: RedisCluster
    let connected: Connected
    beforeAll(async () => {
      cluster = await startRedisCluster()
      connected = await CLUSTER_CLIENTS[name](portsOf(cluster))
    })
    afterAll(async () => {
      await connected.close()
      await cluster.close()
    })
    const newKey = (): EventKey => ({ listenerId: 'L1', eventId: randomUUID() })

    it('layout plain answers as ever', async () => {
      const store = redisStore(connected.client, { prefix: '{moving}plain:' })
      const slot = await MovingSlot.of(cluster, '{moving}')
      const [done, leased, fresh] = [newKey(), newKey(), newKey()]
      await store.commit(done, 'a', LEASE_MS)
      await store.claim(leased, 'a', LEASE_MS)
      await slot.begin()
      for (const [key, answer] of [
        [done, 'done'],
        [leased, 'busy'],
        [fresh, 'acquired'],
        [fresh, 'busy'],
      ] satisfies [EventKey, ClaimAnswer][]) {
        expect(await store.claim(key, randomUUID(), LEASE_MS)).toBe(answer)
      }
      await slot.move(done.eventId)
      expect(await store.claim(done, 'b', LEASE_MS)).toBe('done')
      expect(await store.commit(leased, 'a', LEASE_MS)).toBe('committed')
      await slot.move()
      for (const key of [done, leased]) expect(await store.claim(key, 'b', LEASE_MS)).toBe('done')
      await slot.end()
      for (const key of [done, leased]) expect(await store.claim(key, 'b', LEASE_MS)).toBe('done')
      expect(await store.claim(fresh, 'b', LEASE_MS)).toBe('busy')
    })

    it('layout compact decides nothing until the slot has moved, and has forgotten nothing then', async () => {
      const store = redisStore(connected.client, { layout: 'compact', prefix: '{compact}:' })
      const slot = await MovingSlot.of(cluster, '{compact}')
      const [done, leased, fresh] = [newKey(), newKey(), newKey()]
      await store.commit(done, 'a', LEASE_MS)
      await store.claim(leased, 'a', LEASE_MS)
      await slot.begin()
      const decidesNothing = async () => {
        const asked = [done, leased, fresh].map((key) => store.claim(key, 'b', LEASE_MS))
        const committed = store.commit(leased, 'a', LEASE_MS)
        const answers = await Promise.allSettled([...asked, committed])
        expect(answers.map(({ status }) => status)).toEqual(Array(4).fill('rejected'))
      }
      await decidesNothing()
      await slot.move('lease')
      await decidesNothing()
      await slot.move()
      await decidesNothing()
      await slot.end()
      expect(await store.claim(done, 'b', LEASE_MS)).toBe('done')
      expect(await store.commit(leased, 'a', LEASE_MS)).toBe('committed')
      expect(await store.claim(fresh, 'b', LEASE_MS)).toBe('acquired')
    })
  },
)
