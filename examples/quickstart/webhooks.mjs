import { defineListener, route } from 'hookgate'
import { stripe } from 'hookgate/schemes/stripe'
import { memoryStore } from 'hookgate/stores/memory'

export const listener = defineListener({
  id: 'stripe',
  auth: stripe({ secrets: process.env.WEBHOOK_SECRET }), // whsec_…
  store: memoryStore(), // for one process
})

export const handle = route(listener, {
  'checkout.session.completed': ({ payload }) => console.log('fulfil', payload.data.object.id),
  'invoice.paid': ({ payload }) => console.log('extend', payload.data.object.id),
  'customer.subscription.deleted': ({ payload }) => console.log('end', payload.data.object.id),
  '*': () => {}, // every other event: done
})
