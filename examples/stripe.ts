import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { defineListener } from 'hookgate'
import { verifyWebhook } from 'hookgate/hono'
import { stripe } from 'hookgate/schemes/stripe'
import { memoryStore } from 'hookgate/stores/memory'
import type Stripe from 'stripe'

const listener = defineListener({
  id: 'stripe',
  auth: stripe<Stripe.Event>({ secrets: process.env.STRIPE_WEBHOOK_SECRET }), // whsec_…
  store: memoryStore(), // for one process; several need a shared store, e.g. Redis
  onVerdict(verdict) {
    if (verdict.reason) console.warn(verdict.reason, verdict.detail) // why it was refused
  },
})

const app = new Hono()
app.post('/webhooks/stripe', verifyWebhook(listener), (c) => {
  const { type, payload } = c.var.webhook // an event of another type has another `payload`
  if (type === 'invoice.paid') console.log(payload.data.object.amount_paid)
  return c.text('done') // 2xx: done. If you throw, it runs again when Stripe retries.
})

serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000) }, ({ port }) => {
  console.log(`http://localhost:${port}/webhooks/stripe`)
})
