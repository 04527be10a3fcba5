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
    await store.claim(keyOf(1), 'a', LEASE_MS)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 8 * DAY_MS })
    const answer = await store.claim(keyOf(1), 'b', LEASE_MS)
    vi.useRealTimers()
    expect(answer).toBe('busy')
    const [row] = await sql('SELECT expires_at FROM hookgate_events')
    expect(Math.abs(Number(row?.expires_at) - LEASE_MS - Date.now())).toBeLessThan(1000)
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

describe("mode 'single'", () => {
  it('mode single claims the event and remembers it in one write', async () => {
    const { store, age, close } = await fresh(libsql, { mode: 'single' })
    expect(await store.claim(keyOf(1), 'a', LEASE_MS)).toBe('acquired')
    expect(await store.claim(keyOf(1), 'a', LEASE_MS)).toBe('acquired')
    expect(await store.claim(keyOf(1), 'b', LEASE_MS)).toBe('done')
    await age(LEASE_MS + 1)
    expect(await store.claim(keyOf(1), 'b', LEASE_MS)).toBe('done')
    await age(7 * DAY_MS)
    expect(await store.claim(keyOf(1), 'b', LEASE_MS)).toBe('acquired')
    close()
  })

  it('mode single needs no more statements: commit is done, and release does nothing', async () => {
    const { store, sql, close } = await fresh(libsql, { mode: 'single' })
    await store.claim(keyOf(1), 'a', LEASE_MS)
    await sql('DROP TABLE hookgate_events')
    expect(await store.commit(keyOf(1), 'a', DAY_MS)).toBe('committed')
    expect(await store.release(keyOf(1), 'a')).toBe(false)
    close()
  })

  it('mode single remembers for retentionSeconds, which a listener checks', async () => {
    const { db, store, age, close } = await fresh(libsql, { mode: 'single', retentionSeconds: 700 })
    await store.claim(keyOf(1), 'a', LEASE_MS)
    await age(690_000)
    expect(await store.claim(keyOf(1), 'b', LEASE_MS)).toBe('done')
    await age(20_000)
    expect(await store.claim(keyOf(1), 'b', LEASE_MS)).toBe('acquired')
    expect(() => hmacListener({ store })).not.toThrow()
    const narrow = sqliteStore(db, { mode: 'single', retentionSeconds: 500 })
    expect(() => hmacListener({ store: narrow })).toThrow(ListenerConfigError)
    close()
  })

  it('mode single remembers an event for less time if its claim says so, and never for more', async () => {
    const { store, age, close } = await fresh(libsql, { mode: 'single', retentionSeconds: 2 * 86_400 })
    await store.claim(keyOf(1), 'a', LEASE_MS, DAY_MS)
    await store.claim(keyOf(2), 'a', LEASE_MS, 3 * DAY_MS)
    await age(DAY_MS - MINUTE_MS)
    expect(await store.claim(keyOf(1), 'b', LEASE_MS, DAY_MS)).toBe('done')
    await age(2 * MINUTE_MS)
    expect(await store.claim(keyOf(1), 'b', LEASE_MS, DAY_MS)).toBe('acquired')
    expect(await store.claim(keyOf(2), 'b', LEASE_MS, 3 * DAY_MS)).toBe('done')
    await age(DAY_MS)
    expect(await store.claim(keyOf(2), 'b', LEASE_MS, 3 * DAY_MS)).toBe('acquired')
    close()
  })

  it('mode single understands records of the other mode', async () => {
    const { db, store, close } = await fresh()
    const single = sqliteStore(db, { mode: 'single' })
    await store.claim(keyOf(1), 'a', LEASE_MS)
    await store.commit(keyOf(2), 'a', DAY_MS)
    expect(await single.claim(keyOf(1), 'a', LEASE_MS)).toBe('busy')
    expect(await single.claim(keyOf(2), 'b', LEASE_MS)).toBe('done')
    await single.claim(keyOf(3), 'a', LEASE_MS)
    expect(await store.claim(keyOf(3), 'a', LEASE_MS)).toBe('done')
    expect(await store.release(keyOf(3), 'a')).toBe(false)
    expect(await store.renew?.(keyOf(3), 'a', LEASE_MS)).toBe(false)
    expect('renew' in single).toBe(false)
    expect(await store.commit(keyOf(3), 'a', DAY_MS)).toBe('already')
    close()
  })
})

describe('options', () => {
  it.each([
    ['table', ['', 'a b', 'a"', 'main.events', '1st', 'ä', 'x'.repeat(64), 1, null]],
    ['mode', ['one', '', 1, null]],
    ['retentionSeconds', [0, -1, NaN, Infinity, '600', null]],
    ['tabel', ['events']],
  ])('%s cannot be any of %j', (name, values) => {
    const { db, close } = libsql.open(':memory:')
    for (const value of values) {
      const options = { ...(name === 'retentionSeconds' && { mode: 'single' as const }), [name]: value }
      expect(() => sqliteStore(db, options)).toThrow(ListenerConfigError)
      expect(() => sqliteStore(db, options)).toThrow(name)
    }
    close()
  })

  it('retentionSeconds without single would have no effect, so it throws', () => {
    const { db, close } = libsql.open(':memory:')
    expect(() => sqliteStore(db, { retentionSeconds: 60 })).toThrow(/defineListener/)
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
