import { Hono } from 'hono'
import { defineListener } from 'hookgate'
import { verifyWebhook } from 'hookgate/hono'
import { standardWebhooks } from 'hookgate/schemes/standard-webhooks'
import { memoryStore } from 'hookgate/stores/memory'

interface Paid {
  readonly type: 'order.paid'
  readonly data: { readonly id: string }
}

const listener = defineListener({
  id: 'orders',
  auth: standardWebhooks<Paid>({ secrets: process.env.WEBHOOK_SECRET }),
  store: memoryStore(), // one process only; otherwise a shared store
})

export const app = new Hono()

app.post('/webhooks/orders', verifyWebhook(listener), (c) => {
  const { type, payload } = c.var.webhook
  console.log(type, payload.data.id)
  return c.body(null, 204)
})
