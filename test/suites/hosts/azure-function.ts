import { app } from '@azure/functions'
import { defineListener } from 'hookgate'
import { stripe } from 'hookgate/schemes/stripe'
import { redisStore } from 'hookgate/stores/redis'
import { webhookHandler } from 'hookgate/web'
import { Redis } from 'ioredis'

const listener = defineListener({
  id: 'stripe',
  // whsec_…
  auth: stripe({ secrets: process.env.STRIPE_WEBHOOK_SECRET }),
  store: redisStore(
    new Redis(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379'),
  ),
})

const handle = webhookHandler(listener, async ({ type, id }) => {
  console.log(type, id)
  return Response.json({ received: true })
})

app.http('stripe', {
  methods: ['POST'],
  authLevel: 'anonymous', // the signature is the key
  route: 'webhooks/stripe',
  handler({ url, method, headers, body }) {
    return handle(
      new Request(url, { method, headers, body, duplex: 'half' }),
    )
  },
})
