// Measures one store for bench/stores.mjs, on its own server: bytes per event and calls per second.
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { postgresStore } from 'hookgate/stores/postgres'
import { redisStore } from 'hookgate/stores/redis'
import { sqliteStore } from 'hookgate/stores/sqlite'
import { Redis } from 'ioredis'
import Database from 'libsql'
import pg from 'pg'
import { runnerImport } from 'vite'
import { median } from './rounds.mjs'

const AT_ONCE = 64
const RETENTION_MS = 604_800_000

const support = async (name) =>
  (await runnerImport(new URL(`../test/support/${name}.ts`, import.meta.url).pathname)).module
const { REDIS_MISSING, startRedis } = await support('redis-server')
const { PostgresServer, WHY_NO_POSTGRES } = await support('postgres-server')

export { REDIS_MISSING, WHY_NO_POSTGRES }

const newKey = () => ({ listenerId: 'orders', eventId: randomUUID() })

/** Runs `work` repeatedly, with 64 calls in flight. */
async function many(times, work) {
  let left = times
  const lane = async () => {
    while (left-- > 0) await work()
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
}

/** The milliseconds of one call, and calls per second with 64 in flight. Fills the store meanwhile. */
async function measureCalls(store, { events, calls }) {
  const times = []
  for (let call = 0; call < calls; call += 1) {
    const [key, start] = [newKey(), performance.now()]
    await store.claim(key, 'owner', 60_000)
    times.push(performance.now() - start)
    await store.commit(key, 'owner', RETENTION_MS)
  }
  const start = performance.now()
  await many(events - calls, async () => {
    const key = newKey()
    await store.claim(key, 'owner', 60_000)
    await store.commit(key, 'owner', RETENTION_MS)
  })
  const seconds = (performance.now() - start) / 1000
  return { oneMs: median(times), aSecond: (2 * (events - calls)) / seconds }
}

export async function redisCosts(size, options) {
  const server = await startRedis()
  const client = new Redis({ port: server.port, host: '127.0.0.1' })
  const used = async () => Number(/used_memory:(\d+)/.exec(await client.info('memory'))[1])
  const store = redisStore(client, options)
  await store.commit(newKey(), 'warm-up', RETENTION_MS) // scripts and connection take some memory once
  const before = await used()
  const costs = await measureCalls(store, size)
  const bytes = ((await used()) - before) / size.events
  client.disconnect()
  await server.close()
  return { ...costs, bytes }
}

export async function postgresCosts(size, synchronousCommit) {
  const server = await PostgresServer.start('fsync=on', `synchronous_commit=${synchronousCommit}`)
  const pool = new pg.Pool({ ...server.address, max: AT_ONCE })
  const store = postgresStore(pool)
  await store.migrate()
  const costs = await measureCalls(store, size)
  const bytesNow = async () => {
    const { rows } = await pool.query("SELECT pg_total_relation_size('hookgate_events') AS bytes")
    return Number(rows[0].bytes) / size.events
  }
  const bytesUnvacuumed = await bytesNow()
  await pool.query('VACUUM FULL hookgate_events')
  const bytes = await bytesNow()
  await pool.end()
  await server.remove()
  return { ...costs, bytes, bytesUnvacuumed }
}

export async function sqliteCosts(size, { synchronous = 'NORMAL', index = true } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'hookgate-bench-'))
  const db = new Database(join(folder, 'events.db'), { timeout: 1000 })
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}`)
  const store = sqliteStore(db)
  await store.migrate()
  if (!index) db.exec('DROP INDEX hookgate_events_expires_at')
  const costs = await measureCalls(store, size)
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  const question = 'SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size'
  const [page] = db.prepare(question).all()
  db.close()
  rmSync(folder, { recursive: true, force: true })
  return { ...costs, bytes: Number(page.bytes) / size.events }
}
