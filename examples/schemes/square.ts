import { Hono } from 'hono'
import { defineListener } from 'hookgate'
import { verifyWebhook } from 'hookgate/hono'
import { square } from 'hookgate/schemes/square'
import { memoryStore } from 'hookgate/stores/memory'

const listener = defineListener({
  id: 'square',
  auth: square({
    secrets: process.env.SQUARE_SIGNATURE_KEY,
    publicUrl: 'https://example.com/webhooks/square',
  }),
  store: memoryStore(),
})

const app = new Hono()

app.post('/webhooks/square', verifyWebhook(listener), (c) => {
  const { id, type } = c.var.webhook
  console.log(type, id)
  return c.text('done')
})

export default app
