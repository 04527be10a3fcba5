import { describe, expect, it, vi } from 'vitest'
import { EventStoreError, ListenerConfigError } from '../../src/index.ts'
import { type SqliteStoreOptions, sqliteSchema, sqliteStore } from '../../src/stores/sqlite/store.ts'
import { eventStoreSuite } from '../../src/testing/index.ts'
import { expectAnyId } from '../support/any-id.ts'
import { hmacListener } from '../support/hmac-listener.ts'
import { acceptedEvent, outcome } from '../support/outcome.ts'
import {
  databaseFolder,
  describeEachClient,
  libsql,
  lockInAnotherProcess,
  type SqliteClient,
} from '../support/sqlite-databases.ts'

const LEASE_MS = 60_000
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

const newPath = databaseFolder()

/** The key of the event with this number. */
function keyOf(number: number, listenerId = 'L1') {
  return { listenerId, eventId: `7f1d3c5e-0a4b-4c8d-9e2f-${number.toString(16).padStart(12, '0')}` }
}

/** A store on its own file with its table, and a function that makes every record older. */
async function fresh(client: SqliteClient = libsql, options: SqliteStoreOptions = {}) {
  const path = newPath()
  const { db, sql, close } = client.open(path)
  await sql('PRAGMA journal_mode = WAL')
  await sql('PRAGMA synchronous = NORMAL')
  const store = sqliteStore(db, options)
  await store.migrate()
  const age = (milliseconds: number) =>
    sql(`UPDATE "${options.table ?? 'hookgate_events'}" SET expires_at = expires_at - ${milliseconds}`)
  const count = async () => Number((await sql('SELECT count(*) AS n FROM hookgate_events'))[0]?.n)
  return { path, db, sql, close, store, age, count }
}

describeEachClient('the contract of every store, with records made older', (client) => {
  eventStoreSuite(it, async () => {
    const { path, store, age, close } = await fresh(client)
    const another = client.open(path)
    const closeBoth = () => [close(), another.close()]
    return { store, other: sqliteStore(another.db), advance: age, close: closeBoth }
  })
})

describe('the contract of every store on libsql, in real time', () => {
  eventStoreSuite(it, async () => {
    const { store, close } = await fresh()
    return { store, close }
  })
})

describeEachClient('keys', (client) => {
  it('keys take any ID, as verify() maps it', async () => {
    const { store, close } = await fresh(client)
    await expectAnyId(store)
    close()
  })
})

describeEachClient('time', (client) => {
  it('an event is a duplicate at 6 d 23 h 59 min, and a new one at 7 d 0 h 1 min', async () => {
    const { store, age, close } = await fresh(client)
    const { listener, deliver } = hmacListener({ store })
    const delivery = await deliver()
    await (await acceptedEvent(delivery, listener)).commit()
    await age(7 * DAY_MS - MINUTE_MS)
    expect(await outcome(delivery, listener)).toBe('409 event_duplicate')
    await age(2 * MINUTE_MS)
    expect(await outcome(delivery, listener)).toBe('accepted')
    close()
  })

  it('the database keeps the time, so a process whose clock is off shortens no lease', async () => {
    const { store, sql, close } = await fresh(client)
    const began = Date.now()
    await store.claim(keyOf(1), 'a', LEASE_MS)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 8 * DAY_MS })
    const answer = await store.claim(keyOf(1), 'b', LEASE_MS)
    vi.useRealTimers()
    expect(answer).toBe('busy')
    const [row] = await sql('SELECT expires_at FROM hookgate_events')
    const from = Number(row?.expires_at) - LEASE_MS
    expect(from).toBeGreaterThanOrEqual(began - 1) // the database rounds
    expect(from).toBeLessThanOrEqual(Date.now() + 1)
    close()
  })
})

