import { Hono } from 'hono'
import { defineListener } from 'hookgate'
import { verifyWebhook } from 'hookgate/hono'
import { telegram } from 'hookgate/schemes/telegram'
import { memoryStore } from 'hookgate/stores/memory'

const listener = defineListener({
  id: 'telegram',
  auth: telegram({ secrets: process.env.TELEGRAM_SECRET_TOKEN }),
  store: memoryStore(),
})

const app = new Hono()

app.post('/webhooks/telegram', verifyWebhook(listener), (c) => {
  const { id, type } = c.var.webhook
  console.log(type, id)
  return c.text('done')
})

export default app
