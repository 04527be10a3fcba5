import { Hono } from 'hono'
import { defineListener } from 'hookgate'
import { verifyWebhook } from 'hookgate/hono'
import { plaid } from 'hookgate/schemes/plaid'
import { memoryStore } from 'hookgate/stores/memory'

const listener = defineListener({
  id: 'plaid',
  auth: plaid({
    async findKey(keyId) {
      const response = await fetch(
        'https://production.plaid.com/webhook_verification_key/get',
        {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({
            client_id: process.env.PLAID_CLIENT_ID,
            secret: process.env.PLAID_SECRET,
            key_id: keyId,
          }),
        },
      )
      // There is no such key.
      if (response.status === 400) return undefined
      if (!response.ok)
        throw new Error(`Plaid answered with ${response.status}`)
      return Object(await response.json()).key
    },
  }),
  // one process only; otherwise Redis or Postgres
  store: memoryStore(),
})

const app = new Hono()

app.post('/webhooks/plaid', verifyWebhook(listener), (c) => {
  const { type, payload } = c.var.webhook
  switch (type) {
    case 'SYNC_UPDATES_AVAILABLE':
      console.log('fetch transactions', payload)
      break
    case 'ERROR':
      console.log('ask the user to log in again', payload)
      break
    case 'USER_PERMISSION_REVOKED':
      console.log('delete the access token', payload)
      break
  }
  return c.text('done')
})

export default app
