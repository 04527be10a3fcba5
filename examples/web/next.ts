// app/webhooks/stripe/route.ts
import { defineListener } from 'hookgate'
import { stripe } from 'hookgate/schemes/stripe'
import { redisStore } from 'hookgate/stores/redis'
import { webhookHandler } from 'hookgate/web'
import { Redis } from 'ioredis'

/**
 * Not sooner than the first request: a build loads this file without
 * your secrets.
 */
function createHandler() {
  const listener = defineListener({
    id: 'stripe',
    // whsec_…
    auth: stripe({ secrets: process.env.STRIPE_WEBHOOK_SECRET }),
    store: redisStore(
      new Redis(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379'),
    ),
  })
  return webhookHandler(listener, async ({ type, id }) => {
    console.log(type, id)
    return Response.json({ received: true })
  })
}

let handle: ReturnType<typeof createHandler> | undefined

export const POST = (request: Request) => {
  handle ??= createHandler()
  return handle(request)
}
