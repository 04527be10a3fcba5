import { stripeWebhook } from './stripe.ts'

const handle = stripeWebhook(Deno.env.get('STRIPE_WEBHOOK_SECRET'))

Deno.serve(
  {
    port: Number(Deno.env.get('PORT') ?? 3000),
    onListen: ({ port }) =>
      console.log(`http://localhost:${port}/webhooks/stripe`),
  },
  (request, { remoteAddr }) =>
    handle(request, { sourceIp: remoteAddr.hostname }),
)
