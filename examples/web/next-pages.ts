// pages/api/webhooks/stripe.ts
import type { IncomingMessage, ServerResponse } from 'node:http'
import { defineListener, type WebhookEvent } from 'hookgate'
import { verifyWebhook, webhookOf } from 'hookgate/express'
import { stripe } from 'hookgate/schemes/stripe'
import { redisStore } from 'hookgate/stores/redis'
import { Redis } from 'ioredis'

/** Next.js must leave the bytes alone: the signature covers them. */
export const config = { api: { bodyParser: false } }

function createGuard() {
  const listener = defineListener({
    id: 'stripe',
    // whsec_…
    auth: stripe({ secrets: process.env.STRIPE_WEBHOOK_SECRET }),
    store: redisStore(
      new Redis(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379'),
    ),
  })
  return { listener, verify: verifyWebhook(listener) }
}

let guard: ReturnType<typeof createGuard> | undefined

/** Returns a promise: Next.js answers 500 if it rejects. */
export default function handler(
  req: IncomingMessage,
  res: ServerResponse,
) {
  guard ??= createGuard()
  const { listener, verify } = guard
  return new Promise<void>((resolve, reject) => {
    res.once('close', resolve) // hookgate may have answered
    verify(req, res, (error) => {
      // a mistake in the setup; its message names the fix
      if (error) return reject(error)
      receive(webhookOf(req, listener), res).then(resolve, reject)
    })
  })
}

async function receive(event: WebhookEvent, res: ServerResponse) {
  console.log(event.type, event.id)
  // before the answer, after which Vercel may freeze the function
  await event.commit()
  res
    .setHeader('content-type', 'application/json')
    .end('{"received":true}')
}
