import { Hono } from 'hono'
import { defineListener } from 'hookgate'
import { verifyWebhook } from 'hookgate/hono'
import { vercel } from 'hookgate/schemes/vercel'
import { memoryStore } from 'hookgate/stores/memory'

const listener = defineListener({
  id: 'vercel',
  auth: vercel({ secrets: process.env.VERCEL_WEBHOOK_SECRET }),
  // one process only; otherwise Redis or Postgres
  store: memoryStore(),
})

const app = new Hono()

app.post('/webhooks/vercel', verifyWebhook(listener), (c) => {
  const { type, payload } = c.var.webhook
  switch (type) {
    case 'deployment.created':
      console.log('building', payload)
      break
    case 'deployment.succeeded':
      console.log('ready', payload)
      break
    case 'deployment.error':
      console.log('failed', payload)
      break
  }
  return c.text('done')
})

export default app
