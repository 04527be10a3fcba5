// A process of `drain-kills.slow.test.ts`: drains again and again, until it is killed, `dieAfterMs` after its first event. Plain JavaScript, because Node 20 runs nothing else.
import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { defineListener, hmac } from 'hookgate'
import { inbox } from 'hookgate/inbox'
import pg from 'pg'

const { connection, table, secret, leaseMs, transactions, slowest, dieAfterMs } = JSON.parse(
  process.argv[2] ?? '{}',
)

/** Kills from a thread of its own, so at any moment. Not from another process: while that waited for a busy machine, all events would run. */
const killer =
  dieAfterMs === undefined
    ? undefined
    : new Worker(
        `require('node:worker_threads').parentPort.once('message', (ms) => setTimeout(() => process.kill(process.pid, 'SIGKILL'), ms))`,
        { eval: true },
      )

/** When the last run of an event was asked for. It may overlap another one, whose lease had ended on a busy machine. */
const takenAt = new Map()

const pool = new pg.Pool({ ...connection, max: 10 })
pool.on('error', () => {})
const client = {
  async query(text, values) {
    const sentAt = Date.now()
    const result = await pool.query(text, values)
    for (const [, id] of JSON.stringify(result.rows).matchAll(/\\"id\\" : \\"([^"\\]+)\\"/g))
      takenAt.set(id, sentAt)
    return result
  },
}

async function inTransaction(work) {
  const tx = await pool.connect()
  const ignore = () => {}
  tx.on('error', ignore)
  let isBroken = true
  try {
    await tx.query('BEGIN')
    await work(tx)
    await tx.query('COMMIT')
    isBroken = false
  } finally {
    tx.off('error', ignore)
    tx.release(isBroken)
  }
}

async function handle({ id }, { attempt, done }) {
  const at = takenAt.get(id)
  if (at === undefined) throw new Error('when was it taken?')
  killer?.postMessage(dieAfterMs)
  await pause(Math.random() * slowest)
  const effect = (tx) =>
    tx.query('INSERT INTO effects (event_id, attempt, at) VALUES ($1, $2, to_timestamp($3 / 1000.0))', [
      id,
      attempt,
      at,
    ])
  if (!transactions) return effect(pool)
  await inTransaction(async (tx) => {
    await effect(tx)
    await done(tx)
  })
}

const box = inbox(client, { table, leaseMs })
const listener = defineListener({
  id: 'orders',
  auth: hmac({ secrets: { id: 'main', secret } }),
  store: box.store,
})
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'))
for (;;) {
  await box.drain(listener, handle, { concurrency: 4, deadlineMs: 5000 })
  await pause(20)
}
