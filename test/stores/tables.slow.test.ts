import mysql, { type RowDataPacket } from 'mysql2/promise'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { EventStoreError } from '../../src/index.ts'
import { type MysqlClient, type MysqlStore, mysqlStore } from '../../src/stores/mysql/store.ts'
import { type PostgresClient, type PostgresStore, postgresStore } from '../../src/stores/postgres/store.ts'
import { startMysql, WHY_NO_MYSQL } from '../support/mariadb-server.ts'
import { onPostgres, PostgresServer, WHY_NO_POSTGRES } from '../support/postgres-server.ts'

// What the tables of both engines have in common. What is special stands in postgres-table and mysql-table.

const LEASE_MS = 60_000
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

const READER = { user: 'hookgate_reader', password: 'r3ader' }

type Client = PostgresClient & MysqlClient
type Store = PostgresStore | MysqlStore
type Query = (statement: string) => Promise<readonly unknown[]>

/** A connection of its own. What waits keeps it. */
interface Session {
  readonly client: object
  readonly query: Query
  /** Without one, a connection that breaks ends the process. */
  listen(): unknown
}

interface Engine {
  readonly pool: object
  readonly query: Query
  connect(as?: typeof READER): Promise<Session>
  close(): Promise<unknown>
}

/** What is spelt differently. */
interface Dialect {
  start(): Promise<Engine>
  open(client: object, table: string): Store
  /** What `check()` tells of the server that tests start. */
  readonly ofServer: string
  earlier(ms: number): string
  /** Events that were done long ago. */
  lapsed(events: number): string
  readonly lockTimeout: string
  readonly ofLockTimeout: object
  readonly readOnly: string
  readonly serializable: string
  /** No error for a text that is too long. */
  readonly lenient?: string
  dropIndex(table: string): string
  /** Makes `READER`, who may not delete. */
  reader(table: string): readonly string[]
  readonly withoutReader: string
  hideBehindView(table: string): readonly string[]
}

const POSTGRES: Dialect = {
  async start() {
    const server = await PostgresServer.start()
    const pool = new pg.Pool(server.address)
    pool.on('error', () => {})
    return {
      pool,
      query: async (statement) => (await pool.query(statement)).rows,
      async connect(as) {
        const client = new pg.Client({ ...server.address, ...as })
        await client.connect()
        onTestFinished(() => client.end())
        return {
          client,
          query: async (statement) => (await client.query(statement)).rows,
          listen: () => client.on('error', () => {}),
        }
      },
      close: () => pool.end().then(() => server.remove()),
    }
  },
  open: (client, table) => postgresStore(client as Client, { table }),
  ofServer: 'fsync',
  earlier: (ms) => `${ms} * interval '1 millisecond'`,
  lapsed: (events) =>
    `SELECT gen_random_uuid(), clock_timestamp() - n * interval '1 s', TRUE, 'orders', NULL FROM generate_series(1, ${events}) AS n`,
  lockTimeout: 'SHOW lock_timeout',
  ofLockTimeout: { code: '55P03' },
  readOnly: 'SET default_transaction_read_only = on',
  serializable: 'SET default_transaction_isolation = serializable',
  dropIndex: (table) => `DROP INDEX ${table}_expires_at`,
  reader: (table) => [
    'CREATE ROLE hookgate_reader LOGIN',
    `GRANT SELECT, INSERT, UPDATE ON ${table} TO hookgate_reader`,
  ],
  withoutReader: 'DROP OWNED BY hookgate_reader; DROP ROLE hookgate_reader',
  hideBehindView: (table) => [
    `ALTER TABLE ${table} RENAME TO ${table}_kept`,
    `CREATE VIEW ${table} AS TABLE ${table}_kept`,
    `ALTER INDEX ${table}_pkey RENAME TO ${table}_kept_pkey`,
    `ALTER INDEX ${table}_expires_at RENAME TO ${table}_kept_expires_at`,
  ],
}

