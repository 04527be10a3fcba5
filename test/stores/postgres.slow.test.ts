import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresClient, postgresStore } from '../../src/stores/postgres/store.ts'
import { eventStoreSuite, type StoreFixture } from '../../src/testing/index.ts'
import { expectAnyId } from '../support/any-id.ts'
import { connectNeon, type NeonClients } from '../support/neon-front.ts'
import { onPostgres, PostgresServer, WHY_NO_POSTGRES } from '../support/postgres-server.ts'

const LEASE_MS = 60_000

/**
 * One store per case, on a client that all cases share. The server keeps the time, so a case makes its records older
 * instead.
 */
function fixture(client: PostgresClient, query: (text: string) => PromiseLike<unknown>): StoreFixture {
  return {
    store: postgresStore(client),
    advance: (ms) =>
      query(`UPDATE hookgate_events SET expires_at = expires_at - ${ms} * interval '1 millisecond'`).then(),
  }
}

describe.skipIf(WHY_NO_POSTGRES)(onPostgres('the contract of every store'), () => {
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

    it('the store takes any ID, as verify() maps it, in a transaction too', async () => {
      const store = postgresStore(pool)
      await expectAnyId(store)
      const tx = await pool.connect()
      for (const eventId of ['', 'é', 'evt_1', 'x'.repeat(1000)]) {
        const key = { listenerId: `é\\ ${crypto.randomUUID()}`, eventId }
        await store.claim(key, 'a', LEASE_MS)
        await tx.query('BEGIN')
        expect(await store.commitIn?.(tx, key, 'a', LEASE_MS)).toBe('committed')
        await tx.query('COMMIT')
        expect(await store.claim(key, 'a', LEASE_MS)).toBe('done')
      }
      tx.release()
    })
  })

  describe('on postgres.js', () => {
    eventStoreSuite(it, () => fixture(sql, age))
  })

  describe('on neon() and its Pool, through a front', () => {
    let neon: NeonClients
    beforeAll(async () => {
      neon = await connectNeon(server)
    })
    afterAll(() => neon?.close())

    describe('over HTTP', () => {
      eventStoreSuite(it, () => fixture(neon.http, age))
    })

    describe('over a WebSocket', () => {
      eventStoreSuite(it, () => fixture(neon.pool, age))
    })

    it('a failed statement gives the reason, as on the others', async () => {
      const nowhere = { table: 'nowhere' }
      const key = { listenerId: 'orders', eventId: crypto.randomUUID() }
      await expect(postgresStore(neon.http, nowhere).claim(key, 'a', LEASE_MS)).rejects.toThrow(/migrate\(\)/)
      await expect(postgresStore(neon.pool, nowhere).claim(key, 'a', LEASE_MS)).rejects.toThrow(/migrate\(\)/)
    })

    it('commitIn(tx) accepts a client of its Pool, but neither the Pool nor neon()', async () => {
      const store = postgresStore(neon.http)
      const key = { listenerId: 'orders', eventId: crypto.randomUUID() }
      const over = (client: object) => store.commitIn?.(client, key, 'a', LEASE_MS)
      await expect(over(neon.http)).rejects.toThrow(
        /^tx: is neon's HTTP client, .* use a client of neon's Pool/,
      )
      await expect(over(neon.pool)).rejects.toThrow(/^tx: .* not a pool/)
      await store.claim(key, 'a', LEASE_MS)
      const tx = await neon.pool.connect()
      await tx.query('BEGIN')
      expect(await store.commitIn?.(tx, key, 'a', LEASE_MS)).toBe('committed')
      await tx.query('ROLLBACK')
      expect(await store.claim(key, 'a', LEASE_MS)).toBe('acquired')
      await tx.query('BEGIN')
      expect(await store.commitIn?.(tx, key, 'a', LEASE_MS)).toBe('committed')
      await tx.query('COMMIT')
      tx.release()
      expect(await store.claim(key, 'b', LEASE_MS)).toBe('done')
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

describe('the contract of every store on PGlite, where statements queue', () => {
  let db: PGlite
  beforeAll(async () => {
    db = new PGlite()
    await postgresStore(db).migrate()
  }, 60_000) // it compiles a whole Postgres first
  afterAll(() => db?.close())
  eventStoreSuite(it, () => fixture(db, (text) => db.query(text)))

  it("commitIn(tx) accepts PGlite's transaction", async () => {
    const store = postgresStore(db)
    const key = { listenerId: 'orders', eventId: crypto.randomUUID() }
    await store.claim(key, 'a', LEASE_MS)
    await db.transaction(async (tx) => {
      expect(await store.commitIn?.(tx, key, 'a', LEASE_MS)).toBe('committed')
      await tx.rollback()
    })
    expect(await store.claim(key, 'a', LEASE_MS)).toBe('acquired')
    await db.transaction(async (tx) => {
      expect(await store.commitIn?.(tx, key, 'a', LEASE_MS)).toBe('committed')
    })
    expect(await store.claim(key, 'b', LEASE_MS)).toBe('done')
    await expect(store.commitIn?.(db, key, 'c', LEASE_MS)).rejects.toThrow(/^tx: .*open transaction/)
  })
})
