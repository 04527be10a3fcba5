import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { defineListener } from 'hookgate'
import { verifyWebhook } from 'hookgate/hono'
import { jwt, remoteKeySet } from 'hookgate/jwt'
import { memoryStore } from 'hookgate/stores/memory'
import { z } from 'zod'

const listener = defineListener({
  id: 'orders',
  auth: jwt({
    keySet: remoteKeySet(process.env.JWKS_URL ?? 'https://sender.example/.well-known/jwks.json'),
    subject: 'https://tenant.example',
    audience: 'https://api.example/webhooks/orders',
  }),
  store: memoryStore(),
  payload: z.object({ order: z.string(), total: z.number() }),
  onError: console.error, // the key host or the store failed, and the answer was 503
})

const app = new Hono()

app.post('/webhooks/orders', verifyWebhook(listener), (c) => {
  const { id, payload } = c.var.webhook // payload: { order: string; total: number }
  console.log('event', id, payload.order, payload.total)
  return c.json({ received: true })
})

serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000) }, console.log)
