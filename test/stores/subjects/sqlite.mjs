// One process on a SQLite file. Config: `{ client, path, waitMs }`. With a `waitMs` of 0 the store waits for locks, as docs/stores/sqlite.md
// says; by default SQLite does, because it is not fair to eight writers, and none here has a deadline.
import { setTimeout as sleep } from 'node:timers/promises'
import { sqliteStore } from 'hookgate/stores/sqlite'

const WAIT_MS = 30_000

const clients = {
  async 'better-sqlite3'(path) {
    const { default: Database } = await import('better-sqlite3')
    return new Database(path, { timeout: WAIT_MS })
  },
  async 'node:sqlite'(path) {
    const { DatabaseSync } = await import('node:sqlite')
    return new DatabaseSync(path, { timeout: WAIT_MS })
  },
  async libsql(path) {
    const { default: Database } = await import('libsql')
    return new Database(path, { timeout: WAIT_MS })
  },
  async 'bun:sqlite'(path) {
    const { Database } = await import('bun:sqlite')
    const db = new Database(path)
    db.exec(`PRAGMA busy_timeout = ${WAIT_MS}`)
    return db
  },
  async '@libsql/client'(path) {
    const { createClient } = await import('@libsql/client')
    return createClient({ url: `file:${path}`, timeout: WAIT_MS, concurrency: 1 })
  },
}

/**
 * Claim, effect, commit. It pauses between the steps, because a synchronous driver would leave no time to be killed in.
 */
async function attemptSlowly({ store, effect }, { key, owner, leaseMs, retentionMs }, step) {
  const reportStep = async (name) => {
    step(name)
    await sleep(2)
  }
  await reportStep('started')
  const claiming = store.claim(key, owner, leaseMs)
  await reportStep('claim sent')
  const answer = await claiming
  if (answer !== 'acquired') return answer
  await reportStep('claim answered')
  const doing = effect(key.eventId)
  await reportStep('effect sent')
  await doing
  await reportStep('effect answered')
  const committing = store.commit(key, owner, retentionMs)
  await reportStep('commit sent')
  if ((await committing) === 'lost') return 'lost'
  await reportStep('commit answered')
  return answer
}

/** Again while another process writes. */
async function patiently(work) {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (error.code !== 'SQLITE_BUSY') throw error
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
  }
}

export async function open({ client, path, waitMs }) {
  const db = await clients[client](path)
  const ask = async (sql, ...args) =>
    'execute' in db ? (await db.execute({ sql, args })).rows : db.prepare(sql).all(...args)
  const store = sqliteStore(db)
  await store.migrate()
  const run = async (sql) => ('execute' in db ? db.execute(sql) : db.exec(sql))
  if (waitMs !== undefined) await run(`PRAGMA busy_timeout = ${waitMs}`)
  await run('PRAGMA synchronous = NORMAL') // processes die here, but the machine does not
  await patiently(() => run('CREATE TABLE IF NOT EXISTS effects (event_id TEXT)'))
  const effect = (eventId) => ask('INSERT INTO effects VALUES (?) RETURNING 1', eventId)
  return {
    store,
    attempt: (request, step) => attemptSlowly({ store, effect }, request, step),
    async effects(eventId) {
      const [row] = await ask('SELECT count(*) AS times FROM effects WHERE event_id = ?', eventId)
      return Number(row.times)
    },
    close: () => db.close(),
  }
}
