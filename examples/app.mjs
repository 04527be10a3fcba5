import express from 'express'
import { defineListener } from 'hookgate'
import { verifyWebhook, webhookOf } from 'hookgate/express'
import { stripe } from 'hookgate/schemes/stripe'
import { memoryStore } from 'hookgate/stores/memory'

const listener = defineListener({
  id: 'stripe',
  auth: stripe({ secrets: process.env.STRIPE_WEBHOOK_SECRET }),
  // one process only; otherwise Redis or Postgres
  store: memoryStore(),
})

const app = express()

app.post('/webhooks/stripe', verifyWebhook(listener), (req, res) => {
  const { id, type } = webhookOf(req, listener)
  console.log(type, id)
  // 2xx: done. If you throw, Stripe's retry runs it again.
  res.send('done')
})

const url = 'http://localhost:3000/webhooks/stripe'
app.listen(3000).once('listening', () => console.log(url))
