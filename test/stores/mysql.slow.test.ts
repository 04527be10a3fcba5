import mariadb from 'mariadb'
import mysql from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MysqlClient, mysqlStore } from '../../src/stores/mysql/store.ts'
import { eventStoreSuite } from '../../src/testing/index.ts'
import { expectAnyId } from '../support/any-id.ts'
import { type MysqlAddress, type MysqlServer, startMysql, WHY_NO_MYSQL } from '../support/mariadb-server.ts'

interface Variant {
  readonly client?: object
  /** Run on each connection. */
  readonly session?: string
}

interface Opened {
  readonly client: MysqlClient
  close(): Promise<unknown>
}

/** mysql2 has no hook for new connections, so the variant's statement is the first in the queue of each. */
function openMysql2(address: MysqlAddress, { client, session }: Variant): Opened {
  const pool = mysql.createPool({ ...address, connectionLimit: 8, ...client })
  if (session !== undefined) pool.pool.on('connection', (connection) => void connection.query(session))
  return { client: pool, close: () => pool.end() }
}

function openMariadb(address: MysqlAddress, { client, session }: Variant): Opened {
  const pool = mariadb.createPool({
    ...address,
    connectionLimit: 8,
    ...(session !== undefined && { initSql: session }),
    ...client,
  })
  return { client: pool, close: () => pool.end() }
}

/** What the settings of a session and of a client could change, several at a time. */
const NO_ESCAPES = "SET sql_mode = 'NO_BACKSLASH_ESCAPES,ANSI_QUOTES,PIPES_AS_CONCAT'"
const ELSEWHERE = "SET time_zone = '-11:00', sql_mode = '', sql_safe_updates = 1"
const LATIN1 = "SET NAMES latin1, sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_DATE,HIGH_NOT_PRECEDENCE'"
const SERIALIZABLE = 'SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE'
const READ_COMMITTED = 'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED'

const MYSQL2: Readonly<Record<string, Variant>> = {
  'as it comes': {},
  'without found rows, where a backslash escapes nothing': {
    session: NO_ESCAPES,
    client: { flags: ['-FOUND_ROWS'], namedPlaceholders: true },
  },
  'with numbers as text and rows as arrays, elsewhere, and not strict': {
    session: ELSEWHERE,
    client: { supportBigNumbers: true, bigNumberStrings: true, rowsAsArray: true },
  },
  'with columns as bytes, in latin1': { session: LATIN1, client: { typeCast: false } },
  'with rows in tables, under READ COMMITTED': { session: READ_COMMITTED, client: { nestTables: true } },
  'under SERIALIZABLE': { session: SERIALIZABLE },
}

const MARIADB: Readonly<Record<string, Variant>> = {
  'as it comes': {},
  'without found rows, where a backslash escapes nothing': {
    session: NO_ESCAPES,
    client: { foundRows: false, metaAsArray: true },
  },
  'with insert IDs as numbers and rows as arrays, elsewhere, and not strict': {
    session: ELSEWHERE,
    client: { insertIdAsNumber: true, bigIntAsNumber: true, rowsAsArray: true },
  },
  'with numbers as text, in latin1': {
    session: LATIN1,
    client: { supportBigNumbers: true, bigNumberStrings: true },
  },
  'with rows in tables, under READ COMMITTED': { session: READ_COMMITTED, client: { nestTables: true } },
  'under SERIALIZABLE': { session: SERIALIZABLE },
}

const CLIENTS = [
  ['mysql2', openMysql2, MYSQL2],
  ['mariadb', openMariadb, MARIADB],
] as const

const older = (ms: number) =>
  `UPDATE hookgate_events SET expires_at = expires_at - INTERVAL ${ms * 1000} MICROSECOND`

describe.skipIf(WHY_NO_MYSQL)('the contract of every store, in MariaDB', () => {
  let server: MysqlServer
  let admin: mysql.Pool

  beforeAll(async () => {
    server = await startMysql()
    admin = mysql.createPool(server.address)
    await mysqlStore(admin).migrate()
  })

  afterAll(async () => {
    await admin?.end()
    await server?.remove()
  })

  describe.each(CLIENTS)('on %s', (_, open, variants) => {
    describe.each(Object.entries(variants))('%s', (_name, variant) => {
      let opened: Opened
      beforeAll(() => {
        opened = open(server.address, variant)
      })
      afterAll(async () => {
        await opened?.close()
        await admin?.query('DELETE FROM hookgate_events') // every case makes all records older
      })

      eventStoreSuite(it, () => ({
        store: mysqlStore(opened.client),
        other: mysqlStore(admin),
        advance: (ms) => admin.query(older(ms)),
      }))

      it('the store takes any ID, as verify() maps it', () => expectAnyId(mysqlStore(opened.client)))

      it('the store sweeps what is over, and checks its table', async () => {
        const store = mysqlStore(opened.client)
        const key = { listenerId: 'swept \u0000 😀', eventId: crypto.randomUUID() }
        await store.commit(key, 'a', 1)
        await admin.query(older(2))
        while ((await store.sweep()) > 0) {}
        const [rows] = await admin.query('SELECT 1 FROM hookgate_events WHERE event_id = UNHEX(?)', [
          key.eventId.replaceAll('-', ''),
        ])
        expect(rows).toHaveLength(0)
        const problems = (await store.check()).map(({ problem }) => problem)
        const isSerializable = variant.session?.includes('SERIALIZABLE') === true
        expect(problems.filter((problem) => !problem.includes('innodb_flush'))).toStrictEqual(
          isSerializable ? [expect.stringContaining('SERIALIZABLE')] : [],
        )
      })
    })
  })
})
