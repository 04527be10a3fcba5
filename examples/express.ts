import express from 'express'
import { defineListener, hmac } from 'hookgate'
import { verifyWebhook, webhookOf } from 'hookgate/express'
import { memoryStore } from 'hookgate/stores/memory'

const listener = defineListener({
  id: 'orders',
  auth: hmac({ secrets: { id: '2026-11', secret: process.env.WEBHOOK_SECRET ?? '' } }),
  store: memoryStore(), // for one process
  onVerdict(verdict) {
    if (!verdict.ok) console.warn(verdict.reason, verdict.detail) // why it was refused
  },
  onError: console.error, // the errors behind 503 answers
})

const app = express()

// On its own route and before any body parser: the signature covers the exact bytes.
app.post('/webhooks/orders', verifyWebhook(listener), (req, res) => {
  const { id, payload } = webhookOf(req, listener)
  console.log('event', id, payload)
  res.sendStatus(200) // 2xx: the event is done. Almost anything else: the sender's next attempt runs.
})

const server = app.listen(Number(process.env.PORT ?? 3000), (error) => {
  if (error) throw error // e.g. because the port is in use
  const address = server.address()
  if (address && typeof address === 'object') {
    console.log(`http://localhost:${address.port}/webhooks/orders`)
  }
})
