import { readFileSync } from 'node:fs'
import mysql from 'mysql2/promise'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inbox } from '../../../src/inbox/index.ts'
import { mysqlStore } from '../../../src/stores/mysql/store.ts'
import { entityVersions } from '../../../src/stores/postgres/entity-versions.ts'
import { postgresStore } from '../../../src/stores/postgres/store.ts'
import { MariadbServer, onMariadb, WHY_NO_MARIADB } from '../../support/mariadb-server.ts'
import { type OpenPort, openPort } from '../../support/open-port.ts'
import { PostgresServer } from '../../support/postgres-server.ts'
import { at } from './subjects.ts'

type Tool = (url: string, settings: object) => Promise<unknown>
type Tools = Readonly<Record<string, Tool>>

const { POSTGRES, MARIADB }: { readonly POSTGRES: Tools; readonly MARIADB: Tools } = await import(
  at('schema-tools.mjs').href
)

const TABLES_FILTER = { tablesFilter: ['!hookgate_*'] }
const IGNORE_SCHEMA = { ignoreSchema: ['hookgate'] }

/** What is left of hookgate's tables: of those with the default names, and of those in a schema, or database, of their own. */
type Outcome = readonly [
  tool: string,
  settings: object,
  byDefault: 'kept' | 'dropped',
  apart: 'kept' | 'dropped',
]

const LEASE_MS = 60_000
const keyOf = () => ({ listenerId: 'orders', eventId: crypto.randomUUID() })

describe('schema tools on Postgres', () => {
  let server: PostgresServer
  let port: OpenPort

  beforeAll(async () => {
    server = await PostgresServer.start()
    port = await openPort(server.socketPath)
    const admin = new pg.Client(server.address)
    await admin.connect()
    await admin.query('CREATE ROLE app SUPERUSER LOGIN') // a schema that is named as its user would come first in the search_path
    await admin.end()
  })

  afterAll(async () => {
    port?.close()
    await server?.remove()
  })

  const cases: readonly Outcome[] = [
    ['drizzle-kit push --force', {}, 'dropped', 'kept'],
    ['drizzle-kit push --force', { schemaFilter: ['public', 'hookgate'] }, 'dropped', 'dropped'],
    ['drizzle-kit push --force', TABLES_FILTER, 'kept', 'kept'],
    ['prisma db push --accept-data-loss', {}, 'dropped', 'kept'],
    ["MikroORM's schema:update", {}, 'dropped', 'dropped'],
    ["MikroORM's schema:update", IGNORE_SCHEMA, 'dropped', 'kept'],
    ["TypeORM's synchronize", {}, 'kept', 'kept'],
    ["TypeORM's synchronize", { dropSchema: true }, 'dropped', 'kept'],
    ["Sequelize's sync()", { alter: true }, 'kept', 'kept'],
    ["Sequelize's sync()", { force: true }, 'kept', 'kept'],
    ["Knex's migrations", {}, 'kept', 'kept'],
    ["Kysely's migrations", {}, 'kept', 'kept'],
  ]

  it.each(cases)('after %s with %j, the tables are %s, in a schema of their own %s', async (...outcome) => {
    const [name, settings, byDefault, apart] = outcome
    const admin = new pg.Client(server.address)
    await admin.connect()
    const database = `app_${crypto.randomUUID().replaceAll('-', '')}`
    await admin.query(`CREATE DATABASE ${database} OWNER app`)
    await admin.end()
    const url = `postgres://app@127.0.0.1:${port.port}/${database}`
    const pool = new pg.Pool({ connectionString: url })
    try {
      await pool.query('CREATE TABLE payments (id varchar(36) PRIMARY KEY)')
      await pool.query('CREATE SCHEMA hookgate')
      for (const prefix of ['hookgate_', 'hookgate.']) {
        const store = postgresStore(pool, { table: `${prefix}events` })
        const box = inbox(pool, { table: `${prefix}inbox` })
        await store.migrate()
        await box.migrate()
        await entityVersions({ table: `${prefix}versions` }).migrate(pool)
        await store.claim(keyOf(), 'a', LEASE_MS)
        await box.store.claim(keyOf(), 'a', LEASE_MS)
      }
      await POSTGRES[name]?.(url, settings)
      const { rows } = await pool.query(
        "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname IN ('public', 'hookgate')",
      )
      const names = rows.map((row) => row.name)
      expect(names).toContain('public.payments')
      for (const table of ['events', 'inbox', 'versions']) {
        expect([table, names.includes(`public.hookgate_${table}`)]).toStrictEqual([
          table,
          byDefault === 'kept',
        ])
        expect([table, names.includes(`hookgate.${table}`)]).toStrictEqual([table, apart === 'kept'])
      }
      const kept = names.filter((each) => /events|inbox/.test(each))
      for (const each of kept) expect((await pool.query(`SELECT FROM ${each}`)).rowCount).toBe(1)
    } finally {
      await pool.end()
    }
  })
})

