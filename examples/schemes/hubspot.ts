import { Hono } from 'hono'
import { defineListener } from 'hookgate'
import { verifyWebhook } from 'hookgate/hono'
import { hubspot } from 'hookgate/schemes/hubspot'
import { memoryStore } from 'hookgate/stores/memory'

const listener = defineListener({
  id: 'hubspot',
  auth: hubspot({
    secrets: process.env.HUBSPOT_CLIENT_SECRET,
    publicUrl: 'https://example.com/webhooks/hubspot',
  }),
  // one process only; otherwise Redis or Postgres
  store: memoryStore(),
})

const app = new Hono()

app.post('/webhooks/hubspot', verifyWebhook(listener), (c) => {
  const { payload } = c.var.webhook
  for (const { subscriptionType, objectId } of Object(payload)) {
    switch (subscriptionType) {
      case 'contact.creation':
        console.log('new contact', objectId)
        break
      case 'contact.propertyChange':
        console.log('changed contact', objectId)
        break
      case 'deal.creation':
        console.log('new deal', objectId)
        break
    }
  }
  return c.text('done')
})

export default app
