import { Hono } from 'hono'
import { defineListener } from 'hookgate'
import { verifyWebhook } from 'hookgate/hono'
import { slack } from 'hookgate/schemes/slack'
import { memoryStore } from 'hookgate/stores/memory'

const listener = defineListener({
  id: 'slack',
  auth: slack({ secrets: process.env.SLACK_SIGNING_SECRET }),
  // one process only; otherwise Redis or Postgres
  store: memoryStore(),
})

const app = new Hono()

app.all('/webhooks/slack', verifyWebhook(listener), (c) => {
  const { type, payload } = c.var.webhook
  switch (type) {
    case 'app_mention':
      console.log('mentioned', payload)
      break
    case 'message':
      console.log('message', payload)
      break
    case 'reaction_added':
      console.log('reaction', payload)
      break
  }
  // Text would be posted as the answer to a command.
  return c.body(null, 200)
})

export default app
