import { Hono } from 'hono'
import { defineListener } from 'hookgate'
import { verifyWebhook } from 'hookgate/hono'
import { x } from 'hookgate/schemes/x'
import { memoryStore } from 'hookgate/stores/memory'

const listener = defineListener({
  id: 'x',
  auth: x({ secrets: process.env.X_CONSUMER_SECRET }),
  // one process only; otherwise Redis or Postgres
  store: memoryStore(),
})

const app = new Hono()

app.all('/webhooks/x', verifyWebhook(listener), (c) => {
  const { payload } = c.var.webhook
  for (const [member, value] of Object.entries(Object(payload))) {
    switch (member) {
      case 'tweet_create_events':
        console.log('posts', value)
        break
      case 'follow_events':
        console.log('followers', value)
        break
      case 'data':
        console.log('X Activity API', Object(value).event_type)
        break
      default:
        console.log(member)
    }
  }
  return c.text('done')
})

export default app
