// One process on a SQLite file. config: { client, path }
import { sqliteStore } from 'hookgate/stores/sqlite'

const WAIT_MS = 30_000 // eight processes write here, SQLite is not fair to them, and none has a deadline

const clients = {
  async 'better-sqlite3'(path) {
    const { default: Database } = await import('better-sqlite3')
    return new Database(path, { timeout: WAIT_MS })
  },
  async libsql(path) {
    const { default: Database } = await import('libsql')
    return new Database(path, { timeout: WAIT_MS })
  },
  async '@libsql/client'(path) {
    const { createClient } = await import('@libsql/client')
    return createClient({ url: `file:${path}`, timeout: WAIT_MS })
  },
}

export async function open({ client, path }) {
  const db = await clients[client](path)
  const ask = async (sql, ...args) =>
    'execute' in db ? (await db.execute({ sql, args })).rows : db.prepare(sql).all(...args)
  const store = sqliteStore(db)
  await store.migrate()
  const effects = 'CREATE TABLE IF NOT EXISTS effects (event_id TEXT)'
  await ('execute' in db ? db.execute(effects) : db.exec(effects))
  return {
    store,
    effect: (eventId) => ask('INSERT INTO effects VALUES (?) RETURNING 1', eventId),
    async effects(eventId) {
      const [row] = await ask('SELECT count(*) AS times FROM effects WHERE event_id = ?', eventId)
      return Number(row.times)
    },
    close: () => db.close(),
  }
}
