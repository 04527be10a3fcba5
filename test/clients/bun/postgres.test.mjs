import { expect, test } from 'bun:test'
import { SQL } from 'bun'
import { postgresStore } from 'hookgate/stores/postgres'
import { eventStoreSuite } from 'hookgate/testing'

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
