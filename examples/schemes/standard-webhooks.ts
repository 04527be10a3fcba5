import { Hono } from 'hono'
import { defineListener } from 'hookgate'
import { verifyWebhook } from 'hookgate/hono'
import { standardWebhooks } from 'hookgate/schemes/standard-webhooks'
import { memoryStore } from 'hookgate/stores/memory'

const listener = defineListener({
  id: 'standard-webhooks',
  auth: standardWebhooks({
    secrets: process.env.STANDARD_WEBHOOKS_SECRET,
  }),
  // one process only; otherwise Redis or Postgres
  store: memoryStore(),
})

const app = new Hono()

app.post(
  '/webhooks/standard-webhooks',
  verifyWebhook(listener),
  (c) => {
    const { type, payload } = c.var.webhook
    switch (type) {
      case 'user.created':
        console.log('new user', payload)
        break
      case 'invoice.paid':
        console.log('paid', payload)
        break
      case 'contact.created':
        console.log('new contact', payload)
        break
    }
    return c.text('done')
  },
)

export default app
