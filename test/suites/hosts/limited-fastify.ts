import rateLimit from '@fastify/rate-limit'
import Fastify from 'fastify'
import { verifyWebhook, webhookOf } from 'hookgate/fastify'
import { listener } from './listener.ts'

export const app = Fastify()
// by request.ip
await app.register(rateLimit, { max: 100, timeWindow: '1 minute' })
app.register(async (scope) => {
  // register it first: a route's own limit runs after the signature
  // check
  scope.addHook('onRequest', app.rateLimit())
  await scope.register(verifyWebhook, { listener })
  scope.post('/webhooks/stripe', async (request) => {
    const { id, type } = webhookOf(request, listener)
    console.log(type, id)
    return { received: true }
  })
})
