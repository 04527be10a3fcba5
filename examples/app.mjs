import express from 'express'
import { defineListener } from 'hookgate'
import { verifyWebhook, webhookOf } from 'hookgate/express'
import { stripe } from 'hookgate/schemes/stripe'
import { memoryStore } from 'hookgate/stores/memory'

const listener = defineListener({
  id: 'stripe',
  auth: stripe({ secrets: process.env.STRIPE_WEBHOOK_SECRET }), // whsec_…
  store: memoryStore(), // for one process; several share Redis, Postgres, …
})

const app = express()

app.post('/webhooks/stripe', verifyWebhook(listener), (req, res) => {
  const { type, payload } = webhookOf(req)
  console.log(type, payload.data.object.id)
  res.send('done') // 2xx: done. If you throw, it runs again when Stripe retries.
})

app.listen(3000).once('listening', () => console.log('http://localhost:3000/webhooks/stripe'))
