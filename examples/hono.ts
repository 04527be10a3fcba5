import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { defineListener } from 'hookgate'
import { verifyWebhook } from 'hookgate/hono'
import { stripe } from 'hookgate/schemes/stripe'
import { memoryStore } from 'hookgate/stores/memory'

const listener = defineListener({
  id: 'stripe',
  // whsec_…
  auth: stripe({ secrets: process.env.STRIPE_WEBHOOK_SECRET }),
  // one process only; otherwise Redis or Postgres
  store: memoryStore(),
})

const app = new Hono()

app.post('/webhooks/stripe', verifyWebhook(listener), (c) => {
  const { id, type } = c.var.webhook
  console.log(type, id)
  return c.json({ received: true })
})

serve(
  { fetch: app.fetch, port: Number(process.env.PORT ?? 3000) },
  ({ port }) => {
    console.log(`http://localhost:${port}/webhooks/stripe`)
  },
)
