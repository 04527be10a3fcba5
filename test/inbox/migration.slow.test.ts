import { PGlite } from '@electric-sql/pglite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { inbox } from '../../src/inbox/index.ts'
import { acceptedEvent } from '../support/outcome.ts'
import { onPostgres, WHY_NO_POSTGRES } from '../support/postgres-server.ts'
import { boxListener, inboxServer } from './support.ts'

/** What makes a table one of the first version, but for its twins. Their indexes go with the columns. */
const agedBy = (table: string) =>
  `ALTER TABLE ${table} DROP COLUMN job, DROP COLUMN forget_at, DROP COLUMN type, DROP COLUMN number, DROP COLUMN keep_until,
    DROP COLUMN order_key, DROP COLUMN holds`

const INDEXES = ['dead', 'due', 'ends', 'holds', 'job', 'kept', 'behind', 'order', 'turn', 'pkey']

describe.skipIf(WHY_NO_POSTGRES)(onPostgres('migrate() on a table of an earlier version'), () => {
  const on = inboxServer()
  const { fresh } = on

  const indexesOf = async (table: string) => {
    const { rows } = await on.pool.query(
      'SELECT indexrelid::regclass::text AS name FROM pg_index WHERE indrelid = $1::regclass AND indisvalid',
      [table],
    )
    return rows.map(({ name }) => String(name).replace(`${table}_`, '')).toSorted()
  }

  async function old(rows = 0) {
    const { box, table } = await fresh()
    await on.pool.query(agedBy(table))
    await on.pool.query(
      `INSERT INTO ${table} (key, listener_id, owner, state, due_at, put_at, id)
        SELECT gen_random_uuid(), 'old', 'earlier', 'waiting', now(), now() - n * interval '1 second', n::text FROM generate_series(1, $1::int) AS n`,
      [rows],
    )
    return { box, table }
  }

  /** Has written to the table, until it is ended. */
  async function openTransaction(table: string) {
    const connection = await on.pool.connect()
    let end = async () => {
      end = async () => {}
      await connection.query('ROLLBACK')
      connection.release()
    }
    onTestFinished(() => end())
    await connection.query('BEGIN')
    await connection.query(
      `INSERT INTO ${table} (key, listener_id, state, due_at) VALUES (gen_random_uuid(), 'open', 'claimed', now())`,
    )
    return { end: () => end() }
  }

  const building = async () => {
    const { rows } = await on.pool.query(
      `SELECT pid FROM pg_stat_activity WHERE query LIKE 'CREATE % CONCURRENTLY%' AND state = 'active' AND wait_event_type = 'Lock'`,
    )
    return rows.map(({ pid }) => Number(pid))
  }

  it('while an index waits for an open transaction, puts go on', async () => {
    const { box, table } = await fresh()
    await on.pool.query(`DROP INDEX ${table}_dead, ${table}_turn`)
    const { end } = await openTransaction(table)
    const migrating = box.migrate()
    await expect.poll(building).toHaveLength(1)
    const { listener, deliver } = boxListener(box)
    await box.put(await acceptedEvent(await deliver(), listener))
    expect(await building()).toHaveLength(1)
    await end()
    await migrating
    expect(await indexesOf(table)).toEqual(INDEXES.toSorted())
  })

  it('columns do not keep puts waiting behind an open transaction for longer than a second', async () => {
    const { box, table } = await old(10)
    const { end } = await openTransaction(table)
    const migrating = box.migrate()
    for (let writes = 0; writes < 3; writes += 1) {
      await on.pool.query(`UPDATE ${table} SET attempts = attempts + 1 WHERE listener_id = 'old'`)
      await new Promise((resolve) => setTimeout(resolve, 300))
    }
    await end()
    await migrating
    expect(await indexesOf(table)).toEqual(INDEXES.toSorted())
  })

  it('an index that was left behind by a build that was killed is built anew', async () => {
    const { box, table } = await fresh()
    await on.pool.query(`DROP INDEX ${table}_turn`)
    const { end } = await openTransaction(table)
    const killed = expect(box.migrate()).rejects.toThrow()
    await expect.poll(building).toHaveLength(1)
    const [pid] = await building()
    await on.pool.query('SELECT pg_terminate_backend($1)', [pid])
    await killed
    await end()
    expect(await indexesOf(table)).not.toContain('turn')
    await box.migrate()
    expect(await indexesOf(table)).toEqual(INDEXES.toSorted())
  })

  it('may run in several processes at once, and gives each old row a number, the oldest first', async () => {
    const { table } = await old(12_000)
    await Promise.all(Array.from({ length: 4 }, () => inbox(on.pool, { table }).migrate()))
    expect(await indexesOf(table)).toEqual(INDEXES.toSorted())
    const { rows } = await on.pool.query(
      `SELECT count(DISTINCT number)::int AS numbers, min(number)::int AS first FROM ${table} WHERE listener_id = 'old'`,
    )
    expect(rows).toEqual([{ numbers: 12_000, first: 1 }])
    const [first] = await inbox(on.pool, { table }).list({ limit: 1 })
    expect(first?.eventId).toBe('1') // the last one that was put
    const { rows: proven } = await on.pool.query(
      `SELECT convalidated FROM pg_constraint WHERE conrelid = $1::regclass AND contype = 'f'`,
      [table],
    )
    expect(proven).toEqual([{ convalidated: true }])
  })

  it('works with a client that sends each statement in a transaction of its own', async () => {
    const { table } = await old(10)
    const wrapping = {
      async query(text: string, values: string[]) {
        const connection = await on.pool.connect()
        try {
          await connection.query('BEGIN')
          const result = await connection.query(text, values)
          await connection.query('COMMIT')
          return result
        } catch (error) {
          await connection.query('ROLLBACK')
          throw error
        } finally {
          connection.release()
        }
      },
    }
    await inbox(wrapping, { table }).migrate()
    expect(await indexesOf(table)).toEqual(INDEXES.toSorted())
  })
})

it('migrate() completes a table of an earlier version on PGlite', async () => {
  const client = new PGlite()
  onTestFinished(() => client.close())
  const box = inbox(client, { keyOf: () => 'one' })
  await box.migrate()
  await client.exec(agedBy('hookgate_inbox'))
  await Promise.all([box.migrate(), box.migrate()])
  const { listener, deliver } = boxListener(box)
  await box.put(await acceptedEvent(await deliver(), listener))
  expect(await box.drain(listener, () => {})).toMatchObject({ done: 1, waiting: 0 })
})
