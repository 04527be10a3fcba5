import { Hono } from 'hono'
import { defineListener } from 'hookgate'
import { verifyWebhook } from 'hookgate/hono'
import { mailgun } from 'hookgate/schemes/mailgun'
import { memoryStore } from 'hookgate/stores/memory'

const listener = defineListener({
  id: 'mailgun',
  auth: mailgun({ secrets: process.env.MAILGUN_SIGNING_KEY }),
  // one process only; otherwise Redis or Postgres
  store: memoryStore(),
})

const app = new Hono()

app.post('/webhooks/mailgun', verifyWebhook(listener), (c) => {
  const { type, payload } = c.var.webhook
  switch (type) {
    case 'delivered':
      console.log('delivered', payload)
      break
    case 'failed':
      console.log('bounced', payload)
      break
    case 'complained':
      console.log('marked as spam', payload)
      break
  }
  return c.text('done')
})

export default app
