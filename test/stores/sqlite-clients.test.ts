import { createClient } from '@libsql/client'
import Libsql from 'libsql'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { ListenerConfigError } from '../../src/index.ts'
import { type LibsqlClient, type SyncSqlite, sqliteStore } from '../../src/stores/sqlite/store.ts'
import { eventStoreSuite } from '../../src/testing/index.ts'
import { databaseFolder } from '../support/sqlite-databases.ts'

const newPath = databaseFolder()
const KEY = { listenerId: 'L1', eventId: '7f1d3c5e-0a4b-4c8d-9e2f-000000000001' }

type Real = InstanceType<typeof Libsql>

/** node:sqlite's answers on a real database: rows without a prototype, and undefined for a miss. */
function likeNodeSqlite(real: Real): SyncSqlite {
  const bare = (row: object): object => Object.assign(Object.create(null), row)
  return {
    exec: (sql) => void real.exec(sql),
    prepare(sql) {
      const statement = real.prepare(sql)
      return {
        all: (...values) => (statement.all(...values) as object[]).map(bare),
        get: () => unused(),
        iterate: () => unused(),
        setReadBigInts: () => unused(),
      }
    },
  }
}

/** bun:sqlite's answers on a real database: an object for exec, and null for a miss. */
function likeBunSqlite(real: Real): SyncSqlite {
  return {
    exec(sql) {
      real.exec(sql)
      return { changes: 0, lastInsertRowid: 0 }
    },
    prepare(sql) {
      const statement = real.prepare(sql)
      return { all: (...values) => statement.all(...values), get: () => null, values: () => unused() }
    },
  }
}

/** better-sqlite3 with `defaultSafeIntegers`, where every integer is a bigint. */
function withBigInts(real: Real): SyncSqlite {
  real.defaultSafeIntegers(true)
  return real
}

/** The same @libsql/client as for a server, which reports another protocol. */
function remote(): LibsqlClient {
  const client = createClient({ url: ':memory:' })
  return {
    execute: (statement) => client.execute(statement),
    executeMultiple: (sql) => client.executeMultiple(sql),
    protocol: 'http',
  }
}

function unused(): never {
  throw new Error('only all() is safe: get() hides that a write could not be committed')
}

const STAND_INS: { readonly [name: string]: () => SyncSqlite | LibsqlClient } = {
  'a stand-in for node:sqlite, over libsql': () => likeNodeSqlite(fastFile()),
  'a stand-in for bun:sqlite, over libsql': () => likeBunSqlite(fastFile()),
  'libsql with bigints': () => withBigInts(fastFile()),
  'a stand-in for a libsql server, over @libsql/client': remote,
}

/** A file without waits for the disk, because no test is about power cuts. */
function fastFile(): Real {
  const real = new Libsql(newPath())
  real.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF')
  return real
}

describe.each(Object.entries(STAND_INS))('%s keeps the contract', (_, open) => {
  const db = open()
  const store = sqliteStore(db)
  const migrated = store.migrate()
  const age = async (milliseconds: number) => {
    const sql = `UPDATE hookgate_events SET expires_at = expires_at - ${milliseconds}`
    if ('execute' in db) await db.execute({ sql, args: [] })
    else db.exec(sql)
  }
  eventStoreSuite(it, async () => {
    await migrated
    return { store, advance: age }
  })

  it('the store sweeps and checks', async () => {
    await migrated
    await store.commit(KEY, 'a', 1000)
    await age(2000)
    expect(await store.sweep()).toBeGreaterThanOrEqual(1)
    const problems = (await store.check()).map(({ problem }) => problem.split(' is ')[0])
    expect(problems).toStrictEqual('execute' in db ? [] : ['synchronous'])
  })
})

const method = () => {}
const statement = { all: method, bind: method, get: method, run: method }

/** Arguments that are no supported database, and part of the message for each. */
const OTHERS: { readonly [name: string]: readonly [unknown, RegExp] } = {
  nothing: [undefined, /better-sqlite3, node:sqlite, libsql or bun:sqlite, or a client of @libsql\/client/],
  null: [null, /@libsql\/client/],
  'a path': ['events.db', /not the name of a file/],
  'a statement': [statement, /not a statement/],
  'a D1 binding': [
    { exec: method, batch: method, dump: method, prepare: () => ({ ...statement, first: method }) },
    /d1Store of hookgate\/stores\/d1/,
  ],
  'the SQL storage of a Durable Object': [
    { exec: method, databaseSize: 0 },
    /durableObjectStore of hookgate\/stores\/durable-object/,
  ],
  'the storage of a Durable Object': [
    { get: method, put: method, sql: { exec: method, databaseSize: 0 } },
    /durableObjectStore of hookgate\/stores\/durable-object/,
  ],
  'the sqlite3 package, which calls back': [
    { exec: method, prepare: () => ({ ...statement, all: () => ({}) }) },
    /better-sqlite3/,
  ],
  'a driver of promises': [{ exec: method, prepare: async () => statement }, /better-sqlite3/],
  'sql.js': [{ exec: method, prepare: () => ({ getAsObject: method, step: method }) }, /better-sqlite3/],
  'a pool of mysql2': [{ execute: method, query: method }, /better-sqlite3/],
  'a Redis client': [{ call: method, get: method }, /better-sqlite3/],
}

