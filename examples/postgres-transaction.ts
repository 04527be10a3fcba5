import express from 'express'
import { defineListener, hmac } from 'hookgate'
import { verifyWebhook, webhookOf } from 'hookgate/express'
import { postgresStore } from 'hookgate/stores/postgres'
import pg from 'pg'

// Exactly-once effects. A process may die after its work and before it could say so; then the sender's next attempt
// runs. Here that attempt finds the first one's record, because the record was committed together with the work.

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL })
// Without these two, a connection that breaks ends the process: an idle one, or one in a transaction.
pool.on('error', (error) => console.error('an idle connection broke:', error.message))
pool.on('connect', (connection) => connection.on('error', () => {})) // its next statement rejects

const store = postgresStore(pool) // keeps duplicates out of the handler
const effects = postgresStore(pool, { table: 'order_effects', mode: 'single' }) // one row for each event that took effect

// Belongs into your deployment, not here.
await Promise.all([store.migrate(), effects.migrate()])
await pool.query('CREATE TABLE IF NOT EXISTS orders (event_id uuid, content json)')

const listener = defineListener({
  id: 'orders',
  auth: hmac({ secrets: { id: '2026-11', secret: process.env.WEBHOOK_SECRET ?? '' } }),
  store,
  onVerdict(verdict) {
    if (!verdict.ok) console.warn(verdict.reason, verdict.detail) // why it was refused
  },
  onError: console.error, // the errors behind 503 answers
})

const app = express()

app.post('/webhooks/orders', verifyWebhook(listener), async (req, res) => {
  const { id, listenerId, payload } = webhookOf(req, listener)
  await inTransaction(async (tx) => {
    const attempt = crypto.randomUUID()
    const claim = await effects.with(tx).claim({ listenerId, eventId: id }, attempt, 0) // `single` knows no lease
    if (claim === 'done') return // it took effect before; what is left is to say so
    if (claim === 'busy') throw new Error('another attempt has just taken it') // 500: the sender comes again
    await tx.query('INSERT INTO orders (event_id, content) VALUES ($1, $2)', [id, JSON.stringify(payload)])
  })
  res.sendStatus(200)
})

async function inTransaction(work: (tx: pg.PoolClient) => Promise<void>): Promise<void> {
  const tx = await pool.connect()
  try {
    await tx.query('BEGIN')
    await work(tx)
    await tx.query('COMMIT')
    tx.release()
  } catch (error) {
    tx.release(true) // closes the connection, and Postgres rolls back
    throw error
  }
}

setInterval(() => Promise.all([store.sweep(), effects.sweep()]).catch(console.error), 60_000).unref()

const server = app.listen(Number(process.env.PORT ?? 3000), (error) => {
  if (error) throw error // e.g. because the port is in use
  const address = server.address()
  if (address && typeof address === 'object') {
    console.log(`http://localhost:${address.port}/webhooks/orders`)
  }
})
