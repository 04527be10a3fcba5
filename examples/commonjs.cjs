const express = require('express')
const { defineListener } = require('hookgate')
const { verifyWebhook, webhookOf } = require('hookgate/express')
const { stripe } = require('hookgate/schemes/stripe')
const { memoryStore } = require('hookgate/stores/memory')

const listener = defineListener({
  id: 'stripe',
  // whsec_…
  auth: stripe({ secrets: process.env.STRIPE_WEBHOOK_SECRET }),
  // one process only; otherwise Redis or Postgres
  store: memoryStore(),
})

const app = express()

// On its own route and before any body parser: the signature covers the
// exact bytes.
app.post('/webhooks/stripe', verifyWebhook(listener), (req, res) => {
  const { id, type } = webhookOf(req, listener)
  console.log(type, id)
  // 2xx: done. If you throw or answer 500, it runs when Stripe sends it
  // again.
  res.send('done')
})

const server = app
  .listen(Number(process.env.PORT ?? 3000))
  .once('listening', () => {
    const address = server.address()
    if (address && typeof address === 'object') {
      console.log(`http://localhost:${address.port}/webhooks/stripe`)
    }
  })
