// src/routes/webhooks/stripe/+server.ts
import type { RequestHandler } from '@sveltejs/kit'
import { stripeWebhook } from './stripe'

let handle: ReturnType<typeof stripeWebhook> | undefined

export const POST: RequestHandler = ({ request, getClientAddress }) => {
  handle ??= stripeWebhook(process.env.STRIPE_WEBHOOK_SECRET) // not sooner: a build loads this file without secrets
  return handle(request, { sourceIp: getClientAddress() })
}
