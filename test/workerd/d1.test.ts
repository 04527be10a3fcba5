import { env } from 'cloudflare:test'
import type { D1PreparedStatement } from '@cloudflare/workers-types'
import { describe, expect, it } from 'vitest'
import { EventStoreError, ListenerConfigError, verify } from '../../src/index.ts'
import { type D1Binding, type D1BoundStatement, d1Store } from '../../src/stores/sqlite/d1.ts'
import { eventStoreSuite } from '../../src/testing/index.ts'
import { expectAnyId } from '../support/any-id.ts'
import { hmacListener } from '../support/hmac-listener.ts'
import { outcome } from '../support/outcome.ts'

const newKey = (listenerId = 'L1') => ({ listenerId, eventId: crypto.randomUUID() })
const RETENTION_MS = 604_800_000
const HOUR_MS = 3_600_000

const migratedStore = async (options = {}) => {
  const store = d1Store(env.DB, options)
  await store.migrate()
  return store
}

/** Makes every record older, so that time has passed for the store. */
async function age(milliseconds: number, table = 'hookgate_events'): Promise<void> {
  await env.DB.prepare(`UPDATE ${table} SET expires_at = expires_at - ?`).bind(milliseconds).run()
}

describe('a D1 database keeps the contract', () => {
  eventStoreSuite(it, () => migratedStore())
  it('the database takes any ID, as verify() maps it', async () => expectAnyId(await migratedStore()))
})

it('an event is a duplicate for 6 d 23 h 59 m, and new after 7 d 0 h 1 m', async () => {
  const store = await migratedStore({ table: 'retention' })
  const key = newKey()
  await store.commit(key, 'a', RETENTION_MS)
  await age(RETENTION_MS - 60_000, 'retention')
  expect(await store.claim(key, 'b', 1000)).toBe('done')
  await age(120_000, 'retention')
  expect(await store.claim(key, 'c', 1000)).toBe('acquired')
})

it('sweep() deletes expired records, oldest first, up to its limit', async () => {
  const store = await migratedStore({ table: 'swept' })
  for (let hour = 1; hour <= 4; hour += 1) await store.commit(newKey(`h${hour}`), 'a', hour * HOUR_MS)
  await age(3.5 * HOUR_MS, 'swept')
  expect(await store.sweep(2)).toBe(2)
  const { results } = await env.DB.prepare('SELECT listener_id FROM swept ORDER BY 1').all()
  expect(results).toEqual([{ listener_id: 'h3' }, { listener_id: 'h4' }])
  expect(await store.sweep()).toBe(1)
  expect(await store.sweep()).toBe(0)
  await expect(store.sweep(0)).rejects.toThrow(/^limit: /)
})

it('check() finds what is missing, and nothing after migrate(), which may run again', async () => {
  const store = d1Store(env.DB, { table: 'checked' })
  expect(await store.check()).toMatchObject([{ problem: /is missing/ }].map(matching))
  await expect(store.claim(newKey(), 'a', 1000)).rejects.toThrow('run `await store.migrate()` once')
  await store.migrate()
  await store.migrate()
  expect(await store.check()).toEqual([])
  await env.DB.prepare('DROP INDEX checked_expires_at').run()
  expect(await store.check()).toMatchObject([{ problem: /no index/ }].map(matching))
})

it('check() finds a copy without its key, and migrate() fails for it', async () => {
  await migratedStore({ table: 'copied' })
  await env.DB.prepare('CREATE TABLE copy AS SELECT * FROM copied').run()
  const store = d1Store(env.DB, { table: 'copy' })
  await expect(store.migrate()).rejects.toThrow(EventStoreError)
  await expect(store.migrate()).rejects.toThrow('no key tells records apart')
  expect(await store.check()).toMatchObject([{ problem: /^no key tells/ }].map(matching))
})

const matching = ({ problem }: { problem: RegExp }) => ({ problem: expect.stringMatching(problem) })

it('exactly one of 300 deliveries of one event at once is accepted', async () => {
  const { listener, deliver } = hmacListener({ store: await migratedStore() })
  const delivery = await deliver()
  const outcomes = await Promise.all(Array.from({ length: 300 }, () => outcome(delivery, listener)))
  expect(outcomes.filter((word) => word === 'accepted')).toHaveLength(1)
  expect(outcomes.filter((word) => word === '503 event_in_progress')).toHaveLength(299)
})

