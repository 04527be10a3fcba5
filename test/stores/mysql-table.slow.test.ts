import mysql, { type RowDataPacket } from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { EventStoreError } from '../../src/errors.ts'
import { inbox } from '../../src/inbox/index.ts'
import { type MysqlClient, type MysqlStore, mysqlSchema, mysqlStore } from '../../src/stores/mysql/store.ts'
import { entityVersions, postgresStore } from '../../src/stores/postgres/store.ts'
import {
  IS_MYSQL,
  type MysqlServer,
  startMysql,
  WHY_NO_MARIADB,
  WHY_NO_MYSQL,
} from '../support/mariadb-server.ts'

const LEASE_MS = 60_000
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
  async function fresh(): Promise<{ store: MysqlStore; table: string }> {
    tables += 1
    const table = `events_${tables}`
    onTestFinished(async () => void (await pool.query(`DROP TABLE IF EXISTS ${table}`)))
    const store = mysqlStore(pool, { table })
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

  describe('time', () => {
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

  it.skipIf(WHY_NO_MARIADB)('nothing waits longer than a second for a change of the table', async () => {
    const { store, table } = await fresh()
    const key = keyOf()
    await store.claim(key, 'a', LEASE_MS)
    const changing = await session(`LOCK TABLES ${table} WRITE`)
    const locked = { code: 'ER_LOCK_WAIT_TIMEOUT' }
    expect(await store.claim(key, 'b', LEASE_MS)).toBe('busy')
    expect(await store.renew?.(key, 'a', LEASE_MS)).toBe('locked')
    await expect(store.commit(key, 'a', LEASE_MS)).rejects.toMatchObject(locked)
    await expect(store.sweep()).rejects.toMatchObject(locked)
    await changing.query('UNLOCK TABLES')
    expect(await store.commit(key, 'a', LEASE_MS)).toBe('committed')
  })

  it('sweep() deletes what was released', async () => {
    const { store, table } = await fresh()
    const key = keyOf()
    await store.claim(key, 'a', LEASE_MS)
    expect(await store.release(key, 'a')).toBe(true)
    expect(await store.sweep()).toBe(1)
    expect(await count(table)).toBe(0)
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

  describe('check()', () => {
    const problems = async (client: MysqlClient, table: string) =>
      (await mysqlStore(client, { table }).check())
        .map(({ problem }) => problem)
        .filter((problem) => !problem.includes('innodb_flush'))

    it.each([
      ['SET autocommit = 0', 'autocommit'],
      ['SET timestamp = 1700000000', 'SET timestamp'],
      ['SET timestamp = UNIX_TIMESTAMP() + 60', 'SET timestamp'],
    ])('check() finds %s', async (statement, problem) => {
      const { table } = await fresh()
      expect(await problems(await session(statement), table)).toStrictEqual([
        expect.stringContaining(problem),
      ])
    })

    it('check() finds a MySQL whose statements wait long for a transaction', async () => {
      const { table } = await fresh()
      const long = await session('SET SESSION innodb_lock_wait_timeout = 6')
      const client: MysqlClient = {
        async query(text, values) {
          const [rows] = await long.query(text, values)
          return JSON.parse(JSON.stringify(rows).replaceAll('-MariaDB', ''))
        },
      }
      expect(await problems(client, table)).toStrictEqual([
        expect.stringContaining('innodb_lock_wait_timeout is 6'),
      ])
      await long.query('SET SESSION innodb_lock_wait_timeout = 5')
      expect(await problems(client, table)).toStrictEqual([])
    })

    it.each<[string, mysql.ConnectionOptions]>([
      ['null', { typeCast: () => null }],
      ['a number', { typeCast: () => 1 }],
      ['other texts', { typeCast: (field) => `x${field.string()}` }],
      ['texts that are cut', { typeCast: (field) => field.string()?.slice(0, -1) }],
    ])(
      'check(), sweep() and migrate() refuse a client that makes %s of what the server answers',
      async (_, options) => {
        const { store, table } = await fresh()
        await store.commit(keyOf(), 'a', 1)
        await age(table, 60_000)
        const client = mysql.createPool({ ...server.address, ...options })
        onTestFinished(() => client.end())
        const behind = mysqlStore(client, { table })
        const refusal = /does not return what MySQL answered.*`typeCast` of mysql2|Knex/
        for (const ask of [() => behind.check(), () => behind.sweep(), () => behind.migrate()])
          await expect(ask()).rejects.toThrow(refusal)
        const key = keyOf()
        expect(await behind.claim(key, 'a', LEASE_MS)).toBe('acquired') // by the insert ID, which no typeCast sees
        expect(await behind.renew?.(key, 'a', LEASE_MS)).toBe(true)
        expect(await behind.commit(key, 'a', LEASE_MS)).toBe('committed')
      },
    )

    it('rows as arrays, bytes and names of other letters change nothing', async () => {
      const { store, table } = await fresh()
      for (const options of [
        { rowsAsArray: true },
        { typeCast: (field: { buffer(): unknown }) => field.buffer() },
      ]) {
        await store.commit(keyOf(), 'a', 1)
        await age(table, 60_000)
        const client = mysql.createPool({ ...server.address, ...options })
        onTestFinished(() => client.end())
        expect(await mysqlStore(client, { table }).sweep()).toBe(1)
        expect(await problems(client, table)).toEqual([])
      }
    })

    it('a Postgres client in disguise of this server, and this one as a Postgres, are named by the first answer', async () => {
      const executor = { query: (text: string, values: string[]) => pool.query(text, values) }
      const words = /a client of MySQL, as its server answers: use mysqlStore from hookgate\/stores\/mysql/
      const postgres = postgresStore(executor)
      await expect(postgres.migrate()).rejects.toThrow(words)
      await expect(postgres.check()).rejects.toThrow(words)
      await expect((async () => postgres.claim(keyOf(), 'a', LEASE_MS))()).rejects.toThrow(words)
      await expect(inbox(executor).migrate()).rejects.toThrow(words)
      await expect(entityVersions().migrate(executor)).rejects.toThrow(words)
    })

    it('check() finds a server that may lose the last commits', async () => {
      const [row] = await rowsOf('SELECT @@innodb_flush_log_at_trx_commit AS flush')
      const found = await (await fresh()).store.check()
      expect(found.some(({ problem }) => problem.includes('innodb_flush'))).toBe(row?.flush !== 1)
    })

    it('check() finds a table that is not InnoDB', async () => {
      const { table } = await fresh()
      await pool.query(`ALTER TABLE ${table} ENGINE = MyISAM`)
      expect(await problems(pool, table)).toStrictEqual([expect.stringContaining('MyISAM')])
    })

    const KEYED = 'PRIMARY KEY (event_id, listener_id)'
    const columns = (listener = 'VARBINARY(500)') =>
      `event_id BINARY(16) NOT NULL, listener_id ${listener} NOT NULL, owner VARBINARY(500) NOT NULL, done TINYINT NOT NULL, expires_at DATETIME(6) NOT NULL, KEY swept (expires_at)`
    const losing = (keys: string) =>
      `the table tells records apart by ${keys}, not by (event_id, listener_id) alone: events run twice or are lost`
    const foreign = (missing: string) => `this is not the store's table: it has no binary columns ${missing}`

    it.each([
      ['no key', columns(), losing('no key')],
      ['the event alone as its key', `${columns()}, PRIMARY KEY (event_id)`, losing('(event_id)')],
      [
        'one more unique key',
        `${columns()}, ${KEYED}, UNIQUE (event_id)`,
        losing('(event_id) and (event_id, listener_id)'),
      ],
      [
        'the begin of listeners in its key',
        `${columns()}, PRIMARY KEY (event_id, listener_id(9))`,
        losing('(event_id, listener_id(9))'),
      ],
      [
        'the time in its key',
        `${columns()}, PRIMARY KEY (event_id, listener_id, expires_at)`,
        losing('(event_id, expires_at, listener_id)'),
      ],
      [
        'the begin of listeners in one more unique key',
        `${columns()}, ${KEYED}, UNIQUE (event_id, expires_at, listener_id(9))`,
        losing('(event_id, expires_at, listener_id(9)) and (event_id, listener_id)'),
      ],
      [
        'listeners of any case as one',
        `${columns('VARCHAR(500) CHARSET latin1')}, ${KEYED}`,
        foreign('listener_id'),
      ],
      [
        'none of its columns',
        'expires_at DATETIME(6) PRIMARY KEY',
        foreign('event_id, listener_id, owner, done'),
      ],
    ])('check() finds a table with %s, and migrate() fails for it', async (_, definition, problem) => {
      const { store, table } = await fresh()
      await pool.query(`DROP TABLE ${table}`)
      await pool.query(`CREATE TABLE ${table} (${definition})`)
      expect(await problems(pool, table)).toStrictEqual([problem])
      await expect(store.migrate()).rejects.toThrow(EventStoreError)
      await expect(store.migrate()).rejects.toThrow(`migrate() cannot make the table ${table}: ${problem}`)
    })

    it.each([
      ['the order of its key', `${columns()}, PRIMARY KEY (listener_id, event_id)`],
      ['a unique key that is not primary', `${columns()}, UNIQUE (event_id, listener_id)`],
      [
        'a key and a column of your own',
        `${columns()}, id BINARY(16) DEFAULT (UUID()) PRIMARY KEY, UNIQUE (event_id, listener_id)`,
      ],
      ['names in capitals', `${columns()}, ${KEYED}`.toUpperCase()],
      ['having its key twice', `${columns()}, ${KEYED}, UNIQUE again (listener_id, event_id)`],
      ['a unique key that is wider', `${columns()}, ${KEYED}, UNIQUE (expires_at, event_id, listener_id)`],
    ])('check() and migrate() take a table that differs in %s', async (_, definition) => {
      const { store, table } = await fresh()
      await pool.query(`DROP TABLE ${table}`)
      await pool.query(`CREATE TABLE ${table} (${definition})`)
      expect(await problems(pool, table)).toStrictEqual([])
      await store.migrate()
    })

    it('check() finds a table with no index for sweep(), and migrate() takes it', async () => {
      const { store, table } = await fresh()
      await pool.query(`ALTER TABLE ${table} DROP KEY expires_at`)
      expect(await problems(pool, table)).toStrictEqual([
        'no index begins with expires_at, so sweep() reads the whole table',
      ])
      await store.migrate()
    })

    it.each([
      'SET group_concat_max_len = 4',
      'SET group_concat_max_len = 20',
      ...(IS_MYSQL ? [] : ["SET sql_mode = 'ORACLE'", "SET sql_mode = 'EMPTY_STRING_IS_NULL'"]),
    ])('check() and migrate() tell a right table from a wrong one after %s', async (statement) => {
      const { table } = await fresh()
      const client = await session(statement)
      await mysqlStore(client, { table }).migrate()
      expect(await problems(client, table)).toStrictEqual([])
      await pool.query(`ALTER TABLE ${table} DROP PRIMARY KEY, ADD PRIMARY KEY (event_id, listener_id(9))`)
      const problem = losing('(event_id, listener_id(9))')
      expect(await problems(client, table)).toStrictEqual([problem])
      await expect(mysqlStore(client, { table }).migrate()).rejects.toThrow(problem)
    })

    it('a copy without its key becomes a right table by the fix of check()', async () => {
      const { store, table } = await fresh()
      await pool.query(`CREATE TABLE ${table}_copy AS SELECT * FROM ${table}`)
      await pool.query(`DROP TABLE ${table}`)
      await pool.query(`RENAME TABLE ${table}_copy TO ${table}`)
      const found = await store.check()
      expect(found.map(({ problem }) => problem)).toEqual(
        expect.arrayContaining([losing('no key'), expect.stringContaining('sweep()')]),
      )
      for (const { fix } of found)
        for (const [, clause] of fix.matchAll(/(ADD .*)/g)) await pool.query(`ALTER TABLE ${table} ${clause}`)
      expect(await problems(pool, table)).toStrictEqual([])
      await store.migrate()
    })

    it('migrate() fails for a view, and needs no right but CREATE', async () => {
      const { table } = await fresh()
      await pool.query(`CREATE VIEW ${table}_seen AS SELECT * FROM ${table}`)
      onTestFinished(async () => void (await pool.query(`DROP VIEW ${table}_seen`)))
      const seen = mysqlStore(pool, { table: `${table}_seen` })
      await expect(seen.migrate()).rejects.toThrow(`cannot make the table ${table}_seen: this is a view`)
      await pool.query("CREATE USER hookgate_maker IDENTIFIED BY 'm4ker'")
      onTestFinished(async () => void (await pool.query('DROP USER hookgate_maker')))
      await pool.query(`GRANT CREATE ON ${server.address.database}.* TO hookgate_maker`)
      const maker = await mysql.createConnection({
        ...server.address,
        user: 'hookgate_maker',
        password: 'm4ker',
      })
      onTestFinished(() => maker.end())
      await mysqlStore(maker, { table }).migrate()
    })

    it.each([
      (table: string) => `CREATE TRIGGER counts_${table} BEFORE INSERT ON ${table} FOR EACH ROW SET @n = 1`,
      (table: string) => `ALTER TABLE ${table} ADD COLUMN id BIGINT AUTO_INCREMENT UNIQUE`,
    ])('check() finds a table whose insert IDs are set by others: %s', async (statement) => {
      const { table } = await fresh()
      await pool.query(statement(table))
      expect(await problems(pool, table)).toStrictEqual([expect.stringContaining('insert ID')])
    })
  })
})
