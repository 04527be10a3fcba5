import { defineListener } from 'hookgate'
import { stripe } from 'hookgate/schemes/stripe'
import { memoryStore } from 'hookgate/stores/memory'
import { webhookHandler } from 'hookgate/web'

/**
 * `(request, { sourceIp }) => Promise<Response>`: what every platform
 * below is given.
 */
export function stripeWebhook(secret: string | undefined) {
  const listener = defineListener({
    id: 'stripe',
    auth: stripe({ secrets: secret }), // whsec_…
    // one process only; otherwise Redis or Postgres
    store: memoryStore(),
  })
  return webhookHandler(listener, async (event) => {
    console.log(event.type, event.id)
    return Response.json({ received: true }) // or nothing: an empty 200
  })
}
