import express from 'express'
import { defineListener, route } from 'hookgate'
import { verifyWebhook, webhookOf } from 'hookgate/express'
import { stripe } from 'hookgate/schemes/stripe'
import { memoryStore } from 'hookgate/stores/memory'

const listener = defineListener({
  id: 'stripe',
  auth: stripe({ secrets: process.env.STRIPE_WEBHOOK_SECRET }),
  // one process only; otherwise Redis or Postgres
  store: memoryStore(),
})

const handle = route(listener, {
  'checkout.session.completed': async ({ id }) =>
    console.log('fulfil', id),
  'invoice.paid': async ({ id }) => console.log('extend', id),
  'customer.subscription.deleted': async ({ id }) =>
    console.log('end', id),
  '*': async () => {}, // every other event: done
})

const app = express()

app.post(
  '/webhooks/stripe',
  verifyWebhook(listener),
  async (req, res) => {
    await handle(webhookOf(req, listener))
    res.send('done')
  },
)

const url = 'http://localhost:3000/webhooks/stripe'
app.listen(3000).once('listening', () => console.log(url))
