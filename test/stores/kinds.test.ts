import { DynamoDB } from '@aws-sdk/client-dynamodb'
import { PGlite } from '@electric-sql/pglite'
import { createClient as createLibsql } from '@libsql/client'
import { Pool as NeonPool, neon } from '@neondatabase/serverless'
import { Redis as UpstashRedis } from '@upstash/redis'
import { Redis } from 'ioredis'
import Database from 'libsql'
import mariadb from 'mariadb'
import mysqlCallbacks from 'mysql2'
import mysql from 'mysql2/promise'
import pg from 'pg'
import postgres from 'postgres'
import { createClient as createRedis } from 'redis'
import { describe, expect, it } from 'vitest'
import { inbox } from '../../src/inbox/index.ts'
import { ListenerConfigError } from '../../src/index.ts'
import { durableObjectStore } from '../../src/stores/durable-object/store.ts'
import { dynamodbStore } from '../../src/stores/dynamodb/store.ts'
import { mysqlStore } from '../../src/stores/mysql/store.ts'
import { entityVersions, postgresStore } from '../../src/stores/postgres/store.ts'
import { redisStore } from '../../src/stores/redis/store.ts'
import { d1Store } from '../../src/stores/sqlite/d1.ts'
import { sqliteStore } from '../../src/stores/sqlite/store.ts'

/** Each store, with how an error names it. */
const STORES: Readonly<Record<string, (client: never) => unknown>> = {
  postgresStore,
  mysqlStore,
  sqliteStore,
  d1Store,
  redisStore,
  dynamodbStore,
  durableObjectStore,
}

const nowhere = { host: '/nowhere', port: 1 }
const methods = (...names: string[]) => Object.fromEntries(names.map((name) => [name, () => {}]))
const callable = (members: object) => Object.assign(() => {}, members)

/** Clients, not connected, by the store that takes them. Of those that cannot run here, the shape. */
const CLIENTS: Readonly<Record<string, readonly (readonly [what: string, client: object])[]>> = {
  postgresStore: [
    ['a pool of pg', new pg.Pool(nowhere)],
    ['a client of pg', new pg.Client(nowhere)],
    ['a client of postgres.js', postgres(nowhere)],
    ['a PGlite', Object.create(PGlite.prototype)],
    ['a neon()', neon('postgres://u:p@nowhere.test/db')],
    ['a pool of pg', new NeonPool({ connectionString: 'postgres://u:p@nowhere.test/db' })],
    ['a Bun SQL of postgres', callable({ ...methods('unsafe', 'begin'), options: { adapter: 'postgres' } })],
    ['a TypeORM on postgres', { ...methods('getRepository', 'query'), options: { type: 'postgres' } }],
  ],
  mysqlStore: [
    ['a mysql2 pool', mysql.createPool({ host: '127.0.0.1', port: 1 })],
    ['a mariadb pool', mariadb.createPool({ host: '127.0.0.1', port: 1, minimumIdle: 0 })],
    ['a TypeORM on mariadb', { ...methods('getRepository', 'query'), options: { type: 'mariadb' } }],
  ],
  sqliteStore: [
    ['a database of SQLite', new Database(':memory:')],
    ['a client of @libsql/client', createLibsql({ url: ':memory:' })],
  ],
  redisStore: [
    ['a Redis client', new Redis({ lazyConnect: true })],
    ['a Redis client', createRedis()],
    ['a Redis client', new UpstashRedis({ url: 'https://nowhere.test', token: 't' })],
  ],
  dynamodbStore: [['a client of DynamoDB', new DynamoDB({ region: 'eu-central-1' })]],
  durableObjectStore: [['a Durable Object namespace', methods('idFromName', 'get')]],
}

/** Refused everywhere: they are of that database, but need another form. */
const OTHERS: readonly (readonly [store: string, what: string, client: object])[] = [
  ['mysqlStore', 'a mysql2 pool', mysqlCallbacks.createPool({ host: '127.0.0.1', port: 1 })],
  ['mysqlStore', 'a mysql2 connection', methods('escapeId', 'query', 'prepare', 'execute')],
  [
    'mysqlStore',
    'a Bun SQL of mysql',
    callable({ ...methods('unsafe', 'begin'), options: { adapter: 'mysql' } }),
  ],
  [
    'mysqlStore',
    'a Knex on mysql',
    callable({ ...methods('raw', 'batchInsert'), client: { dialect: 'mysql' } }),
  ],
  [
    'mysqlStore',
    'a Sequelize on mariadb',
    { ...methods('getQueryInterface', 'query'), options: { dialect: 'mariadb' } },
  ],
  [
    'sqliteStore',
    'a Bun SQL of sqlite',
    callable({ ...methods('unsafe', 'begin'), options: { adapter: 'sqlite' } }),
  ],
  [
    'mysqlStore',
    'a Drizzle on a mysql2 pool',
    {
      ...methods('execute', 'select', 'insert', 'transaction'),
      $client: methods('escapeId', 'query', 'getConnection'),
    },
  ],
]

