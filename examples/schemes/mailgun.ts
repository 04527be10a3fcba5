import { Hono } from 'hono'
import { defineListener } from 'hookgate'
import { verifyWebhook } from 'hookgate/hono'
import { mailgun } from 'hookgate/schemes/mailgun'
import { memoryStore } from 'hookgate/stores/memory'

const listener = defineListener({
  id: 'mailgun',
  auth: mailgun({ secrets: process.env.MAILGUN_SIGNING_KEY }),
  store: memoryStore(),
})

const app = new Hono()

app.post('/webhooks/mailgun', verifyWebhook(listener), (c) => {
  const { id, type } = c.var.webhook
  console.log(type, id)
  return c.text('done')
})

export default app
