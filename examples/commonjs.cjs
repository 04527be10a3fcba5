const express = require('express')
const { defineListener, hmac } = require('hookgate')
const { verifyWebhook, webhookOf } = require('hookgate/express')
const { memoryStore } = require('hookgate/stores/memory')

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
  res.send('done') // 2xx: the event is done. If you throw, it runs again when its sender retries.
})

const server = app.listen(Number(process.env.PORT ?? 3000), (error) => {
  if (error) throw error // e.g. because the port is in use
  console.log(`http://localhost:${server.address().port}/webhooks/orders`)
})
