import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { statementsFor } from '../../src/stores/postgres/statements.ts'
import { type PostgresStore, postgresSchema, postgresStore } from '../../src/stores/postgres/store.ts'
import { onPostgres, PostgresServer, WHY_NO_POSTGRES } from '../support/postgres-server.ts'

const LEASE_MS = 60_000
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

const UNINDEXED = /no valid index of all rows begins with expires_at/

/** What a build leaves that fails. */
const broken = (index: string) =>
  `UPDATE pg_index SET indisvalid = FALSE WHERE indexrelid = '${index}'::regclass`

const keyOf = (listenerId = 'orders') => ({ listenerId, eventId: crypto.randomUUID() })

describe.skipIf(WHY_NO_POSTGRES)(onPostgres('the table of postgresStore'), () => {
  let server: PostgresServer
  let pool: pg.Pool
  let tables = 0

  beforeAll(async () => {
    server = await PostgresServer.start()
    pool = new pg.Pool(server.address)
    pool.on('error', () => {})
  })

  afterAll(async () => {
    await pool?.end()
    await server?.remove()
  })

  /** A store on a new table. */
  async function fresh(): Promise<{ store: PostgresStore; table: string }> {
    tables += 1
    const table = `events_${tables}`
    const store = postgresStore(pool, { table })
    await store.migrate()
    return { store, table }
  }

  const problemsOf = async (store: PostgresStore) =>
    (await store.check()).map(({ problem }) => problem).join('\n')

  const count = async (table: string) => (await pool.query(`SELECT FROM ${table}`)).rowCount

  const age = (table: string, ms: number) =>
    pool.query(`UPDATE ${table} SET expires_at = expires_at - ${ms} * interval '1 millisecond'`)

  describe('migrate()', () => {
    it('migrate() waits for no open transaction and needs no right to create, once all is there', async () => {
      const { table } = await fresh()
      await pool.query(`CREATE ROLE writer; GRANT SELECT, INSERT, UPDATE, DELETE ON ${table} TO writer`)
      const [tx, writer] = await Promise.all([pool.connect(), pool.connect()])
      onTestFinished(() => [tx, writer].forEach((connection) => void connection.release(true)))
      await tx.query('BEGIN')
      await tx.query(`UPDATE ${table} SET done = done`)
      await writer.query("SET ROLE writer; SET lock_timeout = '1s'")
      await postgresStore(writer, { table }).migrate()
    })

    it('migrate() makes a table in a schema, even if its name needs quotes', async () => {
      await pool.query('CREATE SCHEMA "Webhooks"')
      const store = postgresStore(pool, { table: 'Webhooks.order' })
      await store.migrate()
      expect(await store.claim(keyOf(), 'a', LEASE_MS)).toBe('acquired')
      expect(await store.check()).toStrictEqual([
        expect.objectContaining({ fix: expect.stringMatching('fsync') }),
      ])
    })

    it('migrate() creates a table once, though several sessions that have found none run it at once', async () => {
      const sessions = await Promise.all(Array.from({ length: 6 }, () => pool.connect()))
      onTestFinished(() => sessions.forEach((session) => void session.release(true)))
      for (let round = 0; round < 5; round += 1) {
        const stores = sessions.map((session) => postgresStore(session, { table: `at_once_${round}` }))
        await Promise.all(stores.map((store) => store.check()))
        await Promise.all(stores.map((store) => store.migrate()))
      }
    })

    it('migrate() fails while another table has an index of the name, and names it', async () => {
      const { store, table } = await fresh()
      await pool.query(`ALTER TABLE ${table} RENAME TO ${table}_before`)
      await expect(store.migrate()).rejects.toThrow(
        new RegExp(`the names of its indexes: ${table}_expires_at\\. Rename`),
      )
      expect(await problemsOf(store)).toMatch(UNINDEXED)
      await pool.query(`ALTER TABLE ${table}_expires_at RENAME TO ${table}_before_expires_at`)
      await store.migrate()
      expect(await problemsOf(store)).not.toMatch(/index/)
    })

    it('migrate() creates the index of its own table beside one of another schema on the search_path', async () => {
      const { table } = await fresh()
      const client = await pool.connect()
      onTestFinished(() => client.release(true))
      await client.query(`CREATE SCHEMA tenant; SET search_path TO tenant, public`)
      await postgresStore(pool, { table: `tenant.${table}` }).migrate()
      await client.query(`DROP INDEX tenant.${table}_expires_at`)
      const store = postgresStore(client, { table })
      expect(await problemsOf(store)).toMatch(UNINDEXED)
      await store.migrate()
      expect(await problemsOf(store)).not.toMatch(/index/)
    })

    it.each([
      ['that a build has left invalid', (index: string) => broken(index)],
      [
        'that a build has left invalid, of another name',
        (index: string) => `ALTER INDEX ${index} RENAME TO ${index}_ccnew; ${broken(`${index}_ccnew`)}`,
      ],
      [
        'of some rows',
        (index: string, table: string) =>
          `DROP INDEX ${index}; CREATE INDEX ${index}_done ON ${table} (expires_at) WHERE done`,
      ],
    ])('migrate() builds the index beside one %s, for which check() asks', async (_which, change) => {
      const { store, table } = await fresh()
      await pool.query(change(`${table}_expires_at`, table))
      expect(await problemsOf(store)).toMatch(UNINDEXED)
      await store.migrate()
      expect(await problemsOf(store)).not.toMatch(/index/)
    })

    it('migrate() names an index that is not attached to those of all partitions, and leaves it', async () => {
      const { table: like } = await fresh()
      const table = `${like}_whole`
      await pool.query(`CREATE TABLE ${table} (LIKE ${like}) PARTITION BY HASH (event_id);
        CREATE TABLE ${table}_0 PARTITION OF ${table} FOR VALUES WITH (MODULUS 1, REMAINDER 0);
        CREATE INDEX ${table}_expires_at ON ONLY ${table} (expires_at)`)
      const store = postgresStore(pool, { table })
      await expect(store.migrate()).rejects.toThrow(
        new RegExp(`the names of its indexes: ${table}_expires_at\\. Rename`),
      )
      await pool.query(`CREATE INDEX ${table}_0_expires_at ON ${table}_0 (expires_at);
        ALTER INDEX ${table}_expires_at ATTACH PARTITION ${table}_0_expires_at`)
      await store.migrate()
    })

    it('migrate() builds none while somebody builds one, and lets that end', async () => {
      const { store, table } = await fresh()
      await pool.query(`DROP INDEX ${table}_expires_at`)
      const [tx, builder] = await Promise.all([pool.connect(), pool.connect()])
      onTestFinished(() => [tx, builder].forEach((connection) => void connection.release(true)))
      await tx.query('BEGIN')
      await tx.query(`LOCK TABLE ${table} IN ROW EXCLUSIVE MODE`)
      const built = builder.query(`CREATE INDEX CONCURRENTLY ${table}_yours ON ${table} (expires_at)`)
      const indexes = async () =>
        (
          await pool.query(
            `SELECT indexrelid::regclass::text AS name, indisvalid AS valid FROM pg_index WHERE indrelid = $1::regclass AND NOT indisprimary`,
            [table],
          )
        ).rows
      await expect.poll(indexes).toEqual([{ name: `${table}_yours`, valid: false }])
      await store.migrate()
      await tx.query('ROLLBACK')
      await built
      expect(await indexes()).toEqual([{ name: `${table}_yours`, valid: true }])
    })

    it('migrate() does what postgresSchema() prints', async () => {
      await pool.query(postgresSchema('by_hand'))
      await pool.query(postgresSchema('by_hand'))
      const { table } = await fresh()
      const shape = (name: string) =>
        pool.query(
          `SELECT column_name, data_type, is_nullable, collation_name FROM information_schema.columns
           WHERE table_name = $1 ORDER BY ordinal_position`,
          [name],
        )
      expect((await shape('by_hand')).rows).toStrictEqual((await shape(table)).rows)
      const store = postgresStore(pool, { table: 'by_hand' })
      expect(await store.claim(keyOf(), 'a', LEASE_MS)).toBe('acquired')
    })
  })

  describe('time', () => {
    it("the time is the server's time at the statement, even in a long transaction", async () => {
      const { store, table } = await fresh()
      const key = keyOf()
      await store.claim(key, 'a', LEASE_MS)
      const tx = await pool.connect()
      await tx.query(`BEGIN; CREATE TEMP TABLE written ()`)
      await tx.query('SELECT pg_sleep(0.1)')
      await store.commitIn?.(tx, key, 'a', MINUTE_MS)
      const { rows } = await tx.query(
        `SELECT extract(epoch FROM expires_at - now()) * 1000 > ${MINUTE_MS + 90} AS is_later FROM ${table} WHERE done`,
      )
      expect(rows).toStrictEqual([{ is_later: true }])
      await tx.query('ROLLBACK')
      tx.release()
    })
  })

  describe('sweep()', () => {
    /** Inserts events that were done long ago. */
    async function withLapsed(events: number) {
      const { store, table } = await fresh()
      await pool.query(
        `INSERT INTO ${table} SELECT gen_random_uuid(), clock_timestamp() - n * interval '1 s', TRUE, 'orders', NULL
         FROM generate_series(1, ${events}) AS n`,
      )
      return { store, table }
    }

    it('sweep() of a table with partitions deletes only expired records', async () => {
      const { table } = await fresh()
      await pool.query(`CREATE TABLE ${table}_whole (LIKE ${table} INCLUDING ALL) PARTITION BY HASH (event_id);
        CREATE TABLE ${table}_0 PARTITION OF ${table}_whole FOR VALUES WITH (MODULUS 2, REMAINDER 0);
        CREATE TABLE ${table}_1 PARTITION OF ${table}_whole FOR VALUES WITH (MODULUS 2, REMAINDER 1)`)
      const store = postgresStore(pool, { table: `${table}_whole` })
      for (let events = 0; events < 20; events += 1) {
        await store.claim(keyOf('lapsed'), 'a', LEASE_MS)
        await store.claim(keyOf('leased'), 'a', 3 * LEASE_MS)
      }
      await age(`${table}_whole`, 2 * LEASE_MS)
      await pool.query(`VACUUM FULL ${table}_0, ${table}_1`) // rows in both have the same place
      expect(await store.sweep()).toBe(20)
      expect(await count(`${table}_whole`)).toBe(20)
    })

    it('sweep() neither deletes a record twice nor waits for a locked one', async () => {
      const { store, table } = await withLapsed(30)
      const tx = await pool.connect()
      await tx.query(`BEGIN; SELECT FROM ${table} ORDER BY expires_at LIMIT 5 FOR UPDATE`)
      const swept = await Promise.all(Array.from({ length: 5 }, () => store.sweep(10)))
      expect(swept.reduce((sum, some) => sum + some)).toBeLessThanOrEqual(25)
      await tx.query('ROLLBACK')
      tx.release()
      while ((await store.sweep(10)) > 0) {}
      expect(await count(table)).toBe(0)
    })

    it('sweep() takes no record whose lease is renewed meanwhile', async () => {
      const { store, table } = await withLapsed(0)
      const keys = Array.from({ length: 100 }, () => keyOf())
      await Promise.all(keys.map((key, index) => store.claim(key, 'a', 100 + 2 * index)))
      await age(table, 200) // about half of them have lapsed
      const renewals = keys.map(async (key) => store.renew?.(key, 'a', LEASE_MS))
      const [renewed] = await Promise.all([Promise.all(renewals), store.sweep(), store.sweep()])
      const claims = await Promise.all(keys.map(async (key) => store.claim(key, 'b', LEASE_MS)))
      expect(claims).toStrictEqual(renewed.map((isRenewed) => (isRenewed ? 'busy' : 'acquired')))
    })

    it('sweep() finds the records by the index, and does not read the table', async () => {
      const { table } = await withLapsed(0)
      await pool.query(
        `INSERT INTO ${table} SELECT gen_random_uuid(), clock_timestamp() + interval '1 day', TRUE, 'orders', NULL
         FROM generate_series(1, 20000)`,
      )
      await pool.query(`ANALYZE ${table}`)
      const { sweep } = statementsFor(table)
      const { rows } = await pool.query(`EXPLAIN ${sweep.replace('$1', '10')}`)
      expect(JSON.stringify(rows)).toContain('Index Cond')
    })
  })

  describe('writing', () => {
    it('duplicates write nothing and lock nothing', async () => {
      const { store, table } = await fresh()
      const [leased, done] = [keyOf(), keyOf()]
      await store.claim(leased, 'a', LEASE_MS)
      await store.commit(done, 'a', DAY_MS)
      const versions = async () => (await pool.query(`SELECT ctid, xmin, xmax FROM ${table}`)).rows
      const before = await versions()
      for (let turn = 0; turn < 5; turn += 1) {
        expect(await store.claim(leased, 'b', LEASE_MS)).toBe('busy')
        expect(await store.claim(done, 'b', LEASE_MS)).toBe('done')
      }
      expect(await versions()).toStrictEqual(before)
    })

    it('the table keeps listener ids and owners readable, and done events without an owner', async () => {
      const { store, table } = await fresh()
      const key = keyOf('orders\\é')
      await store.claim(key, 'a', LEASE_MS)
      const rows = async () =>
        (await pool.query(`SELECT listener_id, owner, event_id, done FROM ${table}`)).rows
      const row = { listener_id: 'orders\\u005c\\u00e9', event_id: key.eventId }
      expect(await rows()).toStrictEqual([{ ...row, owner: 'a', done: false }])
      await store.commit(key, 'a', DAY_MS)
      expect(await rows()).toStrictEqual([{ ...row, owner: null, done: true }])
    })

    it('a renewal changes the end of the lease, and writes nothing if there is none', async () => {
      const { store, table } = await fresh()
      const [mine, done] = [keyOf(), keyOf()]
      await store.claim(mine, 'a', LEASE_MS)
      await store.commit(done, 'a', DAY_MS)
      const rows = async () => (await pool.query(`SELECT xmin, xmax, * FROM ${table} ORDER BY done`)).rows
      const [before] = [await rows()]
      for (const [key, owner] of [
        [mine, 'b'],
        [done, 'a'],
        [keyOf(), 'a'],
      ] as const) {
        expect(await store.renew?.(key, owner, 2 * LEASE_MS)).toBe(false)
      }
      expect(await rows()).toStrictEqual(before)
      expect(await store.renew?.(mine, 'a', 2 * LEASE_MS)).toBe(true)
      const [{ xmin, xmax, expires_at, ...after }] = await rows() // which it has locked
      expect({ ...before[0], ...after }).toStrictEqual(before[0])
      expect(expires_at - before[0].expires_at).toBeGreaterThanOrEqual(LEASE_MS)
      expect(await store.renew?.(mine, 'a', Number.MAX_VALUE)).toBe(true)
    })

    it('a commit of a lapsed lease that waits for a transaction which commits the event finds it done', async () => {
      const { store, table } = await fresh()
      const key = keyOf()
      await store.claim(key, 'a', LEASE_MS)
      const tx = await pool.connect()
      onTestFinished(() => tx.release(true))
      await tx.query('BEGIN; SELECT txid_current()')
      await store.commitIn?.(tx, key, 'a', DAY_MS)
      await age(table, 2 * LEASE_MS)
      const committing = store.commit(key, 'an earlier owner', DAY_MS)
      const waiting = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
      while ((await pool.query(waiting)).rowCount === 0) {}
      await tx.query('COMMIT')
      expect(await committing).toBe('already')
      expect(await store.claim(key, 'b', LEASE_MS)).toBe('done')
    })

    it("a commit in the caller's transaction waits for another one for as long as that allows", async () => {
      const { store } = await fresh()
      const key = keyOf()
      await store.claim(key, 'a', LEASE_MS)
      const [tx, other] = [await pool.connect(), await pool.connect()]
      onTestFinished(() => {
        for (const each of [tx, other]) each.release(true)
      })
      for (const each of [tx, other]) await each.query('BEGIN; SELECT txid_current()')
      await store.commitIn?.(tx, key, 'a', LEASE_MS)
      const committing = store.commitIn?.(other, key, 'a', LEASE_MS)
      await new Promise((resolve) => setTimeout(resolve, 1500)) // longer than outside
      expect((await pool.query(`SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'`)).rowCount).toBe(
        1,
      )
      await tx.query('ROLLBACK')
      expect(await committing).toBe('committed')
      expect((await other.query('SHOW lock_timeout')).rows).toStrictEqual([{ lock_timeout: '0' }])
    })

    it.each(['serializable', 'repeatable read'])(
      'renewals and claims of leases that lapse meanwhile never leave two owners under %s',
      async (level) => {
        const { table } = await fresh()
        const options = `-c default_transaction_isolation=${level.replace(' ', '\\ ')}`
        const strict = new pg.Pool({ ...server.address, options })
        onTestFinished(() => strict.end())
        const store = postgresStore(strict, { table })
        const keys = Array.from({ length: 100 }, () => keyOf())
        await Promise.all(keys.map((key, index) => store.claim(key, 'a', 100 + 2 * index)))
        await age(table, 200) // about half of them have lapsed
        const failed = (error: { code: string }) => {
          expect(error.code).toBe('40001') // five times: undecided
        }
        const owners = await Promise.all(
          keys.map(async (key) => {
            const renewal = async () => (await store.renew?.(key, 'a', LEASE_MS)) && 'a'
            const claim = async (owner: string) =>
              (await store.claim(key, owner, LEASE_MS)) === 'acquired' && owner
            return Promise.all([renewal(), claim('b'), claim('c')].map((asked) => asked.catch(failed)))
          }),
        )
        const counts = owners.map((each) => each.filter(Boolean).length)
        expect(Math.max(...counts)).toBe(1)
        expect(counts.filter((count) => count === 1).length).toBeGreaterThan(50)
      },
    )
  })

  describe('check()', () => {
    const problems = async (options: string, table: string, listens = true) => {
      const other = new pg.Pool({ ...server.address, options })
      if (listens) other.on('error', () => {})
      const found = await postgresStore(other, { table }).check()
      await other.end()
      for (const { problem, fix } of found) expect([problem, fix].join()).toMatch(/\w/)
      return found.map(({ problem }) => problem).filter((problem) => !problem.includes('fsync'))
    }

    it.each([
      ['synchronous_commit=off', 'synchronous_commit is off'],
      ['default_transaction_isolation=repeatable\\ read', 'isolation'],
    ])('check() finds %s', async (setting, problem) => {
      const { table } = await fresh()
      expect(await problems(`-c ${setting}`, table)).toStrictEqual([expect.stringContaining(problem)])
    })

    it('check() finds a table that a crash empties', async () => {
      const { table } = await fresh()
      await pool.query(`ALTER TABLE ${table} SET UNLOGGED`)
      expect(await problems('', table)).toStrictEqual([expect.stringContaining('UNLOGGED')])
    })

    it('check() finds a table whose rows are in others', async () => {
      const parted = [expect.stringContaining('who may write to what is behind it is not checked')]
      const { table } = await fresh()
      await pool.query(`CREATE VIEW ${table}_view AS TABLE ${table}; CREATE TABLE ${table}_child () INHERITS (${table});
        CREATE TABLE ${table}_whole (LIKE ${table} INCLUDING ALL) PARTITION BY HASH (event_id)`)
      for (const name of [table, `${table}_child`, `${table}_whole`, `${table}_view`])
        expect(await problems('', name)).toEqual(expect.arrayContaining(parted))
    })

    it('check() finds row level security that hides the rows from this user', async () => {
      const hidden = [expect.stringContaining('row level security applies to this user')]
      const { table } = await fresh()
      await pool.query(`CREATE ROLE app; CREATE ROLE apps; GRANT apps TO app; GRANT SELECT, INSERT, UPDATE, DELETE ON ${table} TO app;
        ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`)
      const found = () => problems('-c role=app', table)
      expect(await problems('', table)).toEqual([])
      expect(await found()).toEqual(hidden)
      await pool.query(`CREATE POLICY own ON ${table} TO apps USING (TRUE)`)
      expect(await found()).toEqual([])
      await pool.query(
        `DROP POLICY own ON ${table}; CREATE POLICY of_others ON ${table} TO pg_monitor USING (TRUE)`,
      )
      for (const command of ['SELECT', 'UPDATE', 'DELETE']) {
        await pool.query(`CREATE POLICY may_${command} ON ${table} FOR ${command} USING (TRUE)`)
        expect(await found()).toEqual(hidden)
      }
      await pool.query(`CREATE POLICY may_insert ON ${table} FOR INSERT WITH CHECK (TRUE)`)
      expect(await found()).toEqual([])
    })

    it('check() finds a pool whose idle connections end the process when they break', async () => {
      const { table } = await fresh()
      expect(await problems('', table, false)).toStrictEqual([
        expect.stringContaining('no error listener on the pool'),
      ])
    })
  })
})
