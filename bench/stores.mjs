const HELP = `node bench/stores.mjs [options]          (after npm run build)

Measures what each durable store takes for an event and for a call, on servers of its own, and prints the tables of
docs/stores.md. Needs redis-server and Postgres; what is missing is left out and named.

Options:
  --events N    claimed and committed in each store (default 100,000; fewer say less about bytes)
  --calls N     claims one at a time, whose median is told (default 2,000)
  --help        this text`

import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { postgresStore } from 'hookgate/stores/postgres'
import { redisStore } from 'hookgate/stores/redis'
import { sqliteStore } from 'hookgate/stores/sqlite'
import { Redis } from 'ioredis'
import Database from 'libsql'
import pg from 'pg'
import { runnerImport } from 'vite'
import { median } from './rounds.mjs'

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '100000' },
    calls: { type: 'string', default: '2000' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(HELP)
  process.exit(0)
}
const [EVENTS, CALLS] = [Number(values.events), Number(values.calls)]
const AT_ONCE = 64
const RETENTION_MS = 604_800_000
/** Events in one hash, as a listener has them with the default shards at 30 million a day. */
const EVENTS_A_HASH = 460

const newKey = () => ({ listenerId: 'orders', eventId: randomUUID() })

/** `work` as often as asked, 64 of them under way at any time. */
async function many(times, work) {
  let left = times
  const lane = async () => {
    while (left-- > 0) await work()
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
}

/** Where each call waits for a disk, fewer events have to do: their number says nothing there. */
const SYNCED_EVENTS = Math.min(EVENTS, CALLS + 2000)

/** One call's milliseconds, and calls a second with 64 at once. Fills the store on the way. */
async function measureCalls(store, events = EVENTS) {
  const times = []
  for (let call = 0; call < CALLS; call += 1) {
    const [key, start] = [newKey(), performance.now()]
    await store.claim(key, 'owner', 60_000)
    times.push(performance.now() - start)
    await store.commit(key, 'owner', RETENTION_MS)
  }
  const start = performance.now()
  await many(events - CALLS, async () => {
    const key = newKey()
    await store.claim(key, 'owner', 60_000)
    await store.commit(key, 'owner', RETENTION_MS)
  })
  const seconds = (performance.now() - start) / 1000
  return { oneMs: median(times), aSecond: (2 * (events - CALLS)) / seconds }
}

async function measureRedis({ startRedis }, options) {
  const server = await startRedis()
  const client = new Redis({ port: server.port, host: '127.0.0.1' })
  const used = async () => Number(/used_memory:(\d+)/.exec(await client.info('memory'))[1])
  const store = redisStore(client, options)
  await store.commit(newKey(), 'warm-up', RETENTION_MS) // the scripts and the connection take some room, once
  const before = await used()
  const calls = await measureCalls(store)
  const bytes = ((await used()) - before) / EVENTS
  client.disconnect()
  await server.close()
  return { ...calls, bytes }
}

async function openPostgres({ PostgresServer }, synchronousCommit) {
  const server = await PostgresServer.start('fsync=on', `synchronous_commit=${synchronousCommit}`)
  const pool = new pg.Pool({ ...server.address, max: AT_ONCE })
  const store = postgresStore(pool)
  await store.migrate()
  const close = async () => {
    await pool.end()
    await server.remove()
  }
  return { pool, store, close }
}

async function measurePostgres(support) {
  const { pool, store, close } = await openPostgres(support, 'off')
  const calls = await measureCalls(store)
  const size = async () => {
    const { rows } = await pool.query("SELECT pg_total_relation_size('hookgate_events') AS bytes")
    return Number(rows[0].bytes) / EVENTS
  }
  const unvacuumed = await size()
  await pool.query('VACUUM FULL hookgate_events')
  const bytes = await size()
  await close()
  return { ...calls, bytes, unvacuumed }
}

async function measureSyncedPostgres(support) {
  const { store, close } = await openPostgres(support, 'on')
  const calls = await measureCalls(store, SYNCED_EVENTS)
  await close()
  return calls
}

async function measureSqlite({ synchronous = 'NORMAL', index = true, events = EVENTS } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'hookgate-bench-'))
  const db = new Database(join(folder, 'events.db'), { timeout: 1000 })
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}`)
  const store = sqliteStore(db)
  await store.migrate()
  if (!index) db.exec('DROP INDEX hookgate_events_expires_at')
  const calls = await measureCalls(store, events)
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  const [page] = db
    .prepare('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size')
    .all()
  db.close()
  rmSync(folder, { recursive: true, force: true })
  return events === EVENTS ? { ...calls, bytes: Number(page.bytes) / EVENTS } : calls
}

const redisServer = (await runnerImport(new URL('../test/support/redis-server.ts', import.meta.url).pathname))
  .module
const postgresServer = (
  await runnerImport(new URL('../test/support/postgres-server.ts', import.meta.url).pathname)
).module

const shards = Math.max(1, Math.round(EVENTS / EVENTS_A_HASH))
const noRedis = redisServer.REDIS_MISSING
const noPostgres = postgresServer.WHY_NO_POSTGRES
const SUBJECTS = [
  ['Redis, plain', noRedis, () => measureRedis(redisServer)],
  ["Redis, `layout: 'compact'`", noRedis, () => measureRedis(redisServer, { layout: 'compact', shards })],
  ['Postgres, `synchronous_commit` off', noPostgres, () => measurePostgres(postgresServer)],
  ['Postgres, `synchronous_commit` on', noPostgres, () => measureSyncedPostgres(postgresServer)],
  ['SQLite, `synchronous = NORMAL`', undefined, () => measureSqlite()],
  ['SQLite without its index', undefined, () => measureSqlite({ index: false })],
  [
    'SQLite, `synchronous = FULL`',
    undefined,
    () => measureSqlite({ synchronous: 'FULL', events: SYNCED_EVENTS }),
  ],
]

const SECONDS = 604_800
const gigabytes = (bytes, rate) => {
  const size = (bytes * rate * SECONDS) / 1e9
  return size >= 1000 ? `${(size / 1000).toFixed(2)} TB` : `${size.toFixed(size < 10 ? 1 : 0)} GB`
}
const spaceRow = (name, bytes) =>
  `| ${name} | ${bytes.toFixed(0)} | ${[100, 1000, 10_000].map((rate) => gigabytes(bytes, rate)).join(' | ')} |`
const callRow = (name, { oneMs, aSecond }) =>
  `| ${name} | ${oneMs.toFixed(2)} ms | ${Math.round(aSecond / 100) * 100} |`

const space = []
const speed = []
for (const [name, missing, measure] of SUBJECTS) {
  if (missing !== undefined) {
    console.error(`${name}: ${missing}`)
    continue
  }
  const result = await measure()
  speed.push(callRow(name, result))
  if (result.bytes) space.push(spaceRow(name.split(', `s')[0], result.bytes))
  if (result.unvacuumed) space.push(spaceRow('Postgres, before its first vacuum', result.unvacuumed))
}
console.log(
  `\n| ${EVENTS} events | bytes an event | 100/s, 7 days | 1,000/s | 10,000/s |\n|---|---:|---:|---:|---:|`,
)
console.log(space.join('\n'))
console.log('\n| one call | one at a time | a second, 64 at once |\n|---|---:|---:|')
console.log(speed.join('\n'))
