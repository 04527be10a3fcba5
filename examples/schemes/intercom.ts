import { Hono } from 'hono'
import { defineListener } from 'hookgate'
import { verifyWebhook } from 'hookgate/hono'
import { intercom } from 'hookgate/schemes/intercom'
import { memoryStore } from 'hookgate/stores/memory'

const listener = defineListener({
  id: 'intercom',
  auth: intercom({ secrets: process.env.INTERCOM_CLIENT_SECRET }),
  // one process only; otherwise Redis or Postgres
  store: memoryStore(),
})

const app = new Hono()

app.all('/webhooks/intercom', verifyWebhook(listener), (c) => {
  const { type, payload } = c.var.webhook
  switch (type) {
    case 'conversation.user.created':
      console.log('new conversation', payload)
      break
    case 'conversation.user.replied':
      console.log('reply', payload)
      break
    case 'contact.user.created':
      console.log('new contact', payload)
      break
  }
  return c.text('done')
})

export default app
