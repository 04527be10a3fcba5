import { defineListener, route } from 'hookgate'
import { stripe } from 'hookgate/schemes/stripe'
import { memoryStore } from 'hookgate/stores/memory'

export const listener = defineListener({
  id: 'stripe',
  auth: stripe({ secrets: process.env.WEBHOOK_SECRET }), // whsec_…
  store: memoryStore(), // for one process
})

export const handle = route(listener, {
  // Each gets the event: `id`, `type`, `payload` …
  'checkout.session.completed': ({ id }) => console.log('fulfil', id),
  'invoice.paid': ({ id }) => console.log('extend', id),
  'customer.subscription.deleted': ({ id }) => console.log('end', id),
  '*': () => {}, // every other event: done
})
