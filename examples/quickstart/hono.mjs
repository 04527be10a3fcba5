import { serve } from '@hono/node-server'
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
  const { id, type } = c.var.webhook
  console.log(type, id)
  return c.text('done')
})

const url = 'http://localhost:3000/webhooks/stripe'
serve({ fetch: app.fetch, port: 3000 }, () => console.log(url))
