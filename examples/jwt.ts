import { readFileSync } from 'node:fs'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { defineListener } from 'hookgate'
import { verifyWebhook } from 'hookgate/hono'
import { jwt, localKeySet } from 'hookgate/jwt'
import { memoryStore } from 'hookgate/stores/memory'

const listener = defineListener({
  id: 'orders',
  auth: jwt({
    // In production:
    // remoteKeySet('https://sender.example/.well-known/jwks.json')
    keySet: localKeySet(
      JSON.parse(readFileSync('hookgate-jwks.json', 'utf8')),
    ),
    subject: 'http://localhost:3000', // the tenant's base URL
    // the URL that the sender calls
    audience: 'http://localhost:3000/webhooks/orders',
  }),
  store: memoryStore(), // one process only
  onVerdict(verdict) {
    // why it was refused
    if (verdict.reason) console.warn(verdict.reason, verdict.detail)
  },
  // the errors behind 503 answers, such as those of the key host
  onError: console.error,
})

const app = new Hono()

app.post('/webhooks/orders', verifyWebhook(listener), (c) => {
  const { id, payload } = c.var.webhook
  console.log('event', id, payload)
  // 2xx: the event is done. If you throw, it runs again when its sender
  // retries.
  return c.text('done')
})

serve(
  { fetch: app.fetch, port: Number(process.env.PORT ?? 3000) },
  ({ port }) => {
    console.log(`http://localhost:${port}/webhooks/orders`)
  },
)
