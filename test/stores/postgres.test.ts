import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventStoreSuite, type StoreFixture } from '../../src/testing/index.ts'
import { type PostgresClient, postgresStore } from '../../stores/postgres.ts'
import { onPostgres, PostgresServer, WHY_NO_POSTGRES } from '../support/postgres-server.ts'

const LEASE_MS = 60_000

/** One store a case on a client that all cases share. Time is the server's: to advance it, the records are made older. */
function fixture(client: PostgresClient, query: (text: string) => PromiseLike<unknown>): StoreFixture {
  return {
    store: postgresStore(client),
    advance: (ms) =>
      query(`UPDATE hookgate_events SET expires_at = expires_at - ${ms} * interval '1 millisecond'`).then(),
  }
}

describe.skipIf(WHY_NO_POSTGRES)(onPostgres('keeps the contract of every store'), () => {
  let server: PostgresServer
  let pool: pg.Pool
  let sql: postgres.Sql

  beforeAll(async () => {
    server = await PostgresServer.start()
    pool = new pg.Pool(server.address)
    sql = postgres(server.address)
    await postgresStore(pool).migrate()
  })

  afterAll(async () => {
    await Promise.all([pool?.end(), sql?.end()])
    await server?.remove()
  })

  const age = (text: string) => pool.query(text)

  describe("on pg's Pool", () => {
    eventStoreSuite(it, () => fixture(pool, age))
  })

  describe('on postgres.js', () => {
    eventStoreSuite(it, () => fixture(sql, age))
  })

  describe('on a client like neon(), which answers with the rows and has an unsafe() that runs nothing', () => {
    eventStoreSuite(it, () => {
      const query = async (text: string, values: string[]) => (await pool.query(text, values)).rows
      return fixture(
        Object.assign(() => {}, { query, unsafe: (raw: string) => ({ raw }) }),
        age,
      )
    })
  })

  describe('under SERIALIZABLE, where statements fail that would wait elsewhere', () => {
    let strict: pg.Pool
    beforeAll(() => {
      strict = new pg.Pool({ ...server.address, options: '-c default_transaction_isolation=serializable' })
    })
    afterAll(() => strict?.end())
    eventStoreSuite(it, () => fixture(strict, age))
  })
})

describe('keeps the contract of every store on PGlite, where statements queue', () => {
  let db: PGlite
  beforeAll(async () => {
    db = new PGlite()
    await postgresStore(db).migrate()
  })
  afterAll(() => db?.close())
  eventStoreSuite(it, () => fixture(db, (text) => db.query(text)))

  it('and with(tx) takes the transaction that PGlite hands over', async () => {
    const store = postgresStore(db)
    const key = { listenerId: 'orders', eventId: crypto.randomUUID() }
    await db.transaction(async (tx) => {
      expect(await store.with(tx).claim(key, 'a', LEASE_MS)).toBe('acquired')
      await tx.rollback()
    })
    await db.transaction(async (tx) => {
      expect(await store.with(tx).claim(key, 'b', LEASE_MS)).toBe('acquired')
    })
    expect(await store.claim(key, 'c', LEASE_MS)).toBe('busy')
  })
})
