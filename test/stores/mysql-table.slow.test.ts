import mysql, { type RowDataPacket } from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { EventStoreError } from '../../src/index.ts'
import { type MysqlStore, mysqlSchema, mysqlStore } from '../../src/stores/mysql/store.ts'
import { hmacListener } from '../support/hmac-listener.ts'
import { type MysqlServer, startMysql, WHY_NO_MYSQL } from '../support/mariadb-server.ts'
import { acceptedEvent, outcome } from '../support/outcome.ts'

const LEASE_MS = 60_000
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

const keyOf = (listenerId = 'orders') => ({ listenerId, eventId: crypto.randomUUID() })

describe.skipIf(WHY_NO_MYSQL)('the table of mysqlStore, in MariaDB', () => {
  let server: MysqlServer
  let pool: mysql.Pool
  let tables = 0

  beforeAll(async () => {
    server = await startMysql()
    pool = mysql.createPool(server.address)
  })

  afterAll(async () => {
    await pool?.end()
    await server?.remove()
  })

  /** A store on a new table. */
  async function fresh(mode?: 'two-phase' | 'single'): Promise<{ store: MysqlStore; table: string }> {
    tables += 1
    const table = `events_${tables}`
    onTestFinished(async () => void (await pool.query(`DROP TABLE IF EXISTS ${table}`)))
    const store = mysqlStore(pool, { table, mode })
    await store.migrate()
    return { store, table }
  }

  const rowsOf = async (text: string) => (await pool.query<RowDataPacket[]>(text))[0]
  const count = async (table: string) => (await rowsOf(`SELECT 1 FROM ${table}`)).length
  const age = (table: string, ms: number) =>
    pool.query(`UPDATE ${table} SET expires_at = expires_at - INTERVAL ${ms * 1000} MICROSECOND`)

  /** A connection on which this has been said. */
  async function session(...statements: readonly string[]): Promise<mysql.Connection> {
    const connection = await mysql.createConnection(server.address)
    connection.on('error', () => {})
    onTestFinished(() => connection.end())
    for (const statement of statements) await connection.query(statement)
    return connection
  }

  describe('migrate()', () => {
    it('migrate() may run in many processes at once, and again, and keeps existing records', async () => {
      const { store } = await fresh()
      await Promise.all(Array.from({ length: 8 }, () => store.migrate()))
      const key = keyOf()
      await store.claim(key, 'a', LEASE_MS)
      await store.migrate()
      expect(await store.claim(key, 'b', LEASE_MS)).toBe('busy')
    })

    it('migrate() makes a table in another database, which the SQL of mysqlSchema() makes too', async () => {
      const { database } = server.address
      const table = `${database}.order`
      onTestFinished(async () => void (await pool.query(`DROP TABLE \`${database}\`.\`order\``)))
      await pool.query(mysqlSchema(table))
      await pool.query(mysqlSchema(table))
      const store = mysqlStore(pool, { table })
      await store.migrate()
      expect(await store.claim(keyOf(), 'a', LEASE_MS)).toBe('acquired')
      const problems = (await store.check()).map(({ problem }) => problem)
      expect(problems.filter((problem) => !problem.includes('innodb_flush'))).toStrictEqual([])
    })

    it('migrate() does not run on requests: a claim without a table fails, and names the fix', async () => {
      const claim = mysqlStore(pool, { table: 'nowhere' }).claim(keyOf(), 'a', LEASE_MS)
      await expect(claim).rejects.toThrow(EventStoreError)
      await expect(claim).rejects.toThrow('store.migrate()')
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

    it('the retention may exceed the range of MySQL: forever is a thousand years', async () => {
      const { store } = await fresh()
      const key = keyOf()
      expect(await store.claim(key, 'a', Number.MAX_VALUE)).toBe('acquired')
      expect(await store.commit(key, 'a', Number.MAX_VALUE)).toBe('committed')
    })

    it('a clock that is set back prolongs leases and retentions, and lets nobody take an event over', async () => {
      const { store, table } = await fresh()
      const [leased, done] = [keyOf(), keyOf()]
      await store.claim(leased, 'a', LEASE_MS)
      await store.commit(done, 'a', DAY_MS)
      const back = await session('SET timestamp = UNIX_TIMESTAMP() - 3600')
      const earlier = mysqlStore(back, { table })
      expect(await earlier.claim(leased, 'b', LEASE_MS)).toBe('busy')
      expect(await earlier.claim(done, 'b', LEASE_MS)).toBe('done')
      expect(await earlier.sweep()).toBe(0)
      expect(await earlier.renew?.(leased, 'a', LEASE_MS)).toBe(true) // which ends an hour earlier by the right clock
      expect(await store.claim(leased, 'b', LEASE_MS)).toBe('acquired')
    })

    it('sessions of other time zones agree, also in the hour that an autumn repeats', async () => {
      const { table } = await fresh()
      const [east, west] = await Promise.all(
        ["'+13:00'", "'-11:00'"].map((zone) => session(`SET time_zone = ${zone}`)),
      )
      const [one, two] = [east, west].map((each) => mysqlStore(each ?? expect.unreachable(), { table }))
      const key = keyOf()
      expect(await one?.claim(key, 'a', LEASE_MS)).toBe('acquired')
      expect(await two?.claim(key, 'b', LEASE_MS)).toBe('busy')
      expect(await two?.renew?.(key, 'a', LEASE_MS)).toBe(true)
      expect(await two?.commit(key, 'a', DAY_MS)).toBe('committed')
      expect(await one?.claim(key, 'b', LEASE_MS)).toBe('done')
    })
  })

  describe('renew()', () => {
    it('a renewed lease begins anew, and only while it is leased, mine and not over', async () => {
      const { store, table } = await fresh()
      const key = keyOf()
      const renew = (owner: string) => store.renew?.(key, owner, LEASE_MS)
      expect(await renew('a')).toBe(false) // absent
      expect(await count(table)).toBe(0)
      await store.claim(key, 'a', LEASE_MS)
      await age(table, LEASE_MS - 10_000)
      expect(await renew('b')).toBe(false)
      expect(await renew('a')).toBe(true)
      await age(table, LEASE_MS - 10_000)
      expect(await store.claim(key, 'b', LEASE_MS)).toBe('busy')
      await age(table, 10_000)
      expect(await renew('a')).toBe(false) // over
      expect(await store.claim(key, 'b', LEASE_MS)).toBe('acquired')
      expect(await renew('a')).toBe(false) // taken over
      expect(await store.release(key, 'b')).toBe(true)
      expect(await renew('b')).toBe(false) // released
      await store.claim(key, 'b', LEASE_MS)
      await store.commit(key, 'b', DAY_MS)
      expect(await renew('b')).toBe(false) // done
      expect(await store.claim(key, 'c', LEASE_MS)).toBe('done')
    })

    it('of a renewal and many claims at once, at the end of a lease, one has the event at most', async () => {
      const { store, table } = await fresh()
      let owners = 0
      for (let round = 0; round < 30; round += 1) {
        const key = keyOf()
        await store.claim(key, 'a', LEASE_MS)
        await age(table, LEASE_MS - 2)
        const renewing = store.renew?.(key, 'a', LEASE_MS)
        const claims = Array.from({ length: 10 }, (_, racer) => store.claim(key, `${racer}`, LEASE_MS))
        const [renewed, answers] = await Promise.all([renewing, Promise.all(claims)])
        const acquired = answers.filter((answer) => answer === 'acquired').length
        const inRound = acquired + (renewed ? 1 : 0)
        expect(inRound).toBeLessThanOrEqual(1) // none, if all claims came before the lease's end and the renewal after it
        owners += inRound
      }
      expect(owners).toBeGreaterThan(15)
    })

    it('mode single has no lease to renew', async () => {
      expect((await fresh('single')).store.renew).toBeUndefined()
    })
  })

  describe('sweep()', () => {
    /** Inserts events that were done long ago. */
    async function withLapsed(events: number) {
      const { store, table } = await fresh()
      const rows = Array.from(
        { length: events },
        (_, n) =>
          `(UNHEX('${crypto.randomUUID().replaceAll('-', '')}'), 'orders', 'a', 1, UTC_TIMESTAMP(6) - INTERVAL ${n + 1} SECOND)`,
      )
      if (events > 0) await pool.query(`INSERT INTO ${table} VALUES ${rows.join(', ')}`)
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

    it('sweep() stops at 10,000 by default, and deletes no record twice', async () => {
      const { store, table } = await withLapsed(10_010)
      expect(await store.sweep()).toBe(10_000)
      expect(await count(table)).toBe(10)
      const swept = await Promise.all(Array.from({ length: 5 }, () => store.sweep()))
      expect(swept.reduce((sum, some) => sum + some)).toBe(10)
    })

    it('sweep() leaves a record that is taken over meanwhile', async () => {
      const { store, table } = await fresh()
      const keys = Array.from({ length: 50 }, () => keyOf())
      await Promise.all(keys.map((key) => store.claim(key, 'crashed', LEASE_MS)))
      await age(table, 2 * LEASE_MS)
      const claims = keys.map((key) => store.claim(key, 'b', LEASE_MS))
      const [answers] = await Promise.all([Promise.all(claims), store.sweep(), store.sweep()])
      expect(new Set(answers)).toStrictEqual(new Set(['acquired']))
      const again = await Promise.all(keys.map((key) => store.claim(key, 'c', LEASE_MS)))
      expect(new Set(again)).toStrictEqual(new Set(['busy']))
    })

    it('sweep() deletes what was released', async () => {
      const { store, table } = await fresh()
      const key = keyOf()
      await store.claim(key, 'a', LEASE_MS)
      expect(await store.release(key, 'a')).toBe(true)
      expect(await store.sweep()).toBe(1)
      expect(await count(table)).toBe(0)
    })

    it.each([0, -1, 1.5, Number.NaN])('sweep() has no limit of %d', async (limit) => {
      await expect((await fresh()).store.sweep(limit)).rejects.toThrow('limit')
    })
  })

  describe('writing', () => {
    it('the table keeps listener ids and owners readable', async () => {
      const { store, table } = await fresh()
      const key = keyOf('orders\\é')
      await store.claim(key, 'a\u0000😀', LEASE_MS)
      expect(
        await rowsOf(
          `SELECT CONVERT(listener_id USING ascii) AS listener, CONVERT(owner USING ascii) AS owner, HEX(event_id) AS event, done FROM ${table}`,
        ),
      ).toStrictEqual([
        {
          listener: 'orders\\u005c\\u00e9',
          owner: 'a\\u0000\\ud83d\\ude00',
          event: key.eventId.replaceAll('-', '').toUpperCase(),
          done: 0,
        },
      ])
    })

    it('the table accepts listener IDs and owners of any length, in a session that truncates without a word', async () => {
      const { table } = await fresh()
      const store = mysqlStore(await session("SET sql_mode = ''"), { table })
      const { eventId } = keyOf()
      const long = String.fromCodePoint(
        ...Array.from({ length: 5000 }, (_, at) => 0x4e00 + ((at * 7919) % 20_000)),
      )
      for (const listenerId of [long, `${long}x`, long.slice(1), `${long}\u0000`]) {
        const key = { listenerId, eventId }
        expect(await store.claim(key, `${long}a`, LEASE_MS)).toBe('acquired')
        expect(await store.claim(key, `${long}b`, LEASE_MS)).toBe('busy')
        expect(await store.renew?.(key, `${long}b`, LEASE_MS)).toBe(false)
        expect(await store.renew?.(key, `${long}a`, LEASE_MS)).toBe(true)
        expect(await store.commit(key, `${long}b`, LEASE_MS)).toBe('lost')
      }
    })

    it('deadlocks of many claims at once decide nothing: they are sent again', async () => {
      const { store } = await fresh()
      const keys = Array.from({ length: 5 }, () => keyOf())
      const all = await Promise.all(
        Array.from({ length: 100 }, (_, racer) =>
          store.claim(keys[racer % 5] ?? keyOf(), `${racer}`, LEASE_MS),
        ),
      )
      expect(all.filter((answer) => answer === 'acquired')).toHaveLength(5)
    })
  })

  describe("mode: 'single'", () => {
    it('the claim is the only write, and finishes the event', async () => {
      const { store, table } = await fresh('single')
      const key = keyOf()
      expect(await store.claim(key, 'a', 1)).toBe('acquired')
      const before = await rowsOf(`SELECT * FROM ${table}`)
      expect(await store.claim(key, 'b', 1)).toBe('done')
      expect(await store.commit(key, 'a', 1)).toBe('committed')
      expect(await store.release(key, 'a')).toBe(false)
      expect(await rowsOf(`SELECT * FROM ${table}`)).toStrictEqual(before)
      expect(await store.claim(key, 'a', 1)).toBe('acquired') // its reply was lost
    })

    it('a delivery through verify() is accepted once, and a duplicate also when the handler failed', async () => {
      const { listener, deliver } = hmacListener({ store: (await fresh('single')).store })
      const delivery = await deliver()
      const event = await acceptedEvent(delivery, listener)
      expect(await event.release()).toBe(false)
      expect(await outcome(delivery, listener)).toBe('409 event_duplicate')
    })

    it('the mode can alternate with two-phase on a table', async () => {
      const { store, table } = await fresh()
      const single = mysqlStore(pool, { table, mode: 'single' })
      const [first, second] = [keyOf(), keyOf()]
      await store.claim(first, 'a', LEASE_MS)
      expect(await single.claim(first, 'b', LEASE_MS)).toBe('busy')
      await single.claim(second, 'a', LEASE_MS)
      expect(await store.claim(second, 'b', LEASE_MS)).toBe('done')
      expect(await store.release(second, 'a')).toBe(false)
    })
  })

  describe('check()', () => {
    const problems = async (client: mysql.Pool | mysql.Connection, table: string) =>
      (await mysqlStore(client, { table }).check())
        .map(({ problem }) => problem)
        .filter((problem) => !problem.includes('innodb_flush'))

    it.each([
      ['SET SESSION TRANSACTION READ ONLY', 'read-only'],
      ['SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE', 'isolation'],
      ['SET autocommit = 0', 'autocommit'],
    ])('check() finds %s', async (statement, problem) => {
      const { table } = await fresh()
      expect(await problems(await session(statement), table)).toStrictEqual([
        expect.stringContaining(problem),
      ])
    })

    it('check() finds a server that may lose the last commits', async () => {
      const [row] = await rowsOf('SELECT @@innodb_flush_log_at_trx_commit AS flush')
      const found = await (await fresh()).store.check()
      expect(found.some(({ problem }) => problem.includes('innodb_flush'))).toBe(row?.flush !== 1)
    })

    it('check() finds a table that is missing, one without its index, and one that is not InnoDB', async () => {
      expect(await problems(pool, 'not_there')).toStrictEqual([expect.stringContaining('is missing')])
      const { table } = await fresh()
      await pool.query(`ALTER TABLE ${table} DROP KEY expires_at, ENGINE = MyISAM`)
      expect(await problems(pool, table)).toStrictEqual([
        expect.stringContaining('MyISAM'),
        expect.stringContaining('sweep()'),
      ])
    })

    it.each([
      (table: string) => `CREATE TRIGGER counts_${table} BEFORE INSERT ON ${table} FOR EACH ROW SET @n = 1`,
      (table: string) => `ALTER TABLE ${table} ADD COLUMN id BIGINT AUTO_INCREMENT UNIQUE`,
    ])('check() finds a table whose insert IDs are set by others: %s', async (statement) => {
      const { table } = await fresh()
      await pool.query(statement(table))
      expect(await problems(pool, table)).toStrictEqual([expect.stringContaining('insert ID')])
    })

    it('check() finds a user without the rights that it needs', async () => {
      const { table } = await fresh()
      await pool.query("CREATE USER IF NOT EXISTS hookgate_reader IDENTIFIED BY 'r3ader'")
      await pool.query(`GRANT SELECT, INSERT, UPDATE ON ${table} TO hookgate_reader`)
      onTestFinished(async () => void (await pool.query('DROP USER hookgate_reader')))
      const reader = mysql.createPool({ ...server.address, user: 'hookgate_reader', password: 'r3ader' })
      onTestFinished(() => reader.end())
      expect(await problems(reader, table)).toStrictEqual([expect.stringContaining('lacks permissions')])
    })

    it('check() finds a connection that ends the process when it breaks', async () => {
      const { table } = await fresh()
      const connection = await mysql.createConnection(server.address)
      onTestFinished(() => connection.end())
      expect(await problems(connection, table)).toStrictEqual([
        expect.stringContaining('no error listener on the connection'),
      ])
      connection.on('error', () => {})
      expect(await problems(connection, table)).toStrictEqual([])
    })
  })
})