describe('at construction', () => {
  it.each(Object.entries(OTHERS))('%s gets an error that names the supported clients', (_, [db, message]) => {
    const create = () => sqliteStore(db as SyncSqlite) // as in plain JavaScript
    expect(create).toThrow(ListenerConfigError)
    expect(create).toThrow(message)
    expect(create).toThrow(/^db: /)
  })

  it('reads, writes and creates nothing', () => {
    const db = new Libsql(newPath())
    sqliteStore(db)
    expect(db.prepare('SELECT count(*) AS n FROM sqlite_master').all()).toStrictEqual([{ n: 0 }])
    db.close()
  })
})

it('an answer without rows decides nothing', async () => {
  const all = (...values: unknown[]) => (values.length === 0 ? [{ one: 1 }] : undefined)
  const store = sqliteStore({ exec: method, prepare: () => ({ all }) })
  await expect(store.claim(KEY, 'a', 1000)).rejects.toThrow('did not return rows')
})

/** A driver on a real database whose rows pass this. */
function changing(change: (row: Record<string, unknown>) => unknown): SyncSqlite {
  const real = new Libsql(newPath())
  onTestFinished(() => void real.close())
  return {
    exec: (sql) => real.exec(sql),
    prepare: (sql) => ({
      all: (...values) => (real.prepare(sql).all(...values) as Record<string, unknown>[]).map(change),
    }),
  }
}

const valued = (to: (value: unknown) => unknown) => (row: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, to(value)]))

it.each<[string, (row: Record<string, unknown>) => unknown]>([
  [
    'in camel case',
    (row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [`${name}X`, value])),
  ],
  ['as arrays', (row) => Object.values(row)],
  ['with bigints', valued((value) => (typeof value === 'number' ? BigInt(value) : value))],
])('a driver that returns rows %s changes no answer', async (_, change) => {
  const store = sqliteStore(changing(change))
  await store.migrate()
  expect(await store.claim(KEY, 'a', 60_000)).toBe('acquired')
  expect(await store.claim(KEY, 'b', 60_000)).toBe('busy')
  expect(await store.renew?.(KEY, 'a', 60_000)).toBe(true)
  expect(await store.renew?.(KEY, 'b', 60_000)).toBe(false)
  expect(await store.release(KEY, 'a')).toBe(true)
  expect(await store.commit(KEY, 'a', 60_000)).toBe('committed')
  expect(await store.claim(KEY, 'b', 60_000)).toBe('done')
  expect((await store.check()).map(({ problem }) => problem)).toEqual([
    expect.stringContaining('journal_mode is delete'),
  ])
})

it.each<[string, (row: Record<string, unknown>) => unknown]>([
  ['null', valued(() => null)],
  ['Number', valued(Number)],
  ['Date', valued(() => new Date(0))],
  ['another text', valued((value) => `${value}`.toUpperCase())],
  ['a text of another length', valued((value) => `${value}`.slice(0, -1))],
  ['a row of 2 columns', (row) => ({ ...row, id: 1 })],
  ['a row of 0 columns', () => ({})],
])(
  'a driver whose rows come back as %s is refused, by its migrate() and check(), too',
  async (what, change) => {
    const store = sqliteStore(changing(change))
    const words = `does not return what SQLite answered, but ${what}: `
    await expect(store.migrate()).rejects.toThrow(words) // the table is there by now
    await expect((async () => store.claim(KEY, 'a', 60_000))()).rejects.toThrow(words)
    await expect((async () => store.commit(KEY, 'b', 60_000))()).rejects.toThrow(words)
    await expect(store.check()).rejects.toThrow(words)
  },
)

it('a driver that loses rows is refused before a handler runs, and migrate() by it fails', async () => {
  const real = new Libsql(newPath())
  onTestFinished(() => void real.close())
  const store = sqliteStore({
    exec: (sql) => real.exec(sql),
    prepare: (sql) => ({ all: (...values) => (real.prepare(sql).all(...values) as object[]).slice(1) }),
  })
  await expect(store.migrate()).rejects.toThrow('is not there')
  await expect((async () => store.claim(KEY, 'a', 60_000))()).rejects.toThrow('0 rows')
})