const MYSQL: Dialect = {
  async start() {
    const server = await startMysql()
    const pool = mysql.createPool(server.address)
    return {
      pool,
      query: async (statement) => (await pool.query<RowDataPacket[]>(statement))[0],
      async connect(as) {
        const client = await mysql.createConnection({ ...server.address, ...as })
        onTestFinished(() => client.end())
        return {
          client,
          query: async (statement) => (await client.query<RowDataPacket[]>(statement))[0],
          listen: () => client.on('error', () => {}),
        }
      },
      close: () => pool.end().then(() => server.remove()),
    }
  },
  open: (client, table) => mysqlStore(client as Client, { table }),
  ofServer: 'innodb_flush',
  earlier: (ms) => `INTERVAL ${ms * 1000} MICROSECOND`,
  lapsed: (events) => {
    const row = (_: unknown, n: number) =>
      `(UNHEX('${crypto.randomUUID().replaceAll('-', '')}'), 'orders', 'a', 1, UTC_TIMESTAMP(6) - INTERVAL ${n + 1} SECOND)`
    return `VALUES ${Array.from({ length: events }, row).join(', ')}`
  },
  lockTimeout: 'SELECT @@innodb_lock_wait_timeout AS seconds',
  ofLockTimeout: { code: 'ER_LOCK_WAIT_TIMEOUT' },
  readOnly: 'SET SESSION TRANSACTION READ ONLY',
  serializable: 'SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE',
  lenient: "SET sql_mode = ''",
  dropIndex: (table) => `ALTER TABLE ${table} DROP KEY expires_at`,
  reader: (table) => [
    `CREATE USER IF NOT EXISTS hookgate_reader IDENTIFIED BY '${READER.password}'`,
    `GRANT SELECT, INSERT, UPDATE ON ${table} TO hookgate_reader`,
  ],
  withoutReader: 'DROP USER hookgate_reader',
  hideBehindView: (table) => [
    `RENAME TABLE ${table} TO ${table}_kept`,
    `CREATE VIEW ${table} AS SELECT * FROM ${table}_kept`,
  ],
}

const ENGINES: readonly [name: string, dialect: Dialect, whyNot: string | undefined][] = [
  [onPostgres('Postgres'), POSTGRES, WHY_NO_POSTGRES],
  [WHY_NO_MYSQL === undefined ? 'MariaDB' : `MariaDB (skipped: ${WHY_NO_MYSQL})`, MYSQL, WHY_NO_MYSQL],
]

const keyOf = (listenerId = 'orders') => ({ listenerId, eventId: crypto.randomUUID() })

