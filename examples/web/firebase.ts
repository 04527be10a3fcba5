// functions/src/index.ts
import express from 'express'
import { onRequest } from 'firebase-functions/https'
import { defineListener } from 'hookgate'
import { verifyWebhook, webhookOf } from 'hookgate/express'
import { stripe } from 'hookgate/schemes/stripe'
import { redisStore } from 'hookgate/stores/redis'
import { Redis } from 'ioredis'

// The first request calls it: a deployment loads this file without
// the secret.
function createApp() {
  const listener = defineListener({
    id: 'stripe',
    // whsec_…
    auth: stripe({ secrets: process.env.STRIPE_WEBHOOK_SECRET }),
    store: redisStore(
      new Redis(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379'),
    ),
  })
  const app = express()
  app.use(verifyWebhook(listener), async (req, res) => {
    const event = webhookOf(req, listener)
    console.log(event.type, event.id)
    // before the answer, after which the instance may get no more CPU
    await event.commit()
    res.json({ received: true })
  })
  return app
}

let app: ReturnType<typeof createApp> | undefined

export const stripeWebhook = onRequest(
  { secrets: ['STRIPE_WEBHOOK_SECRET'] },
  (req, res) => {
    app ??= createApp()
    app(req, res)
  },
)
