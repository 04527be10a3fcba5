import { Redis } from 'ioredis'
import Libsql from 'libsql'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { EventStore } from '../../src/index.ts'
import { dynamodbStore } from '../../src/stores/dynamodb/store.ts'
import { withLocalCache } from '../../src/stores/local-cache.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { postgresStore } from '../../src/stores/postgres/store.ts'
import { redisStore } from '../../src/stores/redis/store.ts'
import { sqliteStore } from '../../src/stores/sqlite/store.ts'
import { fakeClock } from '../support/clock.ts'
import { DynamodbServer } from '../support/dynamodb-server.ts'
import { onPostgres, PostgresServer, WHY_NO_POSTGRES } from '../support/postgres-server.ts'
import { onRedis, startRedis, WHY_NO_REDIS } from '../support/redis-server.ts'

const LEASE_MS = 60_000
const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

/** One engine that all stores share, as deployments do. */
interface Engine {
  open(): EventStore
  /** Writes that an event was done by its claim, as before the first release, when a record that was done could have an owner. */
  claimForGood?(eventId: string, milliseconds: number): unknown
  /** Makes all records this much older. Less than 0: as if the engine's clock had been set back. */
  age(milliseconds: number): Promise<unknown>
  close(): unknown
}

async function redis(): Promise<Engine> {
  const server = await startRedis()
  const client = new Redis({ port: server.port, host: '127.0.0.1' })
  return {
    open: () => redisStore(client),
    claimForGood: (eventId, milliseconds) =>
      client.set(`hookgate:2:L1:${eventId}`, 'd:owner', 'PX', milliseconds),
    age: async (milliseconds) => {
      for (const key of await client.keys('*'))
        await client.pexpire(key, (await client.pttl(key)) - milliseconds)
    },
    close: () => Promise.all([client.disconnect(), server.close()]),
  }
}

async function postgres(): Promise<Engine> {
  const server = await PostgresServer.start()
  const pool = new pg.Pool(server.address)
  await postgresStore(pool).migrate()
  return {
    open: () => postgresStore(pool),
    claimForGood: (eventId, milliseconds) =>
      pool.query(
        `INSERT INTO hookgate_events (event_id, listener_id, expires_at, done, owner)
         VALUES ($1, 'L1', clock_timestamp() + ${milliseconds} * interval '1 millisecond', TRUE, 'owner')`,
        [eventId],
      ),
    age: (milliseconds) =>
      pool.query(
        `UPDATE hookgate_events SET expires_at = expires_at - ${milliseconds} * interval '1 millisecond'`,
      ),
    close: () => pool.end().then(() => server.remove()),
  }
}

async function sqlite(): Promise<Engine> {
  const db = new Libsql(':memory:')
  await sqliteStore(db).migrate()
  return {
    open: () => sqliteStore(db),
    claimForGood: (eventId, milliseconds) =>
      db
        .prepare("INSERT INTO hookgate_events VALUES ('L1', ?, 'owner', 1, unixepoch() * 1000 + ?)")
        .run(eventId, milliseconds),
    age: async (milliseconds) =>
      db.exec(`UPDATE hookgate_events SET expires_at = expires_at - ${milliseconds}`),
    close: () => db.close(),
  }
}

async function dynamodb(): Promise<Engine> {
  const server = await DynamodbServer.start()
  await dynamodbStore(server.client()).migrate()
  let aheadMs = 0
  const clock = { now: () => Date.now() + aheadMs }
  return {
    open: () => dynamodbStore(server.client(), { clock }),
    claimForGood: (eventId, milliseconds) =>
      server.client().putItem({
        TableName: 'hookgate_events',
        Item: {
          event_key: { S: `2:L1:${eventId}` },
          held_by: { S: 'owner' },
          is_done: { BOOL: true },
          lapses_at: { N: `${clock.now() + milliseconds}` },
        },
      }),
    age: async (milliseconds) => {
      aheadMs += milliseconds
    },
    close: () => server.close(),
  }
}

async function memory(): Promise<Engine> {
  const clock = fakeClock()
  const store = memoryStore({ clock })
  return { open: () => store, age: async (milliseconds) => clock.advance(milliseconds), close: () => {} }
}

const ENGINES: readonly [name: string, start: () => Promise<Engine>, whyNot?: string | undefined][] = [
  [onRedis('Redis'), redis, WHY_NO_REDIS],
  [onPostgres('Postgres'), postgres, WHY_NO_POSTGRES],
  ['SQLite', sqlite],
  ['DynamoDB', dynamodb],
  ['memory', memory],
]

const newKey = () => ({ listenerId: 'L1', eventId: crypto.randomUUID() })

describe.each(ENGINES)('two deployments on %s', (_, start, whyNot) => {
  let engine: Engine
  beforeAll(async () => {
    if (whyNot === undefined) engine = await start()
  })
  afterAll(() => engine?.close())

  /** Each looks for an event of the other, on all days. */
  async function expectRemembered(key: ReturnType<typeof newKey>, days: number, ...stores: EventStore[]) {
    const answers = async () => {
      const seen = new Set<string>()
      for (const store of stores) seen.add(await store.claim(key, crypto.randomUUID(), LEASE_MS))
      return [...seen]
    }
    expect(await answers()).toEqual(['done'])
    await engine.age(days * DAY_MS - MINUTE_MS)
    expect(await answers()).toEqual(['done'])
    await engine.age(-10 * DAY_MS)
    expect(await answers()).toEqual(['done'])
    await engine.age(10 * DAY_MS + 2 * MINUTE_MS)
    expect((await answers())[0]).toBe('acquired')
  }

  it.skipIf(whyNot).each([
    [7, 30],
    [30, 7],
  ])(
    'an event is remembered for the retention of its commit: %d days, the other having %d',
    async (days, otherDays) => {
      const [store, other] = [engine.open(), engine.open()]
      const [key, theirs] = [newKey(), newKey()]
      await other.commit(theirs, 'b', otherDays * DAY_MS)
      await store.claim(key, 'a', LEASE_MS)
      await store.commit(key, 'a', days * DAY_MS)
      expect(await other.commit(key, 'b', otherDays * DAY_MS)).toBe('already')
      await expectRemembered(key, days, store, other, withLocalCache(other))
    },
  )

  it.skipIf(whyNot)('a lease lasts at least its time if the clock is set back', async () => {
    const [store, other] = [engine.open(), engine.open()]
    const key = newKey()
    await store.claim(key, 'a', LEASE_MS)
    await engine.age(-DAY_MS)
    expect(await other.claim(key, 'b', LEASE_MS)).toBe('busy')
    expect(await store.commit(key, 'a', DAY_MS)).toBe('committed')
  })

  it.skipIf(whyNot)('an event that its claim marked as done stays a duplicate for its 7 days', async () => {
    if (!engine.claimForGood) return // memory
    const store = engine.open()
    const key = newKey()
    await engine.claimForGood(key.eventId, 7 * DAY_MS)
    expect(await store.commit(key, 'b', DAY_MS)).toBe('already')
    expect(await store.release(key, 'owner')).toBe(false)
    expect(await store.renew?.(key, 'owner', LEASE_MS)).toBe(false)
    await expectRemembered(key, 7, store, engine.open())
  })
})
