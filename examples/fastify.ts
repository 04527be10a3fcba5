import Fastify from 'fastify'
import { defineListener } from 'hookgate'
import { verifyWebhook, webhookOf } from 'hookgate/fastify'
import { stripe } from 'hookgate/schemes/stripe'
import { memoryStore } from 'hookgate/stores/memory'

const listener = defineListener({
  id: 'stripe',
  // whsec_…
  auth: stripe({ secrets: process.env.STRIPE_WEBHOOK_SECRET }),
  // one process only; otherwise Redis or Postgres
  store: memoryStore(),
})

const app = Fastify()

// A scope of its own: every route in it is guarded, routes outside it
// keep their parsers.
app.register(async (scope) => {
  await scope.register(verifyWebhook, { listener })
  scope.post('/webhooks/stripe', async (request) => {
    const { id, type } = webhookOf(request, listener)
    console.log(type, id)
    return { received: true }
  })
})

const origin = await app.listen({
  port: Number(process.env.PORT ?? 3000),
})
console.log(`${origin}/webhooks/stripe`)
