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
  // one process only; otherwise Redis or Postgres
  store: memoryStore(),
})

const app = new Hono()

app.post('/webhooks/square', verifyWebhook(listener), (c) => {
  const { type, payload } = c.var.webhook
  switch (type) {
    case 'payment.created':
      console.log('new payment', payload)
      break
    case 'payment.updated':
      console.log('payment', payload)
      break
    case 'refund.created':
      console.log('refund', payload)
      break
  }
  return c.text('done')
})

export default app
