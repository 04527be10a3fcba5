import { Hono } from 'hono'
import { defineListener } from 'hookgate'
import { verifyWebhook } from 'hookgate/hono'
import { line } from 'hookgate/schemes/line'
import { memoryStore } from 'hookgate/stores/memory'

const listener = defineListener({
  id: 'line',
  auth: line({ secrets: process.env.LINE_CHANNEL_SECRET }),
  // one process only; otherwise Redis or Postgres
  store: memoryStore(),
})

const app = new Hono()

app.post('/webhooks/line', verifyWebhook(listener), (c) => {
  const { payload } = c.var.webhook
  for (const event of Object(payload).events) {
    switch (event.type) {
      case 'message':
        console.log('message', event)
        break
      case 'follow':
        console.log('new friend', event)
        break
      case 'unfollow':
        console.log('blocked', event)
        break
    }
  }
  return c.text('done')
})

export default app
