import express from 'express'
import { defineListener } from 'hookgate'
import { verifyWebhook, webhookOf } from 'hookgate/express'
import { stripe } from 'hookgate/schemes/stripe'
import { postgresStore } from 'hookgate/stores/postgres'
import pg from 'pg'

// Exactly-once effects: each event has one transaction, for its record and for everything that its handler writes.

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 20 }) // an open event occupies one connection
pool.on('error', (error) => console.error('an idle connection broke:', error.message)) // without it, that ends the process

const store = postgresStore(pool)
const events = store.transactionPerEvent({ connect: () => pool.connect() })

// Run this when you deploy, not here.
await store.migrate()
await pool.query('CREATE TABLE IF NOT EXISTS payments (event_id text, content json)')

const listener = defineListener({
  id: 'stripe',
  auth: stripe({ secrets: process.env.STRIPE_WEBHOOK_SECRET }), // whsec_…
  store: events,
  leaseSeconds: 10, // after that, the transaction of an event that is still open is rolled back
  onVerdict(verdict) {
    if (verdict.reason) console.warn(verdict.reason, verdict.detail) // why it was refused
  },
  onError: console.error, // the errors behind 503 answers
})

const app = express()

app.post('/webhooks/stripe', verifyWebhook(listener), async (req, res) => {
  const event = webhookOf(req, listener)
  const tx = events.transactionOf(event)
  await tx.query('INSERT INTO payments VALUES ($1, $2)', [event.id, JSON.stringify(event.payload)])
  await event.commit() // before the answer: if it fails, the sender has to know
  res.sendStatus(200)
}) // if it throws, the transaction is rolled back, and the event runs again when Stripe retries

setInterval(() => store.sweep().catch(console.error), 60_000).unref()

const server = app.listen(Number(process.env.PORT ?? 3000), (error) => {
  if (error) throw error // e.g. because the port is in use
  const address = server.address()
  if (address && typeof address === 'object') {
    console.log(`http://localhost:${address.port}/webhooks/stripe`)
  }
})
