// netlify/functions/stripe.mts
import type { Config, Context } from '@netlify/functions'
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

const handle = webhookHandler(listener, async ({ type, id }) => {
  console.log(type, id)
  return Response.json({ received: true })
})

export default (request: Request, { ip }: Context) =>
  handle(request, { sourceIp: ip })

export const config: Config = { path: '/webhooks/stripe' }