it('a commit that the database refuses is an error, leaves nothing, and the next one is kept', async () => {
  const real = fastFile()
  let fails = false
  const store = sqliteStore({
    exec(sql) {
      if (sql === 'COMMIT' && fails) throw new Error('disk I/O error')
      return real.exec(sql)
    },
    prepare: (sql) => real.prepare(sql),
  })
  await store.migrate()
  fails = true
  await expect(store.commit(KEY, 'a', 60_000)).rejects.toThrow('disk I/O error')
  fails = false
  expect(await store.claim(KEY, 'b', 60_000)).toBe('acquired')
  expect(await store.commit(KEY, 'b', 60_000)).toBe('committed')
  expect(real.inTransaction).toBe(false)
  real.close()
})

describe('@libsql/client, for a file', () => {
  const keyOf = (number: number) => ({ ...KEY, listenerId: `L${number}` })

  it('the calls of all stores of a client take turns with one connection', async () => {
    const client = createClient({ url: `file:${newPath()}`, concurrency: 1 })
    await client.executeMultiple('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF')
    const stores = [sqliteStore(client), sqliteStore(client, { table: 'other' })]
    await Promise.all(stores.map((store) => store.migrate()))
    const commits = Array.from({ length: 100 }, (_, number) =>
      Promise.all(stores.map(async (store) => store.commit(keyOf(number), 'a', 60_000))),
    )
    expect((await Promise.all(commits)).flat()).toStrictEqual(Array(200).fill('committed'))
    client.close()
  })

  it('a call that never ends makes way when its caller has given up', async () => {
    const client = createClient({ url: `file:${newPath()}` })
    let hangs = false
    const store = sqliteStore({
      execute: (statement) => client.execute(statement),
      executeMultiple: (sql) => client.executeMultiple(sql),
      transaction: (mode) => (hangs ? new Promise<never>(() => {}) : client.transaction(mode)),
    })
    await store.migrate()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    hangs = true
    const commit = async (number: number) => store.commit(keyOf(number), 'a', 60_000)
    void commit(1)
    const givenUp = expect(commit(2)).rejects.toThrow('did not end')
    await vi.advanceTimersByTimeAsync(1)
    const waiting = commit(3)
    hangs = false
    await vi.advanceTimersByTimeAsync(1998)
    expect(await Promise.race([waiting, 'waiting'])).toBe('waiting')
    await vi.advanceTimersByTimeAsync(1)
    await givenUp
    expect(await waiting).toBe('committed')
    expect(await commit(4)).toBe('committed')
    client.close()
  })

  it.each(['rejects', 'throws'])(
    'a transaction that %s at each step is an error, and nothing is left unhandled',
    async (how) => {
      const client = createClient({ url: `file:${newPath()}` })
      const fail = (step: string) => {
        if (how === 'throws') throw new Error(step)
        return Promise.reject(new Error(step))
      }
      let fails = false
      const store = sqliteStore({
        execute: (statement) => client.execute(statement),
        executeMultiple: (sql) => client.executeMultiple(sql),
        async transaction(mode) {
          const tx = await client.transaction(mode)
          return {
            execute: (statement) => (fails ? fail('execute') : tx.execute(statement)),
            executeMultiple: (sql) => (fails ? fail('executeMultiple') : tx.executeMultiple(sql)),
            rollback: () => tx.rollback(),
            close() {
              tx.close()
              if (fails) throw new Error('close')
            },
          }
        },
      })
      await store.migrate()
      fails = true
      await expect(store.commit(KEY, 'a', 60_000)).rejects.toThrow(/executeMultiple|close/)
      fails = false
      expect(await store.commit(KEY, 'a', 60_000)).toBe('committed')
      client.close()
    },
  )

  it('versions whose transactions keep their connections are refused before the first write', async () => {
    const client = createClient({ url: `file:${newPath()}` })
    const store = sqliteStore({
      execute: (statement) => client.execute(statement),
      executeMultiple: (sql) => client.executeMultiple(sql),
      async transaction(mode) {
        const tx = await client.transaction(mode)
        return {
          execute: (statement) => tx.execute(statement),
          executeMultiple: (sql) => tx.executeMultiple(sql),
          rollback: () => Promise.reject(new Error('TRANSACTION_CLOSED: The transaction is closed')),
          close: () => tx.close(),
        }
      },
    })
    await expect(store.migrate()).rejects.toThrow(/0\.18/)
    await expect(store.commit(KEY, 'a', 60_000)).rejects.toThrow(/0\.18/)
    client.close()
  })
})

it('the store prepares each statement once', async () => {
  const real = new Libsql(newPath())
  const prepared: string[] = []
  const store = sqliteStore({
    exec: (sql) => real.exec(sql),
    prepare(sql) {
      prepared.push(sql)
      return real.prepare(sql)
    },
  })
  real.exec(
    'CREATE TABLE hookgate_events (listener_id, event_id, owner, commits, expires_at, PRIMARY KEY (listener_id, event_id))',
  )
  for (let turn = 0; turn < 3; turn += 1) {
    await store.claim(KEY, `${turn}`, 1000)
    await store.release(KEY, `${turn}`)
  }
  expect(prepared).toHaveLength(3)
  real.close()
})
