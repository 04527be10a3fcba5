// A process of `order.slow.test.ts`: a worker that is killed. Plain JavaScript, because Node 20 runs nothing else.
import { setTimeout as pause } from 'node:timers/promises'
import { defineListener, hmac } from 'hookgate'
import { inbox } from 'hookgate/inbox'
import pg from 'pg'

const { connection, table, secret, leaseMs, earlierTake } = JSON.parse(process.argv[2] ?? '{}')

const pool = new pg.Pool({ ...connection, max: 10 })
pool.on('error', () => {})

/** That of an earlier version, which knows of no keys: what it asks of the table, and what it ends. */
const earlier = {
  query: (text, values) => pool.query(/'more', TRUE/.test(text) ? earlierTake : text, values),
}

const box = inbox(earlierTake ? earlier : pool, { table, leaseMs, maxAttempts: 3 })
const listener = defineListener({
  id: 'orders',
  auth: hmac({ secrets: { id: 'main', secret } }),
  store: box.store,
})

async function handle({ payload: { key, place, fails } }, { attempt }) {
  const { rows } = await pool.query(
    'INSERT INTO runs (key, place, attempt, earlier) VALUES ($1, $2, $3, $4) RETURNING id',
    [key, place, attempt, earlierTake !== undefined],
  )
  process.send('running')
  await pause(Math.random() * 10)
  await pool.query('UPDATE runs SET ended_at = clock_timestamp() WHERE id = $1', [rows[0].id])
  if (attempt <= fails) throw new Error('as its event says')
}

box.work(listener, handle, {
  ...{ concurrency: 8, pollMs: 20, delayMs: () => Math.random() * 100, onError: null },
})
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'))