describe.skipIf(WHY_NO_MARIADB)(onMariadb('schema tools on MariaDB'), () => {
  let server: MariadbServer
  let port: OpenPort
  let pool: mysql.Pool

  beforeAll(async () => {
    server = await MariadbServer.start()
    port = await openPort(server.socketPath)
    pool = mysql.createPool(server.address) // its database is `hookgate`
  })

  afterAll(async () => {
    await pool?.end()
    port?.close()
    await server?.remove()
  })

  const cases: readonly Outcome[] = [
    ['drizzle-kit push --force', {}, 'dropped', 'kept'],
    ['drizzle-kit push --force', TABLES_FILTER, 'kept', 'kept'],
    ["TypeORM's synchronize", {}, 'kept', 'kept'],
    ["Sequelize's sync()", { alter: true }, 'kept', 'kept'],
    ["Sequelize's sync()", { force: true }, 'kept', 'kept'],
  ]

  it.each(cases)('after %s with %j, the table is %s, in a database of its own %s', async (...outcome) => {
    const [name, settings, byDefault, apart] = outcome
    const database = `app_${crypto.randomUUID().replaceAll('-', '')}`
    await pool.query(`CREATE DATABASE ${database}`)
    await pool.query(`CREATE TABLE ${database}.payments (id varchar(36))`)
    const tables = [`${database}.hookgate_events`, `hookgate.events_${database}`]
    for (const table of tables) {
      const store = mysqlStore(pool, { table })
      await store.migrate()
      await store.claim(keyOf(), 'a', LEASE_MS)
    }
    await MARIADB[name]?.(`mysql://root@127.0.0.1:${port.port}/${database}`, settings)
    const [rows] = await pool.query<mysql.RowDataPacket[]>(
      "SELECT CONCAT(TABLE_SCHEMA, '.', TABLE_NAME) AS name FROM information_schema.TABLES",
    )
    const names = rows.map((row) => row.name)
    expect(names).toContain(`${database}.payments`)
    expect(tables.map((table) => names.includes(table))).toStrictEqual(
      [byDefault, apart].map((fate) => fate === 'kept'),
    )
    for (const table of tables.filter((each) => names.includes(each))) {
      const [kept] = await pool.query<mysql.RowDataPacket[]>(`SELECT 1 FROM ${table}`)
      expect(kept).toHaveLength(1)
    }
  })
})

const PAGE = readFileSync(new URL('../../../docs/idempotent.md', import.meta.url), 'utf8')

it.each([
  "{ table: 'hookgate.events' }",
  "'hookgate.inbox'",
  "'hookgate.versions'",
  "tablesFilter: ['!hookgate_*']",
  "schemaGenerator: { ignoreSchema: ['hookgate'] }",
])('docs/idempotent.md names %s, which these tests run with', (guard) => {
  expect(PAGE).toContain(guard)
})
