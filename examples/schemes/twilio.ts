import { Hono } from 'hono'
import { defineListener } from 'hookgate'
import { verifyWebhook } from 'hookgate/hono'
import { twilio } from 'hookgate/schemes/twilio'
import { memoryStore } from 'hookgate/stores/memory'

const listener = defineListener({
  id: 'twilio',
  auth: twilio({
    secrets: process.env.TWILIO_AUTH_TOKEN,
    publicUrl: 'https://example.com/webhooks/twilio',
  }),
  // one process only; otherwise Redis or Postgres
  store: memoryStore(),
})

const app = new Hono()

app.post('/webhooks/twilio', verifyWebhook(listener), (c) => {
  const { payload } = c.var.webhook
  const { MessageSid, SmsStatus } = Object(payload)
  switch (SmsStatus) {
    case 'received':
      console.log('incoming', MessageSid)
      break
    case 'delivered':
      console.log('delivered', MessageSid)
      break
    case 'failed':
      console.log('failed', MessageSid)
      break
  }
  return c.text('<Response/>', 200, { 'content-type': 'text/xml' })
})

export default app
