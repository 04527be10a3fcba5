// app/webhooks/stripe/route.ts
import { stripeWebhook } from './stripe'

let handle: ReturnType<typeof stripeWebhook> | undefined

export const POST = (request: Request) => {
  handle ??= stripeWebhook(process.env.STRIPE_WEBHOOK_SECRET) // not sooner: a build loads this file without secrets
  return handle(request)
}
