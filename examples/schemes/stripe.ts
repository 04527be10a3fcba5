import { Hono } from 'hono'
import { defineListener } from 'hookgate'
import { verifyWebhook } from 'hookgate/hono'
import { stripe } from 'hookgate/schemes/stripe'
import { memoryStore } from 'hookgate/stores/memory'

const listener = defineListener({
  id: 'stripe',
  auth: stripe({ secrets: process.env.STRIPE_WEBHOOK_SECRET }),
  store: memoryStore(),
})

const app = new Hono()

app.post('/webhooks/stripe', verifyWebhook(listener), (c) => {
  const { id, type } = c.var.webhook
  console.log(type, id)
  return c.text('done')
})

export default app
