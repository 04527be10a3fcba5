// pages/api/webhooks/stripe.ts
import type { IncomingMessage, ServerResponse } from 'node:http'
import { defineListener } from 'hookgate'
import { verifyWebhook, webhookOf } from 'hookgate/express'
import { stripe } from 'hookgate/schemes/stripe'
import { redisStore } from 'hookgate/stores/redis'
import { Redis } from 'ioredis'

/** Next.js must leave the bytes alone: the signature covers them. */
export const config = { api: { bodyParser: false } }

function createGuard() {
  const listener = defineListener({
    id: 'stripe',
    auth: stripe({ secrets: process.env.STRIPE_WEBHOOK_SECRET }), // whsec_…
    store: redisStore(new Redis(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379')),
  })
  return { listener, verify: verifyWebhook(listener) }
}

let guard: ReturnType<typeof createGuard> | undefined

export default function handler(req: IncomingMessage, res: ServerResponse) {
  guard ??= createGuard()
  const { listener, verify } = guard
  return verify(req, res, async (error) => {
    if (error) throw error // a mistake in the setup; its message names the fix
    const { type, id } = webhookOf(req, listener)
    console.log(type, id)
    res.setHeader('content-type', 'application/json').end('{"received":true}')
  })
}