describeEachClient('migrate and sweep', (client) => {
  it('every verb without migrate() names the fix', async () => {
    const { db, close } = client.open(newPath())
    const store = sqliteStore(db)
    for (const call of [
      async () => store.claim(keyOf(1), 'a', LEASE_MS),
      async () => store.commit(keyOf(1), 'a', LEASE_MS),
      async () => store.release(keyOf(1), 'a'),
      async () => store.renew?.(keyOf(1), 'a', LEASE_MS),
      () => store.sweep(),
    ]) {
      await expect(call()).rejects.toThrow(/migrate\(\)/)
      await expect(call()).rejects.toThrow(EventStoreError)
    }
    close()
  })

  it('migrate() may run again, and keeps existing records', async () => {
    const { store, close } = await fresh(client)
    await store.commit(keyOf(1), 'a', DAY_MS)
    await store.migrate()
    expect(await store.claim(keyOf(1), 'b', LEASE_MS)).toBe('done')
    close()
  })

  it('sweep() deletes expired records, oldest first, and never more than its limit', async () => {
    const { store, sql, age, count, close } = await fresh(client)
    for (let number = 0; number < 30; number += 1) await store.commit(keyOf(number), 'a', 1000 + number)
    await store.claim(keyOf(100), 'crashed', 500)
    await store.commit(keyOf(101), 'a', DAY_MS)
    await store.claim(keyOf(102), 'a', LEASE_MS)
    expect(await store.sweep()).toBe(0)
    await age(2000)
    expect(await store.sweep(20)).toBe(20)
    expect(await count()).toBe(13)
    const youngest = `SELECT 1 FROM hookgate_events WHERE event_id LIKE '%00001d'`
    expect(await sql(youngest)).toHaveLength(1)
    expect(await store.sweep()).toBe(11)
    expect(await store.sweep()).toBe(0)
    expect(await store.claim(keyOf(101), 'b', LEASE_MS)).toBe('done')
    expect(await store.claim(keyOf(102), 'b', LEASE_MS)).toBe('busy')
    for (const limit of [0, -1, 1.5, NaN]) await expect(store.sweep(limit)).rejects.toThrow('limit')
    close()
  })

  it('the oldest records are swept first even without the index', async () => {
    const { store, sql, age, close } = await fresh(client)
    await sql('DROP INDEX hookgate_events_expires_at')
    for (let number = 0; number < 10; number += 1)
      await store.commit(keyOf(number), 'a', DAY_MS - 60_000 * number)
    await age(2 * DAY_MS)
    expect(await store.sweep(9)).toBe(9)
    expect(await sql('SELECT event_id FROM hookgate_events')).toMatchObject([{ event_id: keyOf(0).eventId }])
    close()
  })

  it('a finished event keeps no owner, which would be half of its size', async () => {
    const { store, sql, close } = await fresh(client)
    await store.claim(keyOf(1), 'a', LEASE_MS)
    await store.commit(keyOf(1), 'a', DAY_MS)
    expect(await sql('SELECT owner FROM hookgate_events')).toMatchObject([{ owner: null }])
    close()
  })

  it('a record is found by its key, and expired records by the index', async () => {
    const { sql, close } = await fresh(client)
    const plan = async (text: string) => JSON.stringify(await sql(`EXPLAIN QUERY PLAN ${text}`))
    expect(
      await plan("SELECT 1 FROM hookgate_events WHERE listener_id >= 'a' AND listener_id <= 'a'"),
    ).toContain('PRIMARY KEY')
    expect(
      await plan('SELECT event_id FROM hookgate_events WHERE expires_at < 5 ORDER BY expires_at LIMIT 9'),
    ).toContain('INDEX hookgate_events_expires_at')
    close()
  })
})

