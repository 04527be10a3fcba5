import { Hono } from 'hono'
import { defineListener } from 'hookgate'
import { verifyWebhook } from 'hookgate/hono'
import { github } from 'hookgate/schemes/github'
import { memoryStore } from 'hookgate/stores/memory'

const listener = defineListener({
  id: 'github',
  auth: github({ secrets: process.env.GITHUB_WEBHOOK_SECRET }),
  // one process only; otherwise Redis or Postgres
  store: memoryStore(),
})

const app = new Hono()

app.post('/webhooks/github', verifyWebhook(listener), (c) => {
  const { type, payload } = c.var.webhook
  switch (type) {
    case 'push':
      console.log('pushed', payload)
      break
    case 'pull_request':
      console.log('pull request', payload)
      break
    case 'issues':
      console.log('issue', payload)
      break
  }
  return c.text('done')
})

export default app
