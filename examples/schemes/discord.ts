import { Hono } from 'hono'
import { defineListener } from 'hookgate'
import { verifyWebhook } from 'hookgate/hono'
import { discord } from 'hookgate/schemes/discord'
import { memoryStore } from 'hookgate/stores/memory'

const listener = defineListener({
  id: 'discord',
  auth: discord({ publicKeys: process.env.DISCORD_PUBLIC_KEY }),
  // one process only; otherwise Redis or Postgres
  store: memoryStore(),
})

const app = new Hono()

app.post('/webhooks/discord', verifyWebhook(listener), (c) => {
  const { type, payload } = c.var.webhook
  switch (type) {
    case 'APPLICATION_AUTHORIZED':
      console.log('installed', payload)
      return c.body(null, 204)
    case 'APPLICATION_DEAUTHORIZED':
      console.log('removed', payload)
      return c.body(null, 204)
    case 'ENTITLEMENT_CREATE':
      console.log('bought', payload)
      return c.body(null, 204)
  }
  // to an interaction
  return c.json({ type: 4, data: { content: 'Hello!' } })
})

export default app
