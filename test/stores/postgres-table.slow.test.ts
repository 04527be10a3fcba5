import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { EventStoreError, ListenerConfigError } from '../../src/index.ts'
import { statementsFor } from '../../src/stores/postgres/statements.ts'
import { type PostgresStore, postgresSchema, postgresStore } from '../../src/stores/postgres/store.ts'
import { hmacListener } from '../support/hmac-listener.ts'
import { acceptedEvent, outcome } from '../support/outcome.ts'
import { onPostgres, PostgresServer, WHY_NO_POSTGRES } from '../support/postgres-server.ts'

const LEASE_MS = 60_000
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

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
  async function fresh(mode?: 'two-phase' | 'single'): Promise<{ store: PostgresStore; table: string }> {
    tables += 1
    const table = `events_${tables}`
    const store = postgresStore(pool, { table, mode })
    await store.migrate()
    return { store, table }
  }

  const count = async (table: string) => (await pool.query(`SELECT FROM ${table}`)).rowCount

  const age = (table: string, ms: number) =>
    pool.query(`UPDATE ${table} SET expires_at = expires_at - ${ms} * interval '1 millisecond'`)

  describe('migrate()', () => {
    it('migrate() may run in many processes at once, and again, and keeps existing records', async () => {
      const store = postgresStore(pool, { table: 'at_once' })
      await Promise.all(Array.from({ length: 8 }, () => store.migrate()))
      const key = keyOf()
      await store.claim(key, 'a', LEASE_MS)
      await store.migrate()
      expect(await store.claim(key, 'b', LEASE_MS)).toBe('busy')
    })

    it('migrate() waits for no open transaction and needs no right to create, once all is there', async () => {
      const { table } = await fresh()
      await pool.query(`CREATE ROLE writer; GRANT SELECT, INSERT, UPDATE, DELETE ON ${table} TO writer`)
      const [tx, writer] = await Promise.all([pool.connect(), pool.connect()])
      onTestFinished(() => [tx, writer].forEach((connection) => void connection.release(true)))
      await tx.query('BEGIN')
      await postgresStore(pool, { table }).with(tx).claim(keyOf(), 'a', LEASE_MS)
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

    it('migrate() does not run on requests: a claim without a table fails, and names the fix', async () => {
      const store = postgresStore(pool, { table: 'nowhere' })
      await expect(store.claim(keyOf(), 'a', LEASE_MS)).rejects.toThrow(EventStoreError)
      await expect(store.claim(keyOf(), 'a', LEASE_MS)).rejects.toThrow('store.migrate()')
    })
  })

  describe('time', () => {
    it('an event is remembered for 6 days 23 hours 59 minutes, and not for 7 days and a minute', async () => {
      const { store, table } = await fresh()
      const key = keyOf()
      await store.claim(key, 'a', LEASE_MS)
      await store.commit(key, 'a', 7 * DAY_MS)
      await age(table, 7 * DAY_MS - MINUTE_MS)
      expect(await store.claim(key, 'b', LEASE_MS)).toBe('done')
      await age(table, 2 * MINUTE_MS)
      expect(await store.claim(key, 'b', LEASE_MS)).toBe('acquired')
    })

    it("the time is the server's time at the statement, even in a long transaction", async () => {
      const { store } = await fresh()
      const key = keyOf()
      const tx = await pool.connect()
      await tx.query('BEGIN')
      await store.claim(key, 'crashed', 50)
      await tx.query('SELECT pg_sleep(0.1)')
      expect(await store.with(tx).claim(key, 'b', LEASE_MS)).toBe('acquired')
      await tx.query('ROLLBACK')
      tx.release()
    })

    it('the retention may exceed the range of Postgres: forever is a thousand years', async () => {
      const { store } = await fresh()
      const key = keyOf()
      expect(await store.claim(key, 'a', Number.MAX_VALUE)).toBe('acquired')
      expect(await store.commit(key, 'a', Number.MAX_VALUE)).toBe('committed')
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

    it('sweep() deletes only expired records, up to its limit', async () => {
      const { store, table } = await withLapsed(25)
      const [leased, done] = [keyOf(), keyOf()]
      await store.claim(leased, 'a', LEASE_MS)
      await store.commit(done, 'a', DAY_MS)
      expect(await store.sweep(10)).toBe(10)
      expect(await store.sweep(10)).toBe(10)
      expect(await store.sweep()).toBe(5)
      expect(await store.sweep()).toBe(0)
      expect(await count(table)).toBe(2)
      expect(await store.claim(leased, 'b', LEASE_MS)).toBe('busy')
      expect(await store.claim(done, 'b', LEASE_MS)).toBe('done')
    })

    it('sweep() stops at 10,000 by default', async () => {
      const { store, table } = await withLapsed(10_001)
      expect(await store.sweep()).toBe(10_000)
      expect(await count(table)).toBe(1)
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

    it('sweep() leaves a record that is taken over meanwhile', async () => {
      const { store, table } = await withLapsed(0)
      const keys = Array.from({ length: 50 }, () => keyOf())
      await Promise.all(keys.map((key) => store.claim(key, 'crashed', LEASE_MS)))
      await age(table, 2 * LEASE_MS)
      const claims = keys.map((key) => store.claim(key, 'b', LEASE_MS))
      const [answers] = await Promise.all([Promise.all(claims), store.sweep(), store.sweep()])
      expect(new Set(answers)).toStrictEqual(new Set(['acquired']))
      const again = await Promise.all(keys.map((key) => store.claim(key, 'c', LEASE_MS)))
      expect(new Set(again)).toStrictEqual(new Set(['busy']))
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
      const { sweep } = statementsFor(table, 'two-phase')
      const { rows } = await pool.query(`EXPLAIN ${sweep.replace('$1', '10')}`)
      expect(JSON.stringify(rows)).toContain('Index Cond')
    })

    it.each([0, -1, 1.5, Number.NaN])('sweep() has no limit of %d', async (limit) => {
      const { store } = await fresh()
      await expect(store.sweep(limit)).rejects.toThrow('limit')
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

    it('the table accepts listener IDs of any length, although an index entry has room for 2,700 bytes', async () => {
      const { store } = await fresh()
      const { eventId } = keyOf()
      const letters = Array.from({ length: 5000 }, (_, place) => 0x4e00 + ((place * 7919) % 20_000))
      const long = String.fromCodePoint(...letters)
      for (const listenerId of [long, `${long}x`, long.slice(1), `${long}\u0000`]) {
        expect(await store.claim({ listenerId, eventId }, 'a', LEASE_MS)).toBe('acquired')
        expect(await store.claim({ listenerId, eventId }, 'b', LEASE_MS)).toBe('busy')
        expect(await store.renew?.({ listenerId, eventId }, 'a', LEASE_MS)).toBe(true)
      }
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
      const [{ xmin, expires_at, ...after }] = await rows()
      expect({ ...before[0], ...after }).toStrictEqual(before[0])
      expect(expires_at - before[0].expires_at).toBeGreaterThanOrEqual(LEASE_MS)
      expect(await store.renew?.(mine, 'a', Number.MAX_VALUE)).toBe(true)
    })

    it('a renewal waits a second for a transaction that has locked the record, so that its connection comes back', async () => {
      const { store, table } = await fresh()
      const one = new pg.Pool({ ...server.address, max: 1 })
      onTestFinished(() => one.end())
      const narrow = postgresStore(one, { table })
      const key = keyOf()
      await store.claim(key, 'a', LEASE_MS)
      const tx = await pool.connect()
      onTestFinished(() => tx.release())
      await tx.query(`BEGIN; SELECT FROM ${table} FOR UPDATE`)
      await expect(narrow.renew?.(key, 'a', LEASE_MS)).rejects.toMatchObject({ code: '55P03' })
      expect((await one.query('SHOW lock_timeout')).rows).toStrictEqual([{ lock_timeout: '0' }])
      const waiting = narrow.renew?.(key, 'a', LEASE_MS)
      await tx.query('ROLLBACK')
      expect(await waiting).toBe(true)
      await tx.query(`BEGIN; UPDATE ${table} SET owner = 'a job'`)
      const late = narrow.renew?.(key, 'a', LEASE_MS)
      await tx.query('COMMIT')
      expect(await late).toBe(false)
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

    it('a claim is refused on a read-only connection, also for a duplicate: a replica may be behind', async () => {
      const { store, table } = await fresh()
      const key = keyOf()
      await store.commit(key, 'a', DAY_MS)
      const replica = new pg.Pool({ ...server.address, options: '-c default_transaction_read_only=on' })
      const reader = postgresStore(replica, { table })
      await expect(reader.claim(key, 'b', LEASE_MS)).rejects.toThrow('read-only')
      await expect(reader.commit(key, 'b', LEASE_MS)).rejects.toThrow('read-only')
      await expect(reader.release(key, 'b')).rejects.toThrow('read-only')
      await expect(reader.renew?.(key, 'b', LEASE_MS)).rejects.toThrow('read-only')
      await replica.end()
    })
  })

  describe("mode: 'single'", () => {
    it('the claim is the only write, and finishes the event', async () => {
      const { store, table } = await fresh('single')
      const key = keyOf()
      expect(await store.claim(key, 'a', 1)).toBe('acquired')
      const before = (await pool.query(`SELECT xmin, * FROM ${table}`)).rows
      expect(await store.claim(key, 'b', 1)).toBe('done')
      expect(await store.commit(key, 'a', 1)).toBe('committed')
      expect(await store.release(key, 'a')).toBe(false)
      expect((await pool.query(`SELECT xmin, * FROM ${table}`)).rows).toStrictEqual(before)
    })

    it('a claim repeated by its owner is acquired again, so that a lost reply can be repeated', async () => {
      const { store } = await fresh('single')
      const key = keyOf()
      expect(await store.claim(key, 'a', 1)).toBe('acquired')
      expect(await store.claim(key, 'a', 1)).toBe('acquired')
      expect(await store.claim(key, 'b', 1)).toBe('done')
    })

    it('a delivery through verify() is accepted once, and a duplicate also when the handler failed', async () => {
      const { listener, deliver } = hmacListener({ store: (await fresh('single')).store })
      const delivery = await deliver()
      const event = await acceptedEvent(delivery, listener)
      expect(await event.release()).toBe(false)
      expect(await outcome(delivery, listener)).toBe('409 event_duplicate')
      expect(await event.commit()).toBe('committed')
    })

    it('CFG a listener refuses a retention under its replay window, and takes any in two-phase mode', () => {
      const store = postgresStore(pool, { mode: 'single', retentionSeconds: 600 })
      expect(() => hmacListener({ store })).toThrow(ListenerConfigError)
      expect(() => hmacListener({ store: postgresStore(pool) })).not.toThrow()
    })

    it('one of 50 claims at once is acquired', async () => {
      const { store } = await fresh('single')
      const key = keyOf()
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, racer) => store.claim(key, `${racer}`, LEASE_MS)),
      )
      expect(answers.filter((answer) => answer === 'acquired')).toHaveLength(1)
      expect(await store.claim(key, 'late', LEASE_MS)).toBe('done')
    })

    it('an event is remembered for 7 days by default', async () => {
      const { store, table } = await fresh('single')
      const key = keyOf()
      await store.claim(key, 'a', LEASE_MS)
      await age(table, 7 * DAY_MS - MINUTE_MS)
      expect(await store.claim(key, 'b', LEASE_MS)).toBe('done')
      await age(table, 2 * MINUTE_MS)
      const hour = postgresStore(pool, { table, mode: 'single', retentionSeconds: 3600 })
      expect(await hour.claim(key, 'b', LEASE_MS)).toBe('acquired')
      await age(table, 61 * MINUTE_MS)
      expect(await hour.claim(key, 'c', LEASE_MS)).toBe('acquired')
    })

    it('the mode can alternate with two-phase on a table', async () => {
      const { store, table } = await fresh()
      const single = postgresStore(pool, { table, mode: 'single' })
      const [first, second] = [keyOf(), keyOf()]
      await store.claim(first, 'a', LEASE_MS)
      expect(await single.claim(first, 'b', LEASE_MS)).toBe('busy')
      await single.claim(second, 'a', LEASE_MS)
      expect(await store.claim(second, 'b', LEASE_MS)).toBe('done')
      expect(await store.release(second, 'a')).toBe(false)
      expect(await store.renew?.(second, 'a', LEASE_MS)).toBe(false)
      expect(await store.claim(second, 'b', LEASE_MS)).toBe('done')
    })
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

    it('check() finds nothing wrong after migrate()', async () => {
      expect(await problems('', (await fresh()).table)).toStrictEqual([])
    })

    it.each([
      ['synchronous_commit=off', 'synchronous_commit is off'],
      ['default_transaction_read_only=on', 'read-only'],
      ['default_transaction_isolation=serializable', 'isolation'],
      ['default_transaction_isolation=repeatable\\ read', 'isolation'],
    ])('check() finds %s', async (setting, problem) => {
      const { table } = await fresh()
      expect(await problems(`-c ${setting}`, table)).toStrictEqual([expect.stringContaining(problem)])
    })

    it('check() finds a table that is missing, one without its index, and one that a crash empties', async () => {
      expect(await problems('', 'not_there')).toStrictEqual([expect.stringContaining('is missing')])
      const { table } = await fresh()
      await pool.query(`DROP INDEX ${table}_expires_at; ALTER TABLE ${table} SET UNLOGGED`)
      expect(await problems('', table)).toStrictEqual([
        expect.stringContaining('sweep()'),
        expect.stringContaining('UNLOGGED'),
      ])
    })

    it('check() finds missing rights of the user', async () => {
      const { table } = await fresh()
      await pool.query(`CREATE ROLE reader; GRANT SELECT, INSERT, UPDATE ON ${table} TO reader`)
      expect(await problems('-c role=reader', table)).toStrictEqual([
        expect.stringContaining('lacks permissions'),
      ])
    })

    it('check() finds a pool whose idle connections end the process when they break', async () => {
      const { table } = await fresh()
      expect(await problems('', table, false)).toStrictEqual([
        expect.stringContaining('no error listener on the pool'),
      ])
    })

    it('check() finds a client whose connection ends the process when it breaks', async () => {
      const { table } = await fresh()
      const client = new pg.Client(server.address)
      await client.connect()
      const store = postgresStore(client, { table })
      const found = await store.check()
      client.on('error', () => {})
      const without = await store.check()
      await client.end()
      const errors = expect.objectContaining({
        problem: expect.stringContaining('no error listener on the pool or client'),
      })
      expect(found).toContainEqual(errors)
      expect(without).not.toContainEqual(errors)
    })
  })
})