describeEachClient('check()', (client) => {
  const problems = async (store: { check(): Promise<readonly { problem: string }[]> }) =>
    (await store.check()).map(({ problem }) => problem.split(':')[0])

  it('check() finds nothing if all is well', async () => {
    const { store, close } = await fresh(client)
    expect(await store.check()).toStrictEqual([])
    close()
  })

  it('check() finds a missing table, a missing index, and settings that lose deliveries or events', async () => {
    const { db, sql, close } = client.open(newPath(), 1000)
    const store = sqliteStore(db)
    const settings = ['journal_mode is delete', 'busy_timeout is 1000']
    expect(await problems(store)).toStrictEqual(['the table is missing', ...settings])
    await store.migrate()
    await sql('DROP INDEX hookgate_events_expires_at')
    await sql('PRAGMA synchronous = OFF')
    await sql('PRAGMA query_only = ON')
    expect(await problems(store)).toStrictEqual([
      'there is no index on expires_at, so sweep() reads the whole table, and blocks the process meanwhile',
      ...settings,
      'synchronous is OFF',
      'the connection is read-only (query_only)',
    ])
    for (const { fix } of await store.check()) expect(fix).toMatch(/^(run|PRAGMA) /)
    close()
  })

  it('check() finds a view, and its fix ends that', async () => {
    const { db, sql, close } = client.open(newPath(), 0)
    await sql('PRAGMA journal_mode = WAL')
    const store = sqliteStore(db)
    await sql('CREATE VIEW hookgate_events AS SELECT 1 AS event_id')
    const [{ problem, fix } = {}, ...others] = await store.check()
    expect([problem, fix, others]).toEqual([
      expect.stringMatching(/^this is a view/),
      'drop it, or rename it with its indexes, then run `await store.migrate()`, which creates an ordinary table of that name',
      [],
    ])
    await expect(store.migrate()).rejects.toThrow()
    await sql('DROP VIEW hookgate_events')
    await store.migrate()
    expect(await store.check()).toEqual([])
    close()
  })

  it('check() finds that only another table has the index, and migrate() says so', async () => {
    const { store, sql, close } = await fresh(client)
    await sql('ALTER TABLE hookgate_events RENAME TO events_before')
    await expect(store.migrate()).rejects.toThrow('another table has the index hookgate_events_expires_at')
    expect(await problems(store)).toEqual([expect.stringMatching(/^there is no index/)])
    await sql('DROP INDEX hookgate_events_expires_at')
    await store.migrate()
    expect(await store.check()).toEqual([])
    close()
  })

  const COLUMNS =
    'listener_id TEXT NOT NULL, event_id TEXT NOT NULL, owner TEXT, commits INTEGER NOT NULL, expires_at INTEGER NOT NULL'
  const KEYED = 'PRIMARY KEY (listener_id, event_id)'
  const INDEX = 'CREATE UNIQUE INDEX keyed ON hookgate_events (listener_id, event_id)'

  it.each<[string, string, string?]>([
    ['no key', COLUMNS],
    ['a key of some records', COLUMNS, 'WHERE commits = 0'],
    ['the event alone as its key', `${COLUMNS}, PRIMARY KEY (event_id)`],
    ['the owner in its key', `${COLUMNS}, PRIMARY KEY (listener_id, event_id, owner)`],
    ['listeners of any case as one', `${COLUMNS.replace('TEXT', 'TEXT COLLATE NOCASE')}, ${KEYED}`],
  ])(
    'check() finds a table with %s, migrate() fails for it, and the fix ends that',
    async (_, definition, indexed) => {
      const { store, sql, close } = await fresh(client)
      await sql('DROP TABLE hookgate_events')
      await sql(`CREATE TABLE hookgate_events (${definition})`)
      if (indexed !== undefined) await sql(`${INDEX} ${indexed}`)
      const problem =
        'no key tells records apart by the bytes of listener_id and event_id: deliveries get a 503, or are lost'
      await expect(store.migrate()).rejects.toThrow(EventStoreError)
      await expect(store.migrate()).rejects.toThrow(problem)
      expect((await store.check()).map((found) => found.problem)).toEqual([problem])
      await sql('ALTER TABLE hookgate_events RENAME TO events_before')
      await sql('DROP INDEX hookgate_events_expires_at')
      await store.migrate()
      expect(await store.check()).toEqual([])
      close()
    },
  )

  it.each<[string, string, string?]>([
    ['the order of its key', `${COLUMNS}, PRIMARY KEY (event_id, listener_id)`],
    ['an index for a key', COLUMNS, ''],
    ['one name in capitals', `${COLUMNS.replace('listener_id', 'LISTENER_ID')}, ${KEYED}`],
    ['names in capitals', `${COLUMNS}, ${KEYED}`.toUpperCase()],
    ['how it says that bytes count', `${COLUMNS.replaceAll('TEXT', 'TEXT COLLATE binary')}, ${KEYED}`],
    ['a unique key that is not primary', `${COLUMNS}, UNIQUE (listener_id, event_id)`],
    [
      'a key of your own beside its own',
      `id INTEGER PRIMARY KEY, ${COLUMNS}, UNIQUE (listener_id, event_id)`,
    ],
  ])('check() and migrate() take a table that differs in %s', async (_, definition, indexed) => {
    const { store, sql, close } = await fresh(client)
    await sql('DROP TABLE hookgate_events')
    await sql(`CREATE TABLE hookgate_events (${definition})`)
    if (indexed !== undefined) await sql(`${INDEX} ${indexed}`)
    await store.migrate()
    expect(await store.check()).toEqual([])
    expect(await store.claim(keyOf(1), 'a', LEASE_MS)).toBe('acquired')
    expect(await store.claim(keyOf(1), 'b', LEASE_MS)).toBe('busy')
    close()
  })

  const { openReadOnly } = client
  if (openReadOnly) {
    it('check() finds a database that is open for reading only', async () => {
      const { path, close } = await fresh(client)
      const readOnly = openReadOnly(path)
      await readOnly.sql('PRAGMA synchronous = NORMAL')
      const store = sqliteStore(readOnly.db)
      await expect(store.claim(keyOf(1), 'a', LEASE_MS)).rejects.toThrow(/readonly/)
      expect(await problems(store)).toStrictEqual(['the database is read-only'])
      readOnly.close()
      close()
    })
  }

  it('another process that writes does not make it fail', async () => {
    const { path, store, close } = await fresh(client)
    const { unlock } = await lockInAnotherProcess(path, { begin: 'BEGIN IMMEDIATE' })
    expect(await store.check()).toStrictEqual([])
    await unlock()
    close()
  })

  it('check() changes nothing', async () => {
    const { store, count, close } = await fresh(client)
    await store.claim(keyOf(1), 'a', LEASE_MS)
    await store.check()
    expect(await count()).toBe(1)
    close()
  })

  it('check() finds a wait that blocks the process for long, and a database in memory', async () => {
    const { db, close } = client.open(':memory:', 5000)
    const store = sqliteStore(db)
    await store.migrate()
    expect(await problems(store)).toStrictEqual(['the database is in memory', 'busy_timeout is 5000'])
    close()
  })
})

