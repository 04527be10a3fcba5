import { Hono } from 'hono'
import { defineListener } from 'hookgate'
import { verifyWebhook } from 'hookgate/hono'
import { sendgrid } from 'hookgate/schemes/sendgrid'
import { memoryStore } from 'hookgate/stores/memory'

const listener = defineListener({
  id: 'sendgrid',
  auth: sendgrid({ publicKeys: process.env.SENDGRID_VERIFICATION_KEY }),
  store: memoryStore(),
})

const app = new Hono()

app.post('/webhooks/sendgrid', verifyWebhook(listener), (c) => {
  console.log(c.var.webhook.payload)
  return c.text('done')
})

export default app