it('the rows that each verb writes are counted, because you pay for them', async () => {
  const written: number[] = []
  const counted = (statement: D1PreparedStatement): D1BoundStatement => ({
    bind: (...values) => counted(statement.bind(...values)),
    async all() {
      const result = await statement.all()
      written.push(result.meta.rows_written)
      return result
    },
    ...{ first: () => {} },
  })
  const prepare = (sql: string) => counted(env.DB.prepare(sql))
  await migratedStore({ table: 'paid' })
  const store = d1Store({ prepare, batch: async () => {} }, { table: 'paid' })
  const key = newKey()
  await store.claim(key, 'a', 1000)
  await store.claim(key, 'b', 1000)
  await store.renew?.(key, 'a', 1000)
  await store.renew?.(key, 'b', 1000)
  await store.commit(key, 'a', 1000)
  await age(2000, 'paid')
  await store.sweep()
  expect(written).toEqual([2, 2, 2, 0, 2, 1])
})

/** A binding whose statements do something else instead of running. */
function failing(all: () => Promise<never>): D1Binding {
  const statement = { bind: () => statement, all, first: all }
  return { prepare: () => statement, batch: () => all() }
}

describe('starved', () => {
  it('a database that hangs is 503 at the deadline', async () => {
    const store = d1Store(failing(() => new Promise(() => {})))
    const { listener, deliver } = hmacListener({ store, storeTimeoutSeconds: 0.2 })
    await expect(verify(await deliver(), listener)).rejects.toThrow('did not claim within 200 ms')
  })

  it('a database that is overloaded is 503, and the cause says so', async () => {
    const cause = new Error('D1_ERROR: D1 DB is overloaded. Requests queued for too long.')
    const { listener, deliver } = hmacListener({ store: d1Store(failing(() => Promise.reject(cause))) })
    const error = await verify(await deliver(), listener).catch((thrown) => thrown)
    expect(error).toBeInstanceOf(EventStoreError)
    expect(error.cause).toBe(cause)
  })

  it('a result without rows decides nothing', async () => {
    const statement = { bind: () => statement, all: async () => ({ results: [] }), first: () => {} }
    const store = d1Store({ prepare: () => statement, batch: async () => {} })
    const { listener, deliver } = hmacListener({ store })
    await expect(verify(await deliver(), listener)).rejects.toThrow(EventStoreError)
  })
})

describe('at construction', () => {
  const OTHERS: { readonly [name: string]: readonly [unknown, RegExp] } = {
    nothing: [undefined, /it is undefined: does the configuration name it/],
    null: [null, /must be a D1 binding/],
    'the name of a binding': ['DB', /must be a D1 binding/],
    'a namespace of Durable Objects': [
      env.EVENTS,
      /durableObjectStore from hookgate\/stores\/durable-object/,
    ],
    'a synchronous SQLite': [
      { exec() {}, prepare: () => ({ bind() {}, all() {} }) },
      /sqliteStore from hookgate\/stores\/sqlite/,
    ],
    'a client of @libsql/client': [{ execute() {}, executeMultiple() {}, batch() {} }, /sqliteStore/],
    'a statement': [env.DB.prepare('SELECT 1'), /must be a D1 binding/],
  }

  it.each(Object.entries(OTHERS))(
    '%s gets an error that names the supported clients',
    (_, [binding, message]) => {
      const create = () => d1Store(binding as D1Binding) // as in plain JavaScript
      expect(create).toThrow(ListenerConfigError)
      expect(create).toThrow(message)
      expect(create).toThrow(/^binding: /)
    },
  )

  it('options are checked, under its own name', () => {
    expect(() => d1Store(env.DB, { tabel: 'x' } as object)).toThrow('d1Store has no such option')
    expect(() => d1Store(env.DB, { table: 'a-b' })).toThrow(/^table: /)
  })

  it('a session, which reads its own writes, is as good as the binding', async () => {
    await migratedStore()
    const key = newKey()
    expect(await d1Store(env.DB.withSession('first-primary')).claim(key, 'a', 1000)).toBe('acquired')
    expect(await d1Store(env.DB).claim(key, 'b', 1000)).toBe('busy')
  })
})
