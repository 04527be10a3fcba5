import { Hono } from 'hono'
import { defineListener } from 'hookgate'
import { verifyWebhook } from 'hookgate/hono'
import { shopify } from 'hookgate/schemes/shopify'
import { memoryStore } from 'hookgate/stores/memory'

const listener = defineListener({
  id: 'shopify',
  auth: shopify({ secrets: process.env.SHOPIFY_CLIENT_SECRET }),
  // one process only; otherwise Redis or Postgres
  store: memoryStore(),
})

const app = new Hono()

app.post('/webhooks/shopify', verifyWebhook(listener), (c) => {
  const { type, payload } = c.var.webhook
  switch (type) {
    case 'orders/create':
      console.log('new order', payload)
      break
    case 'orders/paid':
      console.log('paid', payload)
      break
    case 'app/uninstalled':
      console.log('delete the shop', payload)
      break
  }
  return c.text('done')
})

export default app
