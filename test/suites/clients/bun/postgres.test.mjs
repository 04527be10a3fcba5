import { describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { defineListener, hmac } from 'hookgate'
import { inbox } from 'hookgate/inbox'
import { postgresStore } from 'hookgate/stores/postgres'
import { eventStoreSuite, signHmac } from 'hookgate/testing'
import { webhookHandler } from 'hookgate/web'
import { COMMIT_CASES, CONCURRENT_CASES } from '../commit-cases.ts'

const sql = new SQL(process.env.POSTGRES_URL)
const store = postgresStore(sql)
await store.migrate()
eventStoreSuite(test, () => store)

await sql`CREATE TABLE payments (id text)`
const app = {
  store,
  pay: (event) =>
    sql.begin(async (tx) => {
      await tx`INSERT INTO payments VALUES (${event.id})`
      await event.commit(tx)
    }),
  payments: async (id) => (await sql`SELECT FROM payments WHERE id = ${id}`).length,
  begin: (work) => sql.begin(work),
  nested: (tx, work) => tx.savepoint(work),
  leavesOpen: 'failed',
  run: (tx, text, ...values) => tx.unsafe(text, values),
  taken: (tx) => tx,
}
for (const [name, run] of Object.entries({ ...COMMIT_CASES, ...CONCURRENT_CASES })) {
  test(name, () => run(app, expect))
}

test('a pool is no transaction', async () => {
  const key = { listenerId: 'orders', eventId: crypto.randomUUID() }
  await expect(store.commitIn(sql, key, 'a', 60_000)).rejects.toThrow(/^tx: must be the client of one open/)
})

test('a missing table gives the fix', async () => {
  const key = { listenerId: 'orders', eventId: crypto.randomUUID() }
  const claim = postgresStore(sql, { table: 'nowhere' }).claim(key, 'a', 60_000)
  expect(claim).rejects.toThrow(/migrate\(\)/)
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
