import { Hono } from 'hono'
import { defineListener } from 'hookgate'
import { verifyWebhook } from 'hookgate/hono'
import { gitlab } from 'hookgate/schemes/gitlab'
import { memoryStore } from 'hookgate/stores/memory'

const listener = defineListener({
  id: 'gitlab',
  auth: gitlab({ secrets: process.env.GITLAB_SECRET_TOKEN }),
  store: memoryStore(),
})

const app = new Hono()

app.post('/webhooks/gitlab', verifyWebhook(listener), (c) => {
  const { id, type } = c.var.webhook
  console.log(type, id)
  return c.text('done')
})

export default app
