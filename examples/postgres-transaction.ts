import express from 'express'
import { defineListener } from 'hookgate'
import { verifyWebhook, webhookOf } from 'hookgate/express'
import { stripe } from 'hookgate/schemes/stripe'
import { postgresStore } from 'hookgate/stores/postgres'
import pg from 'pg'

// Exactly-once effects: what the handler writes, and that the event is done, commit in one transaction of yours.

const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  max: 20,
})
// Without these two, a connection that breaks ends the process: an idle one, or one in a transaction.
pool.on('error', (error) =>
  console.error('an idle connection broke:', error.message),
)
pool.on('connect', (connection) => connection.on('error', () => {})) // its next statement rejects

const store = postgresStore(pool)

// Run this when you deploy, not here.
await store.migrate()
await pool.query(
  'CREATE TABLE IF NOT EXISTS payments (event_id text, content json)',
)

const listener = defineListener({
  id: 'stripe',
  auth: stripe({ secrets: process.env.STRIPE_WEBHOOK_SECRET }), // whsec_…
  store,
  onVerdict(verdict) {
    if (verdict.reason) console.warn(verdict.reason, verdict.detail) // why it was refused
  },
  onError: console.error, // the errors behind 503 answers
})

const app = express()

app.post(
  '/webhooks/stripe',
  verifyWebhook(listener),
  async (req, res) => {
    const event = webhookOf(req, listener)
    const tx = await pool.connect()
    try {
      await tx.query('BEGIN')
      await tx.query('INSERT INTO payments VALUES ($1, $2)', [
        event.id,
        JSON.stringify(event.payload),
      ])
      await event.commit(tx) // the last statement
      await tx.query('COMMIT')
      tx.release()
    } catch (error) {
      tx.release(true) // closes the connection, and Postgres rolls back
      throw error
    }
    res.sendStatus(200) // only after COMMIT
  },
) // if it throws, the transaction is rolled back, and the event runs again when Stripe retries

setInterval(() => store.sweep().catch(console.error), 60_000).unref()

const server = app.listen(Number(process.env.PORT ?? 3000), (error) => {
  if (error) throw error // e.g. because the port is in use
  const address = server.address()
  if (address && typeof address === 'object') {
    console.log(`http://localhost:${address.port}/webhooks/stripe`)
  }
})
