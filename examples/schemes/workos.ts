import { Hono } from 'hono'
import { defineListener } from 'hookgate'
import { verifyWebhook } from 'hookgate/hono'
import { workos } from 'hookgate/schemes/workos'
import { memoryStore } from 'hookgate/stores/memory'

const listener = defineListener({
  id: 'workos',
  auth: workos({ secrets: process.env.WORKOS_WEBHOOK_SECRET }),
  store: memoryStore(),
})

const app = new Hono()

app.post('/webhooks/workos', verifyWebhook(listener), (c) => {
  const { id, type } = c.var.webhook
  console.log(type, id)
  return c.text('done')
})

export default app
