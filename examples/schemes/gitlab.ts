import { Hono } from 'hono'
import { defineListener } from 'hookgate'
import { verifyWebhook } from 'hookgate/hono'
import { gitlab } from 'hookgate/schemes/gitlab'
import { memoryStore } from 'hookgate/stores/memory'

const listener = defineListener({
  id: 'gitlab',
  auth: gitlab({ secrets: process.env.GITLAB_SECRET_TOKEN }),
  // one process only; otherwise Redis or Postgres
  store: memoryStore(),
})

const app = new Hono()

app.post('/webhooks/gitlab', verifyWebhook(listener), (c) => {
  const { type, payload } = c.var.webhook
  switch (type) {
    case 'Push Hook':
      console.log('pushed', payload)
      break
    case 'Merge Request Hook':
      console.log('merge request', payload)
      break
    case 'Issue Hook':
      console.log('issue', payload)
      break
  }
  return c.text('done')
})

export default app
