import { Hono } from 'hono'
import { defineListener } from 'hookgate'
import { verifyWebhook } from 'hookgate/hono'
import { linear } from 'hookgate/schemes/linear'
import { memoryStore } from 'hookgate/stores/memory'

const listener = defineListener({
  id: 'linear',
  auth: linear({ secrets: process.env.LINEAR_WEBHOOK_SECRET }),
  // one process only; otherwise Redis or Postgres
  store: memoryStore(),
})

const app = new Hono()

app.post('/webhooks/linear', verifyWebhook(listener), (c) => {
  const { type, payload } = c.var.webhook
  switch (type) {
    case 'Issue':
      console.log('issue', payload)
      break
    case 'Comment':
      console.log('comment', payload)
      break
    case 'Project':
      console.log('project', payload)
      break
  }
  return c.text('done')
})

export default app
