import { Hono } from 'hono'
import { defineListener } from 'hookgate'
import { verifyWebhook } from 'hookgate/hono'
import { workos } from 'hookgate/schemes/workos'
import { memoryStore } from 'hookgate/stores/memory'

const listener = defineListener({
  id: 'workos',
  auth: workos({ secrets: process.env.WORKOS_WEBHOOK_SECRET }),
  // one process only; otherwise Redis or Postgres
  store: memoryStore(),
})

const app = new Hono()

app.post('/webhooks/workos', verifyWebhook(listener), (c) => {
  const { type, payload } = c.var.webhook
  switch (type) {
    case 'user.created':
      console.log('new user', payload)
      break
    case 'dsync.user.updated':
      console.log('changed user', payload)
      break
    case 'connection.activated':
      console.log('connection is active', payload)
      break
  }
  return c.text('done')
})

export default app
