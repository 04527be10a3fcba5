// app/webhooks/stripe/route.js
import { defineListener } from 'hookgate'
import { stripe } from 'hookgate/schemes/stripe'
import { memoryStore } from 'hookgate/stores/memory'
import { webhookHandler } from 'hookgate/web'

// The first request calls it: a build loads this file without your
// secret.
function createHandler() {
  const listener = defineListener({
    id: 'stripe',
    auth: stripe({ secrets: process.env.STRIPE_WEBHOOK_SECRET }),
    // one process only; otherwise Redis or Postgres
    store: memoryStore(),
  })
  return webhookHandler(listener, ({ id, type }) => {
    console.log(type, id)
    return new Response('done')
  })
}

let handle

export function POST(request) {
  handle ??= createHandler()
  return handle(request)
}
