import { Hono } from 'hono'
import { defineListener } from 'hookgate'
import { verifyWebhook } from 'hookgate/hono'
import { sns } from 'hookgate/schemes/sns'
import { memoryStore } from 'hookgate/stores/memory'

const listener = defineListener({
  id: 'sns',
  auth: sns({
    topicArns: 'arn:aws:sns:us-east-1:123456789012:orders',
    confirmSubscriptions: true,
  }),
  // one process only; otherwise Redis or Postgres
  store: memoryStore(),
})

const app = new Hono()

app.post('/webhooks/sns', verifyWebhook(listener), (c) => {
  const { payload } = c.var.webhook
  const { Message } = Object(payload)
  // from Amazon SES
  const { notificationType, mail } = JSON.parse(Message)
  switch (notificationType) {
    case 'Delivery':
      console.log('delivered', mail)
      break
    case 'Bounce':
      console.log('bounced', mail)
      break
    case 'Complaint':
      console.log('marked as spam', mail)
      break
  }
  return c.text('done')
})

export default app
