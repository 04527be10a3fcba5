import Fastify from 'fastify'
import { defineListener, hmac } from 'hookgate'
import { verifyWebhook, webhookOf } from 'hookgate/fastify'
import { memoryStore } from 'hookgate/stores/memory'

const listener = defineListener({
  id: 'orders',
  auth: hmac({ secrets: { id: '2026-11', secret: process.env.WEBHOOK_SECRET ?? '' } }),
  store: memoryStore(), // for one process
  onVerdict(verdict) {
    if (!verdict.ok) console.warn(verdict.reason, verdict.detail) // why it was refused
  },
  onError: console.error, // the errors behind 503 answers
})

const app = Fastify()

// A scope of its own: every route in it is guarded, routes outside it keep their parsers.
app.register(async (scope) => {
  await scope.register(verifyWebhook, { listener })
  scope.post('/webhooks/orders', async (request) => {
    const { id, payload } = webhookOf(request, listener)
    console.log('event', id, payload)
    return { received: true }
  })
})

const origin = await app.listen({ port: Number(process.env.PORT ?? 3000) })
console.log(`${origin}/webhooks/orders`)
