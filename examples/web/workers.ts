import { env } from 'cloudflare:workers'
import { defineListener } from 'hookgate'
import { stripe } from 'hookgate/schemes/stripe'
import { durableObjectStore } from 'hookgate/stores/durable-object'
import { webhookHandler } from 'hookgate/web'

export { EventStoreObject } from 'hookgate/stores/durable-object'

const listener = defineListener({
  id: 'stripe',
  auth: stripe({ secrets: env.STRIPE_WEBHOOK_SECRET }), // whsec_…
  store: durableObjectStore(env.EVENTS),
})

const handle = webhookHandler(listener, async ({ type, id }) => {
  console.log(type, id)
  return Response.json({ received: true })
})

export default {
  fetch: (request) =>
    handle(request, {
      sourceIp: request.headers.get('cf-connecting-ip') ?? undefined,
    }),
} satisfies ExportedHandler
