import { describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { defineListener, hmac } from 'hookgate'
import { inbox } from 'hookgate/inbox'
import { postgresStore } from 'hookgate/stores/postgres'
import { eventStoreSuite, signHmac } from 'hookgate/testing'
import { webhookHandler } from 'hookgate/web'

const sql = new SQL(process.env.POSTGRES_URL)
const store = postgresStore(sql)
await store.migrate()
eventStoreSuite(test, () => store)

test('with(tx) takes what begin() hands over, and not the pool', async () => {
  const key = { listenerId: 'orders', eventId: crypto.randomUUID() }
  expect(() => store.with(sql)).toThrow(/^tx: /)
  const rolledBack = sql.begin(async (tx) => {
    expect(await store.with(tx).claim(key, 'a', 60_000)).toBe('acquired')
    throw new Error('rolled back')
  })
  await rolledBack.catch(() => {})
  await sql.begin(async (tx) => {
    expect(await store.with(tx).claim(key, 'b', 60_000)).toBe('acquired')
  })
  expect(await store.claim(key, 'c', 60_000)).toBe('busy')
})

test('a missing table gives the fix', async () => {
  const key = { listenerId: 'orders', eventId: crypto.randomUUID() }
  const claim = postgresStore(sql, { table: 'nowhere' }).claim(key, 'a', 60_000)
  expect(claim).rejects.toThrow(/migrate\(\)/)
})

test('no statement passes the end of the transaction of its event', async () => {
  const one = new SQL(process.env.POSTGRES_URL, { max: 1 })
  await one`CREATE TABLE IF NOT EXISTS effects (event_id text, note text)`
  const events = postgresStore(one).transactionPerEvent({ begin: (work) => one.begin(work) })
  const insert = (tx, id, note) => tx`INSERT INTO effects VALUES (${id}, ${note})`
  const late = {
    awaited: (statement) => statement,
    execute: (statement) => statement.execute(),
    values: (statement) => statement.values(),
    raw: (statement) => statement.raw(),
    catch: (statement) =>
      statement.catch((error) => {
        throw error
      }),
    bound: (_, _tx, id, bound) => insert(bound, id, 'late'),
    unsafe: (_, tx, id) => tx.unsafe('INSERT INTO effects VALUES ($1, $2)', [id, 'late']),
    savepoint: (_, tx, id) => tx.savepoint((inner) => insert(inner, id, 'late')),
  }
  for (const run of Object.values(late)) {
    for (const end of ['commit', 'release']) {
      const key = { listenerId: 'orders', eventId: crypto.randomUUID() }
      const [owner, event] = [crypto.randomUUID(), {}]
      expect(await events.claim(key, owner, 60_000)).toBe('acquired')
      events.accepted(event, owner)
      const tx = events.transactionOf(event)
      await insert(tx, key.eventId, 'in time')
      const statement = insert(tx, key.eventId, 'late')
      const bound = tx.bind(undefined)
      await events[end](key, owner, 60_000)
      const code = await run(statement, tx, key.eventId, bound).then(
        () => 'none',
        (error) => error.code,
      )
      expect(code).toBe('ERR_TRANSACTION_OVER')
      const notes = await one`SELECT note FROM effects WHERE event_id = ${key.eventId}`
      expect(notes.map(({ note }) => note)).toEqual(end === 'commit' ? ['in time'] : [])
    }
  }
  await one.close()
})

const box = inbox(sql, { leaseMs: 5000 })
await box.migrate()
describe('the inbox', () => eventStoreSuite(test, () => box.store))

test('an inbox puts an event in a transaction, and runs it to its end in one', async () => {
  const secret = 'a-secret-of-a-sender-32-characters'
  const listener = defineListener({ id: 'bun', auth: hmac({ secrets: secret }), store: box.store })
  const handle = webhookHandler(listener, (event) => sql.begin((tx) => box.put(event, { tx })))
  const request = await signHmac({ secret, body: '{"a":1}' })
  const send = () => handle(new Request('https://example.com/', { method: 'POST', ...request }))
  expect([(await send()).status, (await send()).status]).toEqual([200, 409])
  const ended = Promise.withResolvers()
  const worker = box.work(listener, (event, { done }) =>
    sql.begin(async (tx) => {
      await done(tx)
      ended.resolve(event.payload)
    }),
  )
  expect(await ended.promise).toEqual({ a: 1 })
  await worker.stop()
  expect(await box.counts()).toMatchObject({ waiting: 0, running: 0, done: 1 })
})
