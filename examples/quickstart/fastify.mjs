import Fastify from 'fastify'
import { defineListener } from 'hookgate'
import { verifyWebhook, webhookOf } from 'hookgate/fastify'
import { stripe } from 'hookgate/schemes/stripe'
import { memoryStore } from 'hookgate/stores/memory'

const listener = defineListener({
  id: 'stripe',
  auth: stripe({ secrets: process.env.STRIPE_WEBHOOK_SECRET }),
  // one process only; otherwise Redis or Postgres
  store: memoryStore(),
})

const app = Fastify()

app.register(async (scope) => {
  // guards every route of this scope
  await scope.register(verifyWebhook, { listener })
  scope.post('/webhooks/stripe', async (request) => {
    const { id, type } = webhookOf(request, listener)
    console.log(type, id)
    return 'done'
  })
})

await app.listen({ port: 3000 })
console.log('http://localhost:3000/webhooks/stripe')
