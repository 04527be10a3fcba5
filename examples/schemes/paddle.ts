import { Hono } from 'hono'
import { defineListener } from 'hookgate'
import { verifyWebhook } from 'hookgate/hono'
import { paddle } from 'hookgate/schemes/paddle'
import { memoryStore } from 'hookgate/stores/memory'

const listener = defineListener({
  id: 'paddle',
  auth: paddle({ secrets: process.env.PADDLE_WEBHOOK_SECRET }),
  // one process only; otherwise Redis or Postgres
  store: memoryStore(),
})

const app = new Hono()

app.post('/webhooks/paddle', verifyWebhook(listener), (c) => {
  const { type, payload } = c.var.webhook
  switch (type) {
    case 'transaction.completed':
      console.log('paid', payload)
      break
    case 'subscription.created':
      console.log('subscribed', payload)
      break
    case 'subscription.canceled':
      console.log('cancelled', payload)
      break
  }
  return c.text('done')
})

export default app
