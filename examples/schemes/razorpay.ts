import { Hono } from 'hono'
import { defineListener } from 'hookgate'
import { verifyWebhook } from 'hookgate/hono'
import { razorpay } from 'hookgate/schemes/razorpay'
import { memoryStore } from 'hookgate/stores/memory'

const listener = defineListener({
  id: 'razorpay',
  auth: razorpay({ secrets: process.env.RAZORPAY_WEBHOOK_SECRET }),
  // one process only; otherwise Redis or Postgres
  store: memoryStore(),
})

const app = new Hono()

app.post('/webhooks/razorpay', verifyWebhook(listener), (c) => {
  const { type, payload } = c.var.webhook
  switch (type) {
    case 'payment.captured':
      console.log('paid', payload)
      break
    case 'payment.failed':
      console.log('failed', payload)
      break
    case 'refund.processed':
      console.log('refunded', payload)
      break
  }
  return c.text('done')
})

export default app
