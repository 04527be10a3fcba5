import pg, { type PoolClient } from 'pg'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { EventStoreError } from '../../src/index.ts'
import { type PostgresStore, postgresStore } from '../../src/stores/postgres/store.ts'
import { hmacListener } from '../support/hmac-listener.ts'
import { acceptedEvent, outcome } from '../support/outcome.ts'
import { onPostgres, PostgresServer, WHY_NO_POSTGRES } from '../support/postgres-server.ts'

const LEASE_MS = 60_000
const RETENTION_MS = 604_800_000

const keyOf = () => ({ listenerId: 'orders', eventId: crypto.randomUUID() })

describe.skipIf(WHY_NO_POSTGRES)(onPostgres('store.with(tx)'), () => {
  let server: PostgresServer
  let pool: pg.Pool
  let store: PostgresStore

  beforeAll(async () => {
    server = await PostgresServer.start()
    pool = new pg.Pool({ ...server.address, max: 20 })
    store = postgresStore(pool)
    await store.migrate()
    await pool.query('CREATE TABLE effects (event_id uuid)')
  })

  afterAll(async () => {
    await pool?.end()
    await server?.remove()
  })

  /** An open transaction. It is rolled back after the test in any case. */
  async function begin(how = ''): Promise<PoolClient> {
    const client = await pool.connect()
    onTestFinished(async () => {
      await client.query('ROLLBACK').catch(() => {})
      client.release()
    })
    await client.query(`BEGIN ${how}`)
    return client
  }

  async function effects(eventId: string): Promise<number | null> {
    return (await pool.query('SELECT FROM effects WHERE event_id = $1', [eventId])).rowCount
  }

  /** Resolves when this many statements wait for a lock. */
  async function untilWaiting(statements: number): Promise<void> {
    for (;;) {
      const { rows } = await pool.query(
        "SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE wait_event_type = 'Lock'",
      )
      if (rows[0]?.waiting === statements) return
    }
  }

  /** Claims an event in a transaction. Returns the answer to a second claim that came while the first was open. */
  async function secondClaim(end: 'COMMIT' | 'ROLLBACK', single = false): Promise<string> {
    const chosen = single ? postgresStore(pool, { mode: 'single' }) : store
    const key = keyOf()
    const [first, second] = [await begin(), await begin()]
    expect(await chosen.with(first).claim(key, 'a', LEASE_MS)).toBe('acquired')
    const waiting = chosen.with(second).claim(key, 'b', LEASE_MS)
    await untilWaiting(1)
    await first.query(end)
    return waiting
  }

  it('a second claim waits for the transaction of the first: after COMMIT it is busy', async () => {
    expect(await secondClaim('COMMIT')).toBe('busy')
    expect(await secondClaim('COMMIT', true)).toBe('busy')
  })

  it('a second claim waits for the transaction of the first: after ROLLBACK it is acquired', async () => {
    expect(await secondClaim('ROLLBACK')).toBe('acquired')
    expect(await secondClaim('ROLLBACK', true)).toBe('acquired')
  })

  it('claims outside any transaction wait as well, and one of them gets the event after a ROLLBACK', async () => {
    const key = keyOf()
    const tx = await begin()
    await store.with(tx).claim(key, 'a', LEASE_MS)
    const claims = Array.from({ length: 8 }, (_, racer) => store.claim(key, `${racer}`, LEASE_MS))
    await untilWaiting(8)
    await tx.query('ROLLBACK')
    const answers = await Promise.all(claims)
    expect(answers.toSorted()).toStrictEqual(['acquired', ...Array(7).fill('busy')])
  })

  it.each(['two-phase', 'single'] as const)(
    'record and effect in %s mode exist together or not at all',
    async (mode) => {
      const chosen = postgresStore(pool, { mode })
      const key = keyOf()
      const attempt = async (end: 'COMMIT' | 'ROLLBACK') => {
        const tx = await begin()
        const owner = crypto.randomUUID()
        const answer = await chosen.with(tx).claim(key, owner, LEASE_MS)
        if (answer !== 'acquired') return answer
        await tx.query('INSERT INTO effects VALUES ($1)', [key.eventId])
        expect(await chosen.with(tx).commit(key, owner, RETENTION_MS)).toBe('committed')
        await tx.query(end)
        return answer
      }
      expect(await attempt('ROLLBACK')).toBe('acquired')
      expect(await effects(key.eventId)).toBe(0)
      expect(await attempt('COMMIT')).toBe('acquired')
      expect(await attempt('COMMIT')).toBe('done')
      expect(await effects(key.eventId)).toBe(1)
    },
  )

  it.each(['REPEATABLE READ', 'SERIALIZABLE'])('a claim under %s that lost is busy', async (level) => {
    const key = keyOf()
    const [first, second] = [await begin(`ISOLATION LEVEL ${level}`), await begin(`ISOLATION LEVEL ${level}`)]
    await second.query('SELECT 1 FROM effects') // takes its snapshot now
    expect(await store.with(first).claim(key, 'a', LEASE_MS)).toBe('acquired')
    const waiting = store.with(second).claim(key, 'b', LEASE_MS)
    await untilWaiting(1)
    expect(await store.with(first).commit(key, 'a', RETENTION_MS)).toBe('committed')
    await first.query('COMMIT')
    expect(await waiting).toBe('busy')
    await second.query('ROLLBACK')
    expect(await store.claim(key, 'b', LEASE_MS)).toBe('done')
  })

  it('two events are committed in one transaction', async () => {
    const tx = await begin()
    const keys = [keyOf(), keyOf()]
    for (const [index, key] of keys.entries()) {
      expect(await store.with(tx).claim(key, `${index}`, LEASE_MS)).toBe('acquired')
    }
    for (const [index, key] of keys.entries()) {
      expect(await store.with(tx).commit(key, `${index}`, RETENTION_MS)).toBe('committed')
    }
    await tx.query('COMMIT')
    for (const key of keys) expect(await store.claim(key, 'next', LEASE_MS)).toBe('done')
  })

  it.each(['two-phase', 'single'] as const)(
    'a commit in mode %s throws outside the transaction of its claim, even in another one that holds an event',
    async (mode) => {
      const chosen = postgresStore(pool, { mode })
      const [key, other] = [keyOf(), keyOf()]
      const [first, second] = [await begin(), await begin()]
      await chosen.with(first).claim(key, 'a', LEASE_MS)
      await chosen.with(second).claim(other, 'b', LEASE_MS)
      await expect(chosen.with(second).commit(key, 'a', RETENTION_MS)).rejects.toThrow(
        /different transactions/,
      )
      await first.query('COMMIT')
      await expect(chosen.with(first).commit(key, 'a', RETENTION_MS)).rejects.toThrow(
        /different transactions/,
      )
    },
  )

  it('a commit finds its claim in a savepoint, and not if that was undone', async () => {
    const tx = await begin()
    const key = keyOf()
    await tx.query('SAVEPOINT one')
    await store.with(tx).claim(key, 'a', LEASE_MS)
    await tx.query('ROLLBACK TO one')
    await expect(store.with(tx).commit(key, 'a', RETENTION_MS)).rejects.toThrow(/different transactions/)
    await store.with(tx).claim(key, 'b', LEASE_MS)
    await tx.query('RELEASE one')
    expect(await store.with(tx).commit(key, 'b', RETENTION_MS)).toBe('committed')
  })

  it('lock_timeout limits the wait: the claim fails, and decides nothing', async () => {
    const key = keyOf()
    const [first, second] = [await begin(), await begin()]
    await store.with(first).claim(key, 'a', LEASE_MS)
    await second.query("SET LOCAL lock_timeout = '50ms'")
    await expect(store.with(second).claim(key, 'b', LEASE_MS)).rejects.toMatchObject({ code: '55P03' })
  })

  it('one of two deliveries at once through verify() takes effect, the other is told to come back', async () => {
    const { listener, deliver } = hmacListener({ id: 'orders', store })
    const delivery = await deliver()
    const [first, second] = [await begin(), await begin()]
    const event = await acceptedEvent(delivery, { ...listener, store: store.with(first) })
    const waiting = outcome(delivery, { ...listener, store: store.with(second) })
    await untilWaiting(1)
    await first.query('INSERT INTO effects VALUES ($1)', [event.id])
    expect(await event.commit()).toBe('committed')
    await first.query('COMMIT')
    expect(await waiting).toBe('503 event_in_progress')
    expect(await outcome(delivery, listener)).toBe('409 event_duplicate')
    expect(await effects(event.id)).toBe(1)
  })

  it('a delivery through verify() that waits longer than storeTimeoutSeconds is undecided', async () => {
    const { listener, deliver } = hmacListener({ id: 'orders', store, storeTimeoutSeconds: 0.1 })
    const delivery = await deliver()
    const [first, second] = [await begin(), await begin()]
    await acceptedEvent(delivery, { ...listener, store: store.with(first) })
    const waiting = outcome(delivery, { ...listener, store: store.with(second) })
    await expect(waiting).rejects.toThrow(EventStoreError)
    await first.query('ROLLBACK')
  })

  it('with(tx) accepts the transaction of postgres.js', async () => {
    const sql = postgres(server.address)
    const key = keyOf()
    const other = postgresStore(sql)
    await expect(
      sql.begin(async (tx) => {
        expect(await other.with(tx).claim(key, 'a', LEASE_MS)).toBe('acquired')
        throw new Error('the effect failed')
      }),
    ).rejects.toThrow('the effect failed')
    await sql.begin(async (tx) => {
      expect(await other.with(tx).claim(key, 'b', LEASE_MS)).toBe('acquired')
      expect(await other.with(tx).commit(key, 'b', RETENTION_MS)).toBe('committed')
    })
    expect(await store.claim(key, 'c', LEASE_MS)).toBe('done')
    await sql.end()
  })
})
