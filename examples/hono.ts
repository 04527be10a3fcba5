import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { defineListener, hmac } from 'hookgate'
import { verifyWebhook } from 'hookgate/hono'
import { memoryStore } from 'hookgate/stores/memory'
import { z } from 'zod'

const listener = defineListener({
  id: 'orders',
  auth: hmac({ secrets: { id: '2026-11', secret: process.env.WEBHOOK_SECRET ?? '' } }),
  store: memoryStore(), // for one process
  payload: z.object({ order: z.string(), total: z.number() }),
  onVerdict(verdict) {
    if (!verdict.ok) console.warn(verdict.reason, verdict.detail) // why it was refused
  },
  onError: console.error, // the errors behind 503 answers
})

const app = new Hono()

app.post('/webhooks/orders', verifyWebhook(listener), (c) => {
  const { id, payload } = c.var.webhook // payload: { order: string; total: number }
  console.log('event', id, payload.order, payload.total)
  return c.json({ received: true })
})

serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000) }, ({ port }) => {
  console.log(`http://localhost:${port}/webhooks/orders`)
})