describe('options', () => {
  it.each([
    ['table', ['', 'a b', 'a"', 'main.events', '1st', 'ä', 'x'.repeat(64), 1, null]],
    ['retentionSeconds', [600]], // an option of the listener
    ['tabel', ['events']],
  ])('%s cannot be any of %j', (name, values) => {
    const { db, close } = libsql.open(':memory:')
    for (const value of values) {
      const options = { [name]: value }
      expect(() => sqliteStore(db, options)).toThrow(ListenerConfigError)
      expect(() => sqliteStore(db, options)).toThrow(name)
    }
    close()
  })

  it.each(['order', 'Events_2', '_', 'x'.repeat(63)])('table can be %s', async (table) => {
    const { store, age, close } = await fresh(libsql, { table })
    expect(await store.claim(keyOf(1), 'a', LEASE_MS)).toBe('acquired')
    await age(LEASE_MS + 1)
    expect(await store.claim(keyOf(1), 'b', LEASE_MS)).toBe('acquired')
    expect(await store.check()).toStrictEqual([])
    close()
  })

  it('two tables in one file are independent', async () => {
    const { db, store, close } = await fresh()
    const other = sqliteStore(db, { table: 'other' })
    await other.migrate()
    await store.commit(keyOf(1), 'a', DAY_MS)
    expect(await other.claim(keyOf(1), 'a', LEASE_MS)).toBe('acquired')
    close()
  })

  it('sqliteSchema() is what migrate() runs, and accepts no SQL as a name', () => {
    expect(sqliteSchema()).toContain('CREATE TABLE IF NOT EXISTS "hookgate_events"')
    expect(sqliteSchema('events')).toContain('INDEX IF NOT EXISTS "events_expires_at" ON "events"')
    expect(() => sqliteSchema('x"; DROP TABLE users; --')).toThrow(ListenerConfigError)
  })
})
