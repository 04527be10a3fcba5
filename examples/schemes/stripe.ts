import { Hono } from 'hono'
import { defineListener } from 'hookgate'
import { verifyWebhook } from 'hookgate/hono'
import { stripe } from 'hookgate/schemes/stripe'
import { memoryStore } from 'hookgate/stores/memory'

const listener = defineListener({
  id: 'stripe',
  auth: stripe({ secrets: process.env.STRIPE_WEBHOOK_SECRET }),
  // one process only; otherwise Redis or Postgres
  store: memoryStore(),
})

const app = new Hono()

app.post('/webhooks/stripe', verifyWebhook(listener), (c) => {
  const { type, payload } = c.var.webhook
  switch (type) {
    case 'checkout.session.completed':
      console.log('fulfil the order', payload)
      break
    case 'invoice.paid':
      console.log('extend the access', payload)
      break
    case 'customer.subscription.deleted':
      console.log('end the access', payload)
      break
  }
  return c.text('done')
})

export default app
