import { Hono } from 'hono'
import { defineListener } from 'hookgate'
import { verifyWebhook } from 'hookgate/hono'
import { sendgrid } from 'hookgate/schemes/sendgrid'
import { memoryStore } from 'hookgate/stores/memory'

const listener = defineListener({
  id: 'sendgrid',
  auth: sendgrid({
    publicKeys: process.env.SENDGRID_VERIFICATION_KEY,
  }),
  // one process only; otherwise Redis or Postgres
  store: memoryStore(),
})

const app = new Hono()

app.post('/webhooks/sendgrid', verifyWebhook(listener), (c) => {
  const { payload } = c.var.webhook
  for (const { event, email } of Object(payload)) {
    switch (event) {
      case 'delivered':
        console.log('delivered', email)
        break
      case 'bounce':
        console.log('bounced', email)
        break
      case 'open':
        console.log('opened', email)
        break
    }
  }
  return c.text('done')
})

export default app
