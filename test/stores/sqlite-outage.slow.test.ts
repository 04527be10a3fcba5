import { rmSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { EventStoreError, verify } from '../../src/index.ts'
import { memberOf } from '../../src/lib/member-of.ts'
import { sqliteStore } from '../../src/stores/sqlite/store.ts'
import { hmacListener } from '../support/hmac-listener.ts'
import { acceptedEvent, outcome } from '../support/outcome.ts'
import {
  databaseFolder,
  describeEachClient,
  lockInAnotherProcess,
  type OpenDatabase,
  type SqliteClient,
} from '../support/sqlite-databases.ts'

const KEY = { listenerId: 'L1', eventId: '7f1d3c5e-0a4b-4c8d-9e2f-000000000001' }
const keyOf = (number: number) => ({ ...KEY, listenerId: `L${number}` })
const DEADLINE_MS = 2000

const newPath = databaseFolder()

/** A listener on a file that other processes can lock. */
async function withListener(client: SqliteClient, { journal = 'WAL', waitMs = 300 } = {}) {
  const path = newPath()
  const database = client.open(path, waitMs)
  await database.sql(`PRAGMA journal_mode = ${journal}`)
  const store = sqliteStore(database.db)
  await store.migrate()
  return { ...database, path, store, ...hmacListener({ store, storeTimeoutSeconds: DEADLINE_MS / 1000 }) }
}

/** Opens a transaction of the user's own. @libsql/client gives it another connection, if it has one. */
async function begin({ db, sql }: Omit<OpenDatabase, 'close'>): Promise<(text: string) => Promise<unknown>> {
  const tx = 'exec' in db ? undefined : await db.transaction?.('deferred')
  if (tx === undefined) await sql('BEGIN')
  return tx ? (text) => tx.executeMultiple(text) : sql
}

type Setting = Awaited<ReturnType<typeof withListener>>

/** Expects a delivery to fail while the database is still locked, with its reason. */
async function expectUndecided({ listener, deliver }: Setting, reason: RegExp) {
  const delivery = await deliver()
  const error: unknown = await verify(delivery, listener).catch((thrown) => thrown)
  expect(error).toBeInstanceOf(EventStoreError)
  expect(String(Object(error).cause)).toMatch(reason)
  return delivery
}

describeEachClient('starved', (client) => {
  it('a store locked by another process is 503, and recovers when the lock is gone', async () => {
    const setting = await withListener(client)
    const running = await acceptedEvent(await setting.deliver(), setting.listener)
    const lock = await lockInAnotherProcess(setting.path)
    const delivery = await expectUndecided(setting, /locked|BUSY/)
    await expect(running.commit()).rejects.toThrow(EventStoreError)
    await lock.unlock()
    expect(await outcome(delivery, setting.listener)).toBe('accepted')
    expect(await running.commit()).toBe('committed')
    setting.close()
  })

  it('a process whose store is locked goes on meanwhile, however many deliveries wait', async () => {
    const setting = await withListener(client, { waitMs: 0 })
    const deliveries = await Promise.all(Array.from({ length: 20 }, () => setting.deliver()))
    const lock = await lockInAnotherProcess(setting.path, { holdMs: 500 })
    let turns = 0
    const turning = setInterval(() => {
      turns += 1
    }, 1)
    const verdicts = await Promise.all(deliveries.map((delivery) => outcome(delivery, setting.listener)))
    clearInterval(turning)
    expect(verdicts).toStrictEqual(deliveries.map(() => 'accepted'))
    // The interval runs between attempts. It would not run if the attempts blocked the process.
    expect(turns).toBeGreaterThan(1)
    await lock.unlock()
    setting.close()
  })

  it('a claim waits for a short lock, and the lease begins after the wait', async () => {
    const setting = await withListener(client, { waitMs: 5000 })
    const began = Date.now()
    await lockInAnotherProcess(setting.path, { holdMs: 300 })
    const locked = Date.now()
    expect(await setting.store.claim(KEY, 'a', 60_000)).toBe('acquired')
    const [row] = await setting.sql('SELECT expires_at FROM hookgate_events')
    const waited = Number(row?.expires_at) - 60_000 - locked
    expect(Number(row?.expires_at) - 60_000).toBeGreaterThanOrEqual(began + 300)
    expect(waited).toBeLessThanOrEqual(Date.now() - locked)
    setting.close()
  })

  it('a renewal waits for a short lock, and fails at a long one, without a word on the lease', async () => {
    const setting = await withListener(client, { waitMs: 0 })
    await setting.store.claim(KEY, 'a', 60_000)
    const short = await lockInAnotherProcess(setting.path, { holdMs: 300 })
    expect(await setting.store.renew?.(KEY, 'a', 120_000)).toBe(true)
    await short.unlock()
    const long = await lockInAnotherProcess(setting.path)
    await expect(setting.store.renew?.(KEY, 'a', 60_000)).rejects.toThrow(/locked|BUSY/)
    await long.unlock()
    const [row] = await setting.sql('SELECT expires_at FROM hookgate_events')
    expect(Number(row?.expires_at) - Date.now()).toBeGreaterThan(100_000)
    expect(await setting.store.renew?.(KEY, 'a', 60_000)).toBe(true)
    setting.close()
  })

  it('a claim throws if a write cannot be committed beside a reader, instead of acquiring', async () => {
    const setting = await withListener(client, { journal: 'DELETE' })
    const lock = await lockInAnotherProcess(setting.path, { begin: 'BEGIN; SELECT * FROM sqlite_master' })
    await expectUndecided(setting, /locked|BUSY/)
    await lock.unlock()
    expect(await setting.sql('SELECT * FROM hookgate_events')).toStrictEqual([])
    expect(await outcome(await setting.deliver(), setting.listener)).toBe('accepted')
    setting.close()
  })

  it('an event answered `committed` after a claim that was refused is read as done elsewhere', async () => {
    const { path, store, close } = await withListener(client, { waitMs: 0 })
    const elsewhere = client.open(path)
    const reader = sqliteStore(elsewhere.db)
    const lock = await lockInAnotherProcess(path)
    await expect(store.claim(keyOf(1), 'a', 60_000)).rejects.toThrow(/locked|BUSY/)
    await expect(store.commit(keyOf(2), 'a', 60_000)).rejects.toThrow(/locked|BUSY/)
    await expect(store.renew?.(keyOf(4), 'a', 60_000)).rejects.toThrow(/locked|BUSY/)
    await lock.unlock()
    expect(await store.commit(keyOf(3), 'a', 60_000)).toBe('committed')
    expect(await reader.claim(keyOf(3), 'b', 60_000)).toBe('done')
    expect(await store.claim(keyOf(1), 'a', 60_000)).toBe('acquired')
    expect(await reader.claim(keyOf(2), 'b', 60_000)).toBe('acquired')
    expect(await reader.claim(keyOf(3), 'b', 60_000)).toBe('done')
    elsewhere.close()
    close()
  })

  it('nothing is answered in a transaction of your own, and yours goes on as if nothing had happened', async () => {
    const { path, store, close, ...database } = await withListener(client, { waitMs: 0 })
    const elsewhere = client.open(path)
    await database.sql('CREATE TABLE yours (n)')
    const run = await begin(database)
    await run('INSERT INTO yours VALUES (1)')
    await expect(store.commit(KEY, 'a', 60_000)).rejects.toThrow(/your own transaction|locked/)
    await run('COMMIT')
    expect(await elsewhere.sql('SELECT n FROM yours')).toHaveLength(1)
    expect(await store.commit(KEY, 'a', 60_000)).toBe('committed')
    expect(await sqliteStore(elsewhere.db).claim(KEY, 'b', 60_000)).toBe('done')
    elsewhere.close()
    close()
  })

  it('migrate() in a transaction of your own answers only if its table stays when yours is rolled back', async () => {
    const { store: _, close, ...database } = await withListener(client, { waitMs: 0 })
    const run = await begin(database)
    const migrate = async () => sqliteStore(database.db, { table: 'later' }).migrate()
    const answer = await migrate().then(
      () => 'answered',
      ({ message }) => message,
    )
    await run('ROLLBACK')
    const found = await database.sql("SELECT name FROM sqlite_master WHERE name = 'later'")
    expect([answer, found.length]).toBeOneOf([
      ['answered', 1],
      [expect.stringContaining('a connection of its own'), 0],
    ])
    close()
  })

  it('the store commits beside an unfinished read of your own, or says that the connection is not its own', async () => {
    const { db, path, store, sql, close } = await withListener(client, { waitMs: 0 })
    const elsewhere = client.open(path)
    await sql('CREATE TABLE yours (n)')
    await sql('INSERT INTO yours VALUES (1), (2)')
    const select: unknown = 'exec' in db ? db.prepare('SELECT n FROM yours') : undefined
    const iterate = memberOf(select, 'iterate')
    const rows = typeof iterate === 'function' ? Reflect.apply(iterate, select, []) : undefined
    rows?.next()
    const commit = async () => store.commit(KEY, 'a', 60_000)
    const answer = await commit().catch(({ message }) => message)
    const read = await sqliteStore(elsewhere.db).claim(KEY, 'b', 60_000)
    expect([answer, read]).toBeOneOf([
      ['committed', 'done'],
      [expect.stringContaining('a connection of its own'), 'acquired'],
    ])
    rows?.return?.() // libsql's iterators have none
    elsewhere.close()
    close()
  })

  it('an event answered `committed` beside an unfinished write of your own is read as done elsewhere', async () => {
    const { db, path, store, sql, close } = await withListener(client, { waitMs: 0 })
    const elsewhere = client.open(path)
    await sql('CREATE TABLE yours (n)')
    const insert = 'INSERT INTO yours VALUES (1) RETURNING n'
    const lock = await lockInAnotherProcess(path)
    const refused = async () => ('exec' in db ? db.prepare(insert).all() : sql(insert))
    await expect(refused()).rejects.toThrow(/locked|BUSY/)
    await lock.unlock()
    const commit = async () => store.commit(KEY, 'a', 60_000)
    const answer = await commit().catch(() => 'undecided')
    const read = await sqliteStore(elsewhere.db).claim(KEY, 'b', 60_000)
    expect([answer, read]).toBeOneOf([
      ['committed', 'done'],
      ['undecided', 'acquired'],
    ])
    elsewhere.close()
    close()
  })

  it('a process may start while the database is locked', async () => {
    const { path, close } = await withListener(client, { journal: 'DELETE' })
    close()
    const lock = await lockInAnotherProcess(path)
    const database = client.open(path, 300)
    const { listener, deliver } = hmacListener({ store: sqliteStore(database.db) })
    const delivery = await deliver()
    await expect(verify(delivery, listener)).rejects.toThrow(EventStoreError)
    await lock.unlock()
    expect(await outcome(delivery, listener)).toBe('accepted')
    database.close()
  })

  it('a read-only store is 503, and recovers when it may write', async () => {
    const setting = await withListener(client)
    await setting.sql('PRAGMA query_only = ON')
    const delivery = await expectUndecided(setting, /readonly|READONLY/)
    await setting.sql('PRAGMA query_only = OFF')
    expect(await outcome(delivery, setting.listener)).toBe('accepted')
    setting.close()
  })

  it('a full disk is 503 and forgets nothing, and the store recovers when there is room', async () => {
    const setting = await withListener(client)
    const { store, sql } = setting
    const [pages] = await sql('PRAGMA page_count')
    await sql(`PRAGMA max_page_count = ${Number(pages?.page_count)}`)
    const long = (number: number) => ({ ...KEY, listenerId: `${number}`.padEnd(1000, 'x') })
    let taken = 0
    const fill = async () => {
      for (; taken < 100; taken += 1) await store.commit(long(taken), 'a', 3_600_000)
    }
    await expect(fill()).rejects.toThrow(/full|FULL/)
    for (let number = 0; number < taken; number += 1) {
      // Even a duplicate is a write here. It may be undecided, but it is never new.
      const answer = await Promise.resolve()
        .then(() => store.claim(long(number), 'b', 1000))
        .catch(() => 'undecided')
      expect(answer).toMatch(/done|undecided/)
    }
    await sql('PRAGMA max_page_count = 100000')
    expect(await store.claim(long(taken), 'b', 1000)).toBe('acquired')
    setting.close()
  })

  it('a file that is deleted under it is 503, but with WAL SQLite does not notice, as docs/stores/sqlite.md says', async () => {
    const noticing = await withListener(client, { journal: 'DELETE' })
    rmSync(noticing.path)
    await expectUndecided(noticing, /readonly|READONLY/)
    noticing.close()
    const unaware = await withListener(client)
    const delivery = await unaware.deliver()
    await acceptedEvent(delivery, unaware.listener)
    rmSync(unaware.path)
    expect(await outcome(delivery, unaware.listener)).toBe('503 event_in_progress')
    const next = client.open(unaware.path)
    const store = sqliteStore(next.db)
    await store.migrate()
    expect(await outcome(delivery, { ...unaware.listener, store })).toBe('accepted')
    next.close()
    unaware.close()
  })

  it('a closed database is 503', async () => {
    const setting = await withListener(client)
    setting.close()
    await expect(verify(await setting.deliver(), setting.listener)).rejects.toThrow(EventStoreError)
  })
})

describe('a restart', () => {
  describeEachClient('forgets nothing', (client) => {
    it('finished events stay done, and running ones keep their lease', async () => {
      const { path, deliver, listener, close } = await withListener(client)
      const [done, running] = [await deliver(), await deliver()]
      await (await acceptedEvent(done, listener)).commit()
      await acceptedEvent(running, listener)
      close()
      const again = client.open(path)
      const second = hmacListener({ store: sqliteStore(again.db) })
      expect(await outcome(done, second.listener)).toBe('409 event_duplicate')
      expect(await outcome(running, second.listener)).toBe('503 event_in_progress')
      again.close()
    })
  })
})
