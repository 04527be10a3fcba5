import { env, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { EventStoreError, ListenerConfigError, verify } from '../../src/index.ts'
import { EventRecords, type SqlValue } from '../../src/stores/durable-object/statements.ts'
import { durableObjectStore, type EventNamespace } from '../../src/stores/durable-object/store.ts'
import { eventStoreSuite } from '../../src/testing/index.ts'
import { expectAnyId } from '../support/any-id.ts'
import { hmacListener } from '../support/hmac-listener.ts'
import { outcome } from '../support/outcome.ts'

const store = durableObjectStore(env.EVENTS)
const newKey = (listenerId: string) => ({ listenerId, eventId: crypto.randomUUID() })
const RETENTION_MS = 604_800_000
const HOUR_MS = 3_600_000

const objectOf = (listenerId: string, shard = 0) =>
  env.EVENTS.get(env.EVENTS.idFromName(`${shard}/${listenerId}`))

/** The rows of a listener's object, read without the store. */
function sql(listenerId: string, text: string): Promise<unknown[]> {
  return runInDurableObject(objectOf(listenerId), (_, { storage }) => storage.sql.exec(text).toArray())
}

/** Makes a listener's records older, so that time has passed for the store. */
const age = (listenerId: string, milliseconds: number) =>
  sql(listenerId, `UPDATE events SET expires_at = expires_at - ${milliseconds}`)

const alarmOf = (listenerId: string) =>
  runInDurableObject(objectOf(listenerId), (_, { storage }) => storage.getAlarm())

describe('Durable Objects keep the contract', () => {
  eventStoreSuite(it, () => store)
})

describe('eight shards keep the contract', () => {
  eventStoreSuite(it, () => durableObjectStore(env.EVENTS, { shards: 8 }))
  it('the shards take any ID, as verify() maps it', () =>
    expectAnyId(durableObjectStore(env.EVENTS, { shards: 8 })))
})

it('an event is a duplicate for 6 d 23 h 59 m, and new after 7 d 0 h 1 m', async () => {
  const key = newKey('retention')
  await store.commit(key, 'a', RETENTION_MS)
  await age('retention', RETENTION_MS - 60_000)
  expect(await store.claim(key, 'b', 1000)).toBe('done')
  await age('retention', 120_000)
  expect(await store.claim(key, 'c', 1000)).toBe('acquired')
})

it('an event that its claim marked as done, with its owner, stays a duplicate', async () => {
  const key = newKey('for-good')
  await runInDurableObject(objectOf('for-good'), (_, { storage }) =>
    new EventRecords(storage.sql).put(key.eventId, {
      owner: 'a',
      done: true,
      expiresAt: Date.now() + HOUR_MS,
    }),
  )
  expect(await store.claim(key, 'a', 1)).toBe('done')
  expect(await store.commit(key, 'a', 1)).toBe('already')
  expect(await store.release(key, 'a')).toBe(false)
  expect(await store.renew?.(key, 'a', HOUR_MS)).toBe(false)
})

it('the shards spread a listener over objects, and find every event again', async () => {
  const sharded = durableObjectStore(env.EVENTS, { shards: 4 })
  const keys = Array.from({ length: 40 }, () => newKey('spread'))
  for (const key of keys) await sharded.commit(key, 'a', RETENTION_MS)
  const counts = await Promise.all(
    [0, 1, 2, 3].map((shard) =>
      runInDurableObject(objectOf('spread', shard), (_, { storage }) =>
        Number(storage.sql.exec('SELECT count(*) AS n FROM events').one().n),
      ),
    ),
  )
  expect(counts.reduce((sum, count) => sum + count)).toBe(40)
  expect(Math.min(...counts)).toBeGreaterThan(0)
  for (const key of keys) expect(await sharded.claim(key, 'b', 1000)).toBe('done')
})

it('exactly one of 300 deliveries of one event at once is accepted', async () => {
  const { listener, deliver } = hmacListener({ store })
  const delivery = await deliver()
  const outcomes = await Promise.all(Array.from({ length: 300 }, () => outcome(delivery, listener)))
  expect(outcomes.filter((word) => word === 'accepted')).toHaveLength(1)
  expect(outcomes.filter((word) => word === '503 event_in_progress')).toHaveLength(299)
})

it('a claim and a commit write one row each, a refused duplicate none, because you pay for rows', async () => {
  const written = await runInDurableObject(objectOf('billing'), (_, { storage }) => {
    const cursors: { readonly rowsWritten: number }[] = []
    const exec = (text: string, ...values: SqlValue[]) => {
      const cursor = storage.sql.exec(text, ...values)
      cursors.push(cursor)
      return cursor
    }
    const records = new EventRecords({ exec })
    records.live('the table is made', 0)
    return [
      () => records.put('e', { owner: 'a', done: false, expiresAt: 9e15 }),
      () => records.live('e', 0),
      () => records.put('e', { owner: null, done: true, expiresAt: 9e15 }),
      () => records.delete('e'),
    ].map((step) => {
      const before = cursors.length
      step()
      return cursors.slice(before).reduce((sum, { rowsWritten }) => sum + rowsWritten, 0)
    })
  })
  expect(written).toEqual([1, 0, 1, 1])
})

it('a done event takes less than 75 bytes, in an object of 20,000', async () => {
  const bytes = await runInDurableObject(objectOf('size'), (_, { storage }) => {
    const records = new EventRecords(storage.sql)
    for (let event = 0; event < 20_000; event += 1) {
      records.put(crypto.randomUUID(), { owner: null, done: true, expiresAt: Date.now() })
    }
    return storage.sql.databaseSize / 20_000
  })
  expect(bytes).toBeLessThan(75)
  console.log(`${bytes.toFixed(1)} bytes an event`)
})

describe('the alarm', () => {
  it('the alarm is set an hour ahead by the first event, and not moved by the next', async () => {
    const began = Date.now()
    await store.release(newKey('alarm'), 'a')
    expect(await alarmOf('alarm')).toBeNull()
    await store.claim(newKey('alarm'), 'a', 1000)
    const first = await alarmOf('alarm')
    expect(first).toBeGreaterThanOrEqual(began + HOUR_MS)
    expect(first).toBeLessThanOrEqual(Date.now() + HOUR_MS)
    await store.commit(newKey('alarm'), 'a', 1000)
    const key = newKey('alarm')
    await store.claim(key, 'a', 1000)
    expect(await store.renew?.(key, 'a', 3 * HOUR_MS)).toBe(true)
    expect(await alarmOf('alarm')).toBe(first)
  })

  it('the alarm deletes expired rows, keeps the rest, and is set again', async () => {
    const kept = newKey('sweep')
    await store.commit(newKey('sweep'), 'a', HOUR_MS)
    await store.commit(kept, 'a', 3 * HOUR_MS)
    await age('sweep', 2 * HOUR_MS)
    expect(await runDurableObjectAlarm(objectOf('sweep'))).toBe(true)
    expect(await sql('sweep', 'SELECT event_id FROM events')).toEqual([{ event_id: kept.eventId }])
    expect(await alarmOf('sweep')).toBeGreaterThan(Date.now() + HOUR_MS / 2)
  })

  it('the alarm reads 10,000 rows at a time, and continues a second later until it has seen all', async () => {
    const last = { listenerId: 'big', eventId: 'ffffffff-ffff-4fff-bfff-ffffffffffff' }
    await store.claim(last, 'a', 60_000)
    await sql(
      'big',
      `INSERT INTO events WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 25000)
SELECT printf('%08x', i * 170000) || '-', 'a', 0, CASE i % 5 WHEN 0 THEN 9e15 ELSE 1 END FROM n`,
    )
    const counts: unknown[] = []
    for (let slice = 0; slice < 3; slice += 1) {
      const isNext = Number(await alarmOf('big')) - Date.now()
      expect(slice === 0 || isNext <= 1000).toBe(true)
      await runDurableObjectAlarm(objectOf('big'))
      counts.push(...(await sql('big', 'SELECT count(*) AS n FROM events WHERE expires_at = 1')))
    }
    expect(counts).toEqual([{ n: 12_000 }, { n: 4000 }, { n: 0 }])
    expect(await sql('big', 'SELECT count(*) AS n FROM events')).toEqual([{ n: 5001 }])
    expect(await alarmOf('big')).toBeGreaterThan(Date.now() + HOUR_MS / 2)
  })

  it('the alarm keeps a lease that was renewed, and deletes it when that has lapsed', async () => {
    const key = newKey('renewed')
    await store.claim(key, 'a', HOUR_MS)
    expect(await store.renew?.(key, 'a', 3 * HOUR_MS)).toBe(true)
    await age('renewed', 2 * HOUR_MS)
    await runDurableObjectAlarm(objectOf('renewed'))
    expect(await store.claim(key, 'b', 1000)).toBe('busy')
    await age('renewed', 2 * HOUR_MS)
    await runDurableObjectAlarm(objectOf('renewed'))
    expect(await alarmOf('renewed')).toBeNull()
    expect(await store.renew?.(key, 'a', HOUR_MS)).toBe(false)
    expect(await store.claim(key, 'b', 1000)).toBe('acquired')
  })

  it('the alarm deletes an object that was made by a renewal of nothing', async () => {
    expect(await store.renew?.(newKey('nothing'), 'a', HOUR_MS)).toBe(false)
    expect(await alarmOf('nothing')).not.toBeNull()
    await runDurableObjectAlarm(objectOf('nothing'))
    expect(await alarmOf('nothing')).toBeNull()
  })

  it('the alarm deletes an object without events, which can start again', async () => {
    await store.claim(newKey('idle'), 'a', 1000)
    await age('idle', HOUR_MS)
    await runDurableObjectAlarm(objectOf('idle'))
    expect(await alarmOf('idle')).toBeNull()
    expect(await sql('idle', "SELECT name FROM sqlite_master WHERE name = 'events'")).toEqual([])
    const key = newKey('idle')
    expect(await store.claim(key, 'a', 1000)).toBe('acquired')
    expect(await store.claim(key, 'b', 1000)).toBe('busy')
    expect(await alarmOf('idle')).not.toBeNull()
  })
})

/** A namespace whose objects do something else. */
const answering = (fetch: () => Promise<Response>): EventNamespace => ({
  idFromName: () => ({}),
  get: () => ({ fetch }),
})

describe('starved', () => {
  it('an object that hangs is 503 at the deadline', async () => {
    const hanging = durableObjectStore(answering(() => new Promise(() => {})))
    const { listener, deliver } = hmacListener({ store: hanging, storeTimeoutSeconds: 0.2 })
    await expect(verify(await deliver(), listener)).rejects.toThrow('did not claim within 200 ms')
  })

  it('an object that is overloaded is 503, and the cause says so', async () => {
    const cause = Object.assign(new Error('Durable Object is overloaded.'), { overloaded: true })
    const { listener, deliver } = hmacListener({
      store: durableObjectStore(answering(() => Promise.reject(cause))),
    })
    const error = await verify(await deliver(), listener).catch((thrown) => thrown)
    expect(error).toBeInstanceOf(EventStoreError)
    expect(error.cause).toBe(cause)
  })

  it('a real object whose storage refuses is 503, and works again when it does not', async () => {
    const { listener, deliver } = hmacListener({ id: 'broken', store })
    await deliver().then((delivery) => verify(delivery, listener))
    await sql('broken', 'ALTER TABLE events RENAME TO elsewhere')
    const delivery = await deliver()
    await expect(verify(delivery, listener)).rejects.toThrow(EventStoreError)
    await sql('broken', 'ALTER TABLE elsewhere RENAME TO events')
    expect(await outcome(delivery, listener)).toBe('accepted')
  })

  it.each([
    ['another class', new Response('Hello'), 'no EventStoreObject'],
    ['an answer to another verb', Response.json('committed'), 'no EventStoreObject'],
    ['an error', Response.json('acquired', { status: 500 }), 'no EventStoreObject'],
  ])('%s decides nothing', async (_, response, message) => {
    const { listener, deliver } = hmacListener({
      store: durableObjectStore(answering(async () => response.clone())),
    })
    await expect(verify(await deliver(), listener)).rejects.toThrow(message)
  })
})

describe('at construction', () => {
  const OTHERS: { readonly [name: string]: readonly [unknown, RegExp] } = {
    nothing: [undefined, /it is undefined: does the configuration name it/],
    null: [null, /namespace of EventStoreObject/],
    'a D1 binding': [env.DB, /d1Store from hookgate\/stores\/d1/],
    'one object': [objectOf('x'), /not one object of it/],
    'the storage of an object': [{ get() {}, sql: { databaseSize: 0 } }, /not the storage/],
  }

  it.each(Object.entries(OTHERS))('%s gets an error that names the binding', (_, [namespace, message]) => {
    const create = () => durableObjectStore(namespace as EventNamespace) // as in plain JavaScript
    expect(create).toThrow(ListenerConfigError)
    expect(create).toThrow(message)
    expect(create).toThrow(/^namespace: /)
  })

  it('options are checked', () => {
    expect(() => durableObjectStore(env.EVENTS, { shard: 2 } as object)).toThrow('has no such option')
    expect(() => durableObjectStore(env.EVENTS, { shards: 0 })).toThrow(/^shards: /)
  })

  it('a hint says where to make an object', async () => {
    const hints: unknown[] = []
    const get = (_: object, options?: object) => {
      hints.push(options)
      return { fetch: async () => Response.json('acquired') }
    }
    const hinted = durableObjectStore({ idFromName: () => ({}), get }, { locationHint: 'weur' })
    expect(await hinted.claim(newKey('hint'), 'a', 1000)).toBe('acquired')
    expect(hints).toEqual([{ locationHint: 'weur' }])
  })
})
