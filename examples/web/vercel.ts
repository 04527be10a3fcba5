// api/webhooks/stripe.ts
import { Redis } from '@upstash/redis'
import { defineListener } from 'hookgate'
import { stripe } from 'hookgate/schemes/stripe'
import { redisStore } from 'hookgate/stores/redis'
import { webhookHandler } from 'hookgate/web'

const listener = defineListener({
  id: 'stripe',
  // whsec_…
  auth: stripe({ secrets: process.env.STRIPE_WEBHOOK_SECRET }),
  store: redisStore(Redis.fromEnv()),
})

export const POST = webhookHandler(listener, async ({ type, id }) => {
  console.log(type, id)
  return Response.json({ received: true })
})
