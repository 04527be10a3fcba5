import { Hono } from 'hono'
import { defineListener } from 'hookgate'
import { verifyWebhook } from 'hookgate/hono'
import { meta } from 'hookgate/schemes/meta'
import { memoryStore } from 'hookgate/stores/memory'

const listener = defineListener({
  id: 'meta',
  auth: meta({
    secrets: process.env.META_APP_SECRET,
    verifyToken: process.env.META_VERIFY_TOKEN,
  }),
  // one process only; otherwise Redis or Postgres
  store: memoryStore(),
})

const app = new Hono()

app.all('/webhooks/meta', verifyWebhook(listener), (c) => {
  const { payload } = c.var.webhook
  for (const { changes = [] } of Object(payload).entry) {
    for (const { field, value } of changes) {
      switch (field) {
        case 'messages':
          console.log('WhatsApp', value)
          break
        case 'feed':
          console.log('post', value)
          break
        case 'leadgen':
          console.log('lead', value)
          break
      }
    }
  }
  return c.text('done')
})

export default app
