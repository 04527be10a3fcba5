import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { defineListener } from 'hookgate'
import { verifyWebhook } from 'hookgate/hono'
import { stripe } from 'hookgate/schemes/stripe'
import { memoryStore } from 'hookgate/stores/memory'
import { z } from 'zod'

const listener = defineListener({
  id: 'stripe',
  auth: stripe({ secrets: process.env.STRIPE_WEBHOOK_SECRET }), // whsec_…
  store: memoryStore(), // for one process
  payload: z.object({ type: z.string(), data: z.object({ object: z.looseObject({ id: z.string() }) }) }),
  onVerdict(verdict) {
    if (verdict.reason) console.warn(verdict.reason, verdict.detail) // why it was refused
  },
  onError: console.error, // the errors behind 503 answers
})

const app = new Hono()

app.post('/webhooks/stripe', verifyWebhook(listener), (c) => {
  const { id, payload } = c.var.webhook
  console.log(id, payload.type, payload.data.object.id) // typed by the schema
  return c.json({ received: true })
})

serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000) }, ({ port }) => {
  console.log(`http://localhost:${port}/webhooks/stripe`)
})
