import { Hono } from 'hono'
import { defineListener } from 'hookgate'
import { verifyWebhook } from 'hookgate/hono'
import { zoom } from 'hookgate/schemes/zoom'
import { memoryStore } from 'hookgate/stores/memory'

const listener = defineListener({
  id: 'zoom',
  auth: zoom({ secrets: process.env.ZOOM_SECRET_TOKEN }),
  store: memoryStore(),
})

const app = new Hono()

app.post('/webhooks/zoom', verifyWebhook(listener), (c) => {
  const { id, type } = c.var.webhook
  console.log(type, id)
  return c.text('done')
})

export default app