describe.each(ENGINES)('the table of events in %s', (_, dialect, whyNot) => {
  let engine: Engine
  let tables = 0
  beforeAll(async () => {
    if (whyNot === undefined) engine = await dialect.start()
  })
  afterAll(() => engine?.close())

  const on = (session: Session, table: string) => dialect.open(session.client, table)

  /** A store on a new table. */
  async function fresh(): Promise<{ store: Store; table: string }> {
    tables += 1
    const table = `events_${tables}`
    const store = dialect.open(engine.pool, table)
    await store.migrate()
    onTestFinished(async () => void (await engine.query(`DROP TABLE IF EXISTS ${table}`)))
    return { store, table }
  }

  /** A connection on which this has been said. */
  async function session(...statements: readonly string[]): Promise<Session> {
    const connected = await engine.connect()
    connected.listen()
    for (const statement of statements) await connected.query(statement)
    return connected
  }

  const count = async (table: string) => (await engine.query(`SELECT 1 FROM ${table}`)).length
  const age = (table: string, ms: number) =>
    engine.query(`UPDATE ${table} SET expires_at = expires_at - ${dialect.earlier(ms)}`)
  const problemsOf = async (store: Store) =>
    (await store.check()).filter(({ problem }) => !problem.includes(dialect.ofServer))
  const problems = async (store: Store) => (await problemsOf(store)).map(({ problem }) => problem)

  const test = it.skipIf(whyNot)

  test('migrate() may run in many processes at once, and again, and keeps existing records', async () => {
    const store = dialect.open(engine.pool, 'at_once')
    onTestFinished(async () => void (await engine.query('DROP TABLE at_once')))
    await Promise.all(Array.from({ length: 8 }, () => store.migrate()))
    const key = keyOf()
    await store.claim(key, 'a', LEASE_MS)
    await store.migrate()
    expect(await store.claim(key, 'b', LEASE_MS)).toBe('busy')
  })

  test('migrate() does not run on requests: a claim without a table fails, and names the fix', async () => {
    const claim = dialect.open(engine.pool, 'nowhere').claim(keyOf(), 'a', LEASE_MS)
    await expect(claim).rejects.toThrow(EventStoreError)
    await expect(claim).rejects.toThrow('store.migrate()')
  })

  test('an event is remembered for 6 days 23 hours 59 minutes, and not for 7 days and a minute', async () => {
    const { store, table } = await fresh()
    const key = keyOf()
    await store.claim(key, 'a', LEASE_MS)
    await store.commit(key, 'a', 7 * DAY_MS)
    await age(table, 7 * DAY_MS - MINUTE_MS)
    expect(await store.claim(key, 'b', LEASE_MS)).toBe('done')
    await age(table, 2 * MINUTE_MS)
    expect(await store.claim(key, 'b', LEASE_MS)).toBe('acquired')
  })

  test('the retention may exceed the range of the server: forever is a thousand years', async () => {
    const { store } = await fresh()
    const key = keyOf()
    expect(await store.claim(key, 'a', Number.MAX_VALUE)).toBe('acquired')
    expect(await store.renew?.(key, 'a', Number.MAX_VALUE)).toBe(true)
    expect(await store.commit(key, 'a', Number.MAX_VALUE)).toBe('committed')
  })

  test('the table accepts listener IDs and owners of any length', async () => {
    const { table } = await fresh()
    const store = on(await session(...(dialect.lenient ? [dialect.lenient] : [])), table)
    const { eventId } = keyOf()
    const letters = Array.from({ length: 5000 }, (_, place) => 0x4e00 + ((place * 7919) % 20_000))
    const long = String.fromCodePoint(...letters)
    for (const listenerId of [long, `${long}x`, long.slice(1), `${long}\u0000`]) {
      const key = { listenerId, eventId }
      expect(await store.claim(key, `${long}a`, LEASE_MS)).toBe('acquired')
      expect(await store.claim(key, `${long}b`, LEASE_MS)).toBe('busy')
      expect(await store.renew?.(key, `${long}b`, LEASE_MS)).toBe(false)
      expect(await store.renew?.(key, `${long}a`, LEASE_MS)).toBe(true)
      expect(await store.commit(key, `${long}b`, LEASE_MS)).toBe('lost')
    }
  })

  describe('locks', () => {
    test('a renewal does not wait for a transaction that has locked the record, and renews once that is over', async () => {
      const { store, table } = await fresh()
      const narrow = on(await session(), table)
      const key = keyOf()
      await store.claim(key, 'a', LEASE_MS)
      const tx = await session('BEGIN', `SELECT * FROM ${table} FOR UPDATE`)
      expect(await narrow.renew?.(key, 'a', LEASE_MS)).toBe('locked')
      await tx.query('ROLLBACK')
      expect(await narrow.renew?.(key, 'a', LEASE_MS)).toBe(true)
      expect(await narrow.claim(keyOf(), 'b', LEASE_MS)).toBe('acquired')
      await tx.query('BEGIN')
      await tx.query(`UPDATE ${table} SET owner = 'a job'`)
      expect(await narrow.renew?.(key, 'a', LEASE_MS)).toBe('locked')
      await tx.query('COMMIT')
      expect(await narrow.renew?.(key, 'a', LEASE_MS)).toBe(false)
    })

    test('claims, commits and releases wait a second for such a transaction, so that their connection comes back', async () => {
      const { store, table } = await fresh()
      const one = await session()
      const narrow = on(one, table)
      const key = keyOf()
      await store.claim(key, 'a', LEASE_MS)
      await age(table, 2 * LEASE_MS)
      const usual = await one.query(dialect.lockTimeout)
      const tx = await session('BEGIN', `SELECT * FROM ${table} FOR UPDATE`)
      expect(await narrow.claim(key, 'b', LEASE_MS)).toBe('busy')
      await expect(narrow.commit(key, 'a', LEASE_MS)).rejects.toMatchObject(dialect.ofLockTimeout)
      await expect(narrow.release(key, 'a')).rejects.toMatchObject(dialect.ofLockTimeout)
      expect(await one.query(dialect.lockTimeout)).toStrictEqual(usual)
      await tx.query('ROLLBACK')
      expect(await narrow.claim(key, 'b', LEASE_MS)).toBe('acquired')
    })

    test('of a renewal and many claims at once, at the end of a lease, one has the event at most', async () => {
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
        const inRound = acquired + (renewed === true ? 1 : 0)
        expect(inRound).toBeLessThanOrEqual(1) // none, if all claims came before the lease's end and the renewal after it
        owners += inRound
      }
      expect(owners).toBeGreaterThan(15)
    })
  })

  describe('sweep()', () => {
    async function withLapsed(events: number) {
      const { store, table } = await fresh()
      await engine.query(`INSERT INTO ${table} ${dialect.lapsed(events)}`)
      return { store, table }
    }

    test('sweep() deletes only expired records, up to its limit', async () => {
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

    test('sweep() stops at 10,000 by default, and deletes no record twice', async () => {
      const { store, table } = await withLapsed(10_010)
      expect(await store.sweep()).toBe(10_000)
      expect(await count(table)).toBe(10)
      const swept = await Promise.all(Array.from({ length: 5 }, () => store.sweep()))
      expect(swept.reduce((sum, some) => sum + some)).toBe(10)
    })

    test('sweep() leaves a record that is taken over meanwhile', async () => {
      const { store, table } = await fresh()
      const keys = Array.from({ length: 50 }, () => keyOf())
      await Promise.all(keys.map((key) => store.claim(key, 'crashed', LEASE_MS)))
      await age(table, 2 * LEASE_MS)
      // What a sweep has locked is busy until it is deleted.
      const taken = keys.map((key) => expect.poll(() => store.claim(key, 'b', LEASE_MS)).toBe('acquired'))
      await Promise.all([...taken, store.sweep(), store.sweep()])
      const again = await Promise.all(keys.map((key) => store.claim(key, 'c', LEASE_MS)))
      expect(new Set(again)).toStrictEqual(new Set(['busy']))
    })

    test.each([0, -1, 1.5, Number.NaN])('sweep() has no limit of %d', async (limit) => {
      await expect((await fresh()).store.sweep(limit)).rejects.toThrow('limit')
    })
  })

  describe('check()', () => {
    test('check() finds nothing wrong after migrate()', async () => {
      expect(await problems((await fresh()).store)).toStrictEqual([])
    })

    test('check() finds a session that isolates transactions further than the store needs', async () => {
      const { table } = await fresh()
      const found = await problems(on(await session(dialect.serializable), table))
      expect(found).toStrictEqual([expect.stringContaining('isolation')])
    })

    test('a session that is read-only is found by check(), and by each statement, for duplicates too: a replica may be behind', async () => {
      const { store, table } = await fresh()
      const key = keyOf()
      await store.commit(key, 'a', DAY_MS)
      const reader = on(await session(dialect.readOnly), table)
      const fix =
        /connect to the primary; an ORM with read replicas needs the executor of docs\/(?:idempotent|stores\/mysql)\.md/
      await expect(reader.claim(key, 'b', LEASE_MS)).rejects.toThrow(fix)
      await expect(reader.commit(key, 'b', LEASE_MS)).rejects.toThrow(fix)
      await expect(reader.release(key, 'b')).rejects.toThrow(fix)
      await expect(reader.renew?.(key, 'b', LEASE_MS)).rejects.toThrow(fix)
      expect(await problemsOf(reader)).toMatchObject([
        {
          problem: expect.stringContaining('read-only'),
          fix: expect.stringContaining('connect to the primary'),
        },
      ])
    })

    test('check() finds a table that is missing, and one without its index', async () => {
      const missing = await problems(dialect.open(engine.pool, 'not_there'))
      expect(missing).toStrictEqual([expect.stringContaining('is missing')])
      const { store, table } = await fresh()
      await engine.query(dialect.dropIndex(table))
      expect(await problems(store)).toStrictEqual([expect.stringContaining('sweep()')])
    })

    test('check() finds a view once, and its fix ends that', async () => {
      const { store, table } = await fresh()
      onTestFinished(async () => void (await engine.query(`DROP TABLE ${table}_kept`)))
      for (const statement of dialect.hideBehindView(table)) await engine.query(statement)
      expect(await problemsOf(store)).toMatchObject([
        {
          problem: expect.stringMatching(/^this is a view/),
          fix: expect.stringContaining('then run `await store.migrate()`'),
        },
      ])
      await engine.query(`DROP VIEW ${table}`)
      await store.migrate()
      expect(await problems(store)).toEqual([])
    })

    test('check() finds a user without the rights that it needs', async () => {
      const { table } = await fresh()
      for (const statement of dialect.reader(table)) await engine.query(statement)
      onTestFinished(async () => void (await engine.query(dialect.withoutReader)))
      const reader = await engine.connect(READER)
      reader.listen()
      expect(await problems(on(reader, table))).toStrictEqual([expect.stringContaining('lacks permissions')])
    })

    test('check() finds a connection that ends the process when it breaks', async () => {
      const { table } = await fresh()
      const connection = await engine.connect()
      const unheard = [expect.stringContaining('no error listener on the')]
      expect(await problems(on(connection, table))).toStrictEqual(unheard)
      connection.listen()
      expect(await problems(on(connection, table))).toStrictEqual([])
    })
  })
})
