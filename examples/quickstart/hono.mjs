import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { verifyWebhook } from 'hookgate/hono'
import { handle, listener } from './webhooks.mjs'

const app = new Hono()

app.post('/webhooks', verifyWebhook(listener), async (c) => {
  await handle(c.var.webhook)
  return c.text('done')
})

serve({ fetch: app.fetch, port: 3000 }, () => console.log('http://localhost:3000/webhooks'))
