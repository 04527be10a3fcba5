import { Hono } from 'hono'
import { defineListener } from 'hookgate'
import { verifyWebhook } from 'hookgate/hono'
import { paddle } from 'hookgate/schemes/paddle'
import { memoryStore } from 'hookgate/stores/memory'

const listener = defineListener({
  id: 'paddle',
  auth: paddle({ secrets: process.env.PADDLE_WEBHOOK_SECRET }),
  store: memoryStore(),
})

const app = new Hono()

app.post('/webhooks/paddle', verifyWebhook(listener), (c) => {
  const { id, type } = c.var.webhook
  console.log(type, id)
  return c.text('done')
})

export default app
