import { PGlite } from '@electric-sql/pglite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { inbox } from '../../src/inbox/index.ts'
import { migrateInbox } from '../../src/inbox/migration.ts'
import { statementRunner } from '../../src/stores/postgres/client.ts'
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

  it('numbers old rows by an index, and goes on where a process has died', async () => {
    const { box, table } = await old(3000)
    const plans: string[] = []
    const query = async (text: string, values: string[]) => {
      if (text.includes('numbered AS')) {
        const { rows } = await on.pool.query<Record<string, string>>(`EXPLAIN ${text}`)
        plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'))
        if (plans.length === 3) throw new Error('the process died')
      }
      return on.pool.query(text, values)
    }
    await expect(inbox({ query }, { table }).migrate()).rejects.toThrow('died')
    for (const plan of plans) expect(plan).toContain(`Index Scan using ${table}_unnumbered`)
    await box.migrate()
    expect(await indexesOf(table)).toEqual(INDEXES.toSorted())
    const { rows } = await on.pool.query(
      `SELECT count(*)::int AS rows, count(DISTINCT number)::int AS numbers, bool_and(number = 3001 - id::int) AS in_order FROM ${table}`,
    )
    expect(rows).toEqual([{ rows: 3000, numbers: 3000, in_order: true }])
  })

  it.each([
    ['', ''],
    [' while it dropped it', 'UPDATE pg_index SET indisvalid = FALSE WHERE indexrelid = $1::regclass'],
  ])('drops the index of a process that was late to number rows, and died%s', async (_when, left) => {
    const { box, table } = await old(10)
    const index = `${table}_unnumbered`
    const query = async (text: string, values: string[]) => {
      if (text.includes(`${index}" ON`)) await box.migrate()
      if (text.includes('numbered AS')) throw new Error('the process died')
      return on.pool.query(text, values)
    }
    await expect(inbox({ query }, { table }).migrate()).rejects.toThrow('died')
    if (left !== '') await on.pool.query(left, [index])
    const isThere = async () =>
      (await on.pool.query(`SELECT to_regclass($1) IS NOT NULL AS there`, [index])).rows[0]?.there
    expect(await isThere()).toBe(true)
    await box.migrate()
    expect(await isThere()).toBe(false)
  })

  it('numbers jobs beside an open transaction that has locked one, and that one once it has ended', async () => {
    const { table } = await old(700)
    await on.pool.query(`ALTER TABLE ${table} ADD COLUMN number bigint NOT NULL DEFAULT 0`)
    await on.pool.query(
      `ALTER TABLE ${table} ALTER COLUMN number DROP DEFAULT, ALTER COLUMN number ADD GENERATED BY DEFAULT AS IDENTITY`,
    )
    for (const column of ['job uuid', 'forget_at timestamptz', 'type text', 'keep_until timestamptz'])
      await on.pool.query(`ALTER TABLE ${table} ADD COLUMN ${column}`)
    await on.pool.query(`ALTER TABLE ${table} ADD COLUMN order_key text, ADD COLUMN holds boolean`)
    await on.pool.query(`CREATE INDEX ${table}_job ON ${table} (job, listener_id)`)
    const connection = await on.pool.connect()
    onTestFinished(() => connection.release())
    const query = async (text: string, values: string[]) => {
      const result = await on.pool.query(text, values)
      if (!text.includes('_unnumbered" ON')) return result
      await connection.query('BEGIN') // now, because an index waits for those before it
      await connection.query(`SELECT FROM ${table} WHERE id = '700' FOR UPDATE`) // the oldest
      return result
    }
    const unnumbered = async () =>
      (await on.pool.query(`SELECT id FROM ${table} WHERE number = 0`)).rows.map(({ id }) => id)
    const migrating = inbox({ query }, { table }).migrate()
    await expect.poll(unnumbered).toEqual(['700'])
    await connection.query('COMMIT')
    await migrating
    expect(await unnumbered()).toEqual([])
    expect(await indexesOf(table)).toEqual(INDEXES.toSorted())
  })

  it('gives up after ten minutes behind somebody who keeps the table locked, and says who', async () => {
    const { table } = await fresh()
    await on.pool.query(`DROP INDEX ${table}_turn`)
    const connection = await on.pool.connect()
    onTestFinished(() => connection.release())
    await connection.query('BEGIN')
    await connection.query(`LOCK TABLE ${table} IN SHARE UPDATE EXCLUSIVE MODE`)
    const { rows } = await connection.query('SELECT pg_backend_pid() AS pid')
    let time = 0
    const clock = {
      now: () => time,
      async pause() {
        time += 60_000
      },
    }
    const run = statementRunner(on.pool, 'client')
    await expect(migrateInbox(run, table, clock)).rejects.toThrow(`pid ${rows[0]?.pid} `)
    expect(time).toBe(600_000)
    await connection.query('ROLLBACK')
    await migrateInbox(run, table, clock)
    expect(await indexesOf(table)).toEqual(INDEXES.toSorted())
  })

  it('names the fix if several jobs of one key have begun, and works once that has run', async () => {
    const { box, table } = await fresh()
    await on.pool.query(`DROP INDEX ${table}_turn`)
    await on.pool.query(`INSERT INTO ${table} (key, listener_id, owner, state, due_at, order_key, holds)
      SELECT gen_random_uuid(), 'orders', 'x', 'waiting', now(), 'a', TRUE FROM generate_series(1, 3)`)
    const error = await box.migrate().catch(({ message }) => String(message))
    const [fix = ''] = /UPDATE .*/.exec(String(error)) ?? []
    await on.pool.query(fix)
    await box.migrate()
    expect(await indexesOf(table)).toEqual(INDEXES.toSorted())
    const { rows } = await on.pool.query(`SELECT state FROM ${table} ORDER BY number`)
    expect(rows.map(({ state }) => state)).toEqual(['waiting', 'behind', 'behind'])
  })

  it('has no foreign key before the index that it needs, and sweeps the twins of jobs that went before it', async () => {
    const { table } = await fresh()
    const keys = async () =>
      (
        await on.pool.query(
          `SELECT convalidated FROM pg_constraint WHERE conrelid = $1::regclass AND contype = 'f'`,
          [table],
        )
      ).rows
    await on.pool.query(
      `ALTER TABLE ${table} DROP COLUMN job, ADD COLUMN twin uuid, DROP COLUMN order_key, DROP COLUMN holds`,
    )
    await on.pool.query(`INSERT INTO ${table} (key, listener_id, owner, state, due_at, twin)
      SELECT md5(n::text)::uuid, 'orders', 'x', CASE WHEN n = 1 THEN 'waiting' ELSE 'twin' END, now(),
        CASE WHEN n = 1 THEN md5('2')::uuid END FROM generate_series(1, 2) AS n`)
    let isChecked = false
    const query = async (text: string, values: string[]) => {
      if (text.includes(`_job" ON`) && text.startsWith('CREATE INDEX')) {
        isChecked = true
        expect(await keys()).toEqual([])
        const twins = await on.pool.query(`SELECT job FROM ${table} WHERE state = 'twin' AND job IS NOT NULL`)
        expect(twins.rows).toHaveLength(1)
        await on.pool.query(`DELETE FROM ${table} WHERE state = 'waiting'`)
      }
      return on.pool.query(text, values)
    }
    await inbox({ query }, { table }).migrate()
    expect(isChecked).toBe(true)
    expect(await keys()).toEqual([{ convalidated: true }])
    expect(await on.rows(table)).toEqual([])
  })

  it('is asked for by check() while an index is missing, and not once all is there', async () => {
    const { box, table } = await fresh()
    const found = await box.check() // of the server, which is the test's
    await on.pool.query(`DROP INDEX ${table}_turn`)
    expect(await box.check()).toEqual([
      ...found,
      { problem: expect.stringMatching(/turn/), fix: expect.stringMatching(/migrate/) },
    ])
    await box.migrate()
    expect(await box.check()).toEqual(found)
    expect(await inbox(on.pool, { table: 'missing' }).check()).toHaveLength(found.length + 1)
  })

  it('refuses to complete a table in a transaction of the caller', async () => {
    const { table } = await fresh()
    await on.pool.query(`DROP INDEX ${table}_turn`)
    const tx = await on.pool.connect()
    onTestFinished(() => tx.release())
    await tx.query('BEGIN')
    await expect(inbox(tx, { table }).migrate()).rejects.toThrow(/outside of any/)
    await tx.query('ROLLBACK')
  })

  it.each([
    ['wait for each other', '40P01', 'deadlock detected'],
    ['change an index at once', 'XX000', 'tuple concurrently updated'],
  ])(
    'tries each step again that Postgres ends because two processes %s, the first one too',
    async (_what, code, message) => {
      const { table } = await old(10)
      const ended = new Set<string>()
      const client = {
        query(text: string, values: string[]) {
          if (ended.has(text) || text.includes('lacking')) return on.pool.query(text, values)
          ended.add(text)
          return Promise.reject(Object.assign(new Error(message), { code }))
        },
      }
      await inbox(client, { table }).migrate()
      expect(ended.size).toBeGreaterThan(INDEXES.length)
      expect(await indexesOf(table)).toEqual(INDEXES.toSorted())
    },
  )

  it('tries no step again that fails by a fault of the server', async () => {
    const { table } = await fresh()
    const query = () => Promise.reject(Object.assign(new Error('invalid page in block 1'), { code: 'XX000' }))
    await expect(inbox({ query }, { table }).migrate()).rejects.toThrow('invalid page')
  })

  it.each([
    [
      'broken',
      'due',
      (index: string) => `UPDATE pg_index SET indisvalid = FALSE WHERE indexrelid = '${index}'::regclass`,
    ],
    [
      'needed no more',
      'unnumbered',
      (index: string, table: string) => `CREATE INDEX ${index} ON ${table} (put_at) WHERE number = 0`,
    ],
  ])(
    'goes on where another process drops an index that is %s, while this one looks for it',
    async (_what, suffix, prepare) => {
      const { table } = await fresh()
      const index = `${table}_${suffix}`
      await on.pool.query(prepare(index, table))
      let drops = 0
      const query = async (text: string, values: string[]) => {
        if (drops > 0 || (!text.includes(`relname = '${index}'`) && !text.includes(`relname = ''${index}''`)))
          return on.pool.query(text, values)
        drops += 1
        const before = await on.pool.connect() // its snapshot has the index
        onTestFinished(() => before.release(true))
        await before.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM pg_index')
        await on.pool.query(`DROP INDEX ${index}`)
        const result = await before.query(text, values)
        await before.query('COMMIT')
        return result
      }
      await inbox({ query }, { table }).migrate()
      expect(drops).toBe(1)
      expect(await indexesOf(table)).toEqual(INDEXES.toSorted())
    },
  )

  it('builds an index again that another process drops, as it could not complete it', async () => {
    const { table } = await fresh()
    await on.pool.query(`DROP INDEX ${table}_turn`)
    let builds = 0
    const query = async (text: string, values: string[]) => {
      const result = await on.pool.query(text, values)
      if (!text.startsWith('CREATE')) return result
      builds += 1
      if (builds === 1) await on.pool.query(`DROP INDEX ${table}_turn`)
      return result
    }
    await inbox({ query }, { table }).migrate()
    expect(builds).toBe(2)
    expect(await indexesOf(table)).toEqual(INDEXES.toSorted())
  })

  it('names an index that is not attached to those of all partitions, and leaves it', async () => {
    const { table: like } = await fresh()
    const table = `${like}_whole`
    await on.pool.query(`CREATE TABLE ${table} (LIKE ${like}, PRIMARY KEY (key, listener_id)) PARTITION BY HASH (listener_id);
      CREATE TABLE ${table}_0 PARTITION OF ${table} FOR VALUES WITH (MODULUS 1, REMAINDER 0);
      CREATE INDEX ${table}_due ON ONLY ${table} (listener_id, due_at) WHERE state = 'waiting'`)
    const box = inbox(on.pool, { table })
    await expect(box.migrate()).rejects.toThrow(new RegExp(`the names of its indexes: ${table}_due\\. `))
    await on.pool.query(`CREATE INDEX ${table}_0_due ON ${table}_0 (listener_id, due_at) WHERE state = 'waiting';
      ALTER INDEX ${table}_due ATTACH PARTITION ${table}_0_due`)
    await box.migrate()
    expect(await indexesOf(table)).toEqual(INDEXES.toSorted())
  })

  it.each<[taken: string, before: (table: string) => string, mend: (table: string) => string]>([
    [
      'index of a table that was renamed',
      (table) => `ALTER TABLE ${table} RENAME TO ${table}_before`,
      (table) =>
        INDEXES.map((name) => `ALTER TABLE ${table}_${name} RENAME TO ${table}_before_${name}`).join('; '),
    ],
    [
      'table of yours',
      (table) => `DROP TABLE ${table}; CREATE TABLE ${table}_order (id int)`,
      (table) => `ALTER TABLE ${table}_order RENAME TO ${table}_of_yours`,
    ],
    [
      'table of yours beside an inbox that lacks this index',
      (table) => `DROP INDEX ${table}_order; CREATE TABLE ${table}_order (id int)`,
      (table) => `ALTER TABLE ${table}_order RENAME TO ${table}_of_yours`,
    ],
    [
      'index of another table beside an inbox that lacks this one',
      (table) =>
        `DROP INDEX ${table}_order; CREATE TABLE ${table}_of_yours (id int); CREATE INDEX ${table}_order ON ${table}_of_yours (id)`,
      (table) => `ALTER TABLE ${table}_order RENAME TO ${table}_of_yours_id`,
    ],
  ])('names what has the name of an index, instead of waiting: the %s', async (_taken, before, mend) => {
    const { table } = await fresh()
    await on.pool.query(before(table))
    let pauses = 0
    const clock = {
      now: () => 0,
      async pause() {
        pauses += 1
      },
    }
    const run = statementRunner(on.pool, 'client')
    await expect(migrateInbox(run, table, clock)).rejects.toThrow(
      new RegExp(`the names of its indexes:.* ${table}_order\\b.*Rename`),
    )
    expect(pauses).toBeLessThan(2)
    await on.pool.query(mend(table))
    await migrateInbox(run, table, clock)
    expect(await indexesOf(table)).toEqual(INDEXES.toSorted())
  })

  it('completes a table though one of another schema on the search_path has all indexes', async () => {
    const { table } = await fresh()
    const client = await on.pool.connect()
    onTestFinished(() => client.release(true))
    await client.query(`CREATE SCHEMA ${table}_tenant; SET search_path TO ${table}_tenant, public`)
    await inbox(on.pool, { table: `${table}_tenant.${table}` }).migrate()
    await client.query(`DROP INDEX ${table}_tenant.${table}_turn`)
    const box = inbox(client, { table })
    expect(await box.check()).toContainEqual(
      expect.objectContaining({ problem: expect.stringMatching('lacks: turn') }),
    )
    await box.migrate()
    expect(await indexesOf(`${table}_tenant.${table}`)).toHaveLength(INDEXES.length)
  })

  it('proves the foreign key that the table lacks, though it has one of yours', async () => {
    const { box, table } = await fresh()
    await on.pool.query(`ALTER TABLE ${table} DROP CONSTRAINT ${table}_job_listener_id_fkey;
      CREATE TABLE ${table}_yours (id uuid PRIMARY KEY);
      ALTER TABLE ${table} ADD yours uuid REFERENCES ${table}_yours`)
    await box.migrate()
    const { rows } = await on.pool.query(
      `SELECT convalidated FROM pg_constraint WHERE conrelid = $1::regclass AND confrelid = conrelid`,
      [table],
    )
    expect(rows).toEqual([{ convalidated: true }])
  })

  it('ends if the client reports a step as done that has changed nothing', async () => {
    const { table } = await fresh()
    await on.pool.query(`DROP INDEX ${table}_turn`)
    const query = (text: string, values: string[]) =>
      text.startsWith('CREATE') ? Promise.resolve({ rows: [] }) : on.pool.query(text, values)
    await expect(inbox({ query }, { table }).migrate()).rejects.toThrow(/still lacks: turn/)
  })

  it('goes on where another process has created the table first', async () => {
    const table = 'created_meanwhile'
    let isFirst = true
    const query = async (text: string, values: string[]) => {
      if (isFirst) await inbox(on.pool, { table }).migrate()
      if (!isFirst) return on.pool.query(text, values)
      isFirst = false
      throw Object.assign(new Error(`relation "${table}" already exists`), { code: '42P07' })
    }
    await inbox({ query }, { table }).migrate()
    expect(await indexesOf(table)).toEqual(INDEXES.toSorted())
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
