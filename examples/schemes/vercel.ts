import { Hono } from 'hono'
import { defineListener } from 'hookgate'
import { verifyWebhook } from 'hookgate/hono'
import { vercel } from 'hookgate/schemes/vercel'
import { memoryStore } from 'hookgate/stores/memory'

const listener = defineListener({
  id: 'vercel',
  auth: vercel({ secrets: process.env.VERCEL_WEBHOOK_SECRET }),
  store: memoryStore(),
})

const app = new Hono()

app.post('/webhooks/vercel', verifyWebhook(listener), (c) => {
  const { id, type } = c.var.webhook
  console.log(type, id)
  return c.text('done')
})

export default app
