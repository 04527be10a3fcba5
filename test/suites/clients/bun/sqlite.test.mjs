import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { sqliteStore } from 'hookgate/stores/sqlite'
import { eventStoreSuite } from 'hookgate/testing'

const db = new Database(process.env.SQLITE_FILE)
db.exec('PRAGMA journal_mode = WAL')
const store = sqliteStore(db)
await store.migrate()
const other = sqliteStore(new Database(process.env.SQLITE_FILE))
eventStoreSuite(test, () => ({
  store,
  other,
  advance: (milliseconds) => db.exec(`UPDATE hookgate_events SET expires_at = expires_at - ${milliseconds}`),
}))

test('the store sweeps and checks', async () => {
  await store.commit({ listenerId: 'L1', eventId: crypto.randomUUID() }, 'a', 1000)
  db.exec('UPDATE hookgate_events SET expires_at = 1')
  expect(await store.sweep(100_000)).toBeGreaterThan(0)
  expect(await store.check()).toEqual([])
})