describe('a store and the clients of other databases', () => {
  const own = Object.entries(CLIENTS).flatMap(([store, clients]) =>
    clients.map(([what, client]) => [store, what, client] as const),
  )

  it.each(own)('%s takes %s', (store, _, client) => {
    expect(() => STORES[store]?.(client as never)).not.toThrow()
  })

  const mixed = [...own, ...OTHERS].flatMap(([store, what, client]) =>
    Object.keys(STORES)
      .filter((other) => other !== store)
      .map((other) => [other, what, store, client] as const),
  )

  it.each(mixed)('%s refuses %s, and names %s', (other, what, store, client) => {
    const make = () => STORES[other]?.(client as never)
    expect(make).toThrow(ListenerConfigError)
    expect(make).toThrow(store)
    expect(make).toThrow(`this is ${what}: use ${store} from hookgate/stores/`)
  })

  it.each(own.filter(([store]) => store !== 'postgresStore'))(
    'inbox and entityVersions, which are for Postgres alone, refuse a client of %s, %s',
    async (store, what, client) => {
      const words = `this is ${what}: use ${store} from`
      expect(() => inbox(client as never)).toThrow(words)
      expect(() => inbox(client as never)).toThrow('inbox and entityVersions take Postgres alone')
      await expect(entityVersions().migrate(client as never)).rejects.toThrow(words)
      const fake = { query: async () => [] }
      const key = { listenerId: 'orders', eventId: crypto.randomUUID() }
      const joining = postgresStore(fake).commitIn?.(client as never, key, 'a', 1)
      await expect(joining).rejects.toThrow(`tx: ${words}`)
    },
  )

  it('redisStore refuses the functions of other clients, which it would call with a command', () => {
    for (const client of [postgres(nowhere), neon('postgres://u:p@nowhere.test/db')])
      expect(() => redisStore(client as never)).toThrow('use postgresStore from')
    expect(() => redisStore(async () => 'acquired')).not.toThrow()
  })
})

describe('a client that hides its kind', () => {
  const throwing = (fields: object) => ({
    query: async () => {
      throw Object.assign(new Error('syntax error'), fields)
    },
  })
  const key = { listenerId: 'orders', eventId: crypto.randomUUID() }
  const ofMysql = { code: 'ER_PARSE_ERROR', errno: 1064, sqlState: '42000' }
  const ofPostgres = { code: '42601', severity: 'ERROR' }
  const ofPrisma = (cause: object) => ({ code: 'P2010', meta: { driverAdapterError: { cause } } })

  it.each([
    ['postgresStore', postgresStore(throwing(ofMysql)), 'MySQL', 'mysqlStore'],
    ['postgresStore', postgresStore(throwing({ cause: ofMysql })), 'MySQL', 'mysqlStore'],
    [
      'postgresStore',
      postgresStore(throwing(ofPrisma({ kind: 'mysql', code: 1064 }))),
      'MySQL',
      'mysqlStore',
    ],
    [
      'postgresStore',
      postgresStore(throwing(ofPrisma({ kind: 'sqlite', extendedCode: 1 }))),
      'SQLite',
      'sqliteStore',
    ],
    [
      'mysqlStore',
      mysqlStore(throwing(ofPrisma({ kind: 'postgres', ...ofPostgres }))),
      'Postgres',
      'postgresStore',
    ],
    ['postgresStore', postgresStore(throwing({ code: 'SQLITE_ERROR' })), 'SQLite', 'sqliteStore'],
    ['mysqlStore', mysqlStore(throwing(ofPostgres)), 'Postgres', 'postgresStore'],
    ['mysqlStore', mysqlStore(throwing({ driverError: ofPostgres })), 'Postgres', 'postgresStore'],
  ])('%s names the right function by the first answer', async (_, store, kind, right) => {
    for (const ask of [
      () => store.migrate(),
      () => store.check(),
      () => store.sweep(),
      async () => store.claim(key, 'a', 1),
    ])
      await expect(ask()).rejects.toThrow(`a client of ${kind}, as its server answers: use ${right} from`)
  })

  it('inbox and entityVersions name it, too', async () => {
    const client = throwing(ofMysql)
    const box = inbox(client)
    for (const ask of [() => box.migrate(), () => box.counts(), async () => box.store.claim(key, 'a', 1)])
      await expect(ask()).rejects.toThrow('use mysqlStore from')
    await expect(entityVersions().migrate(client)).rejects.toThrow('use mysqlStore from')
    await expect(entityVersions().advance(client, 'order:1', 1)).rejects.toThrow('use mysqlStore from')
  })

  it.each([
    ['its own server', ofPostgres],
    ['no server', { code: 'ECONNREFUSED', errno: -111 }],
    ['a pipe', { code: 'EPIPE', errno: -32 }],
    ['Bun', { code: 'ERR_POSTGRES_SERVER_ERROR', errno: '42601', severity: 'ERROR' }],
  ])('an error of %s is passed on', async (_, fields) => {
    await expect(postgresStore(throwing(fields)).migrate()).rejects.toMatchObject(fields)
  })

  it.each([
    ['nothing', []],
    ['a number', 0],
    ['an empty answer', { rows: [] }],
    ['another word', { rows: [{ a: 'a1:7:unknown' }] }],
    ['that it is missing', { rows: [{ a: 'a1:5:table' }] }],
  ])('migrate() fails if the client then answers with %s', async (_, result) => {
    const client = { query: async () => result }
    const calls = [
      () => postgresStore(client).migrate(),
      () => inbox(client).migrate(),
      () => entityVersions().migrate(client),
      () => mysqlStore(client).migrate(),
    ]
    for (const call of calls)
      await expect(call()).rejects.toThrow(/is not there|does not return what|returned something other/)
  })
})
