import Fastify from 'fastify'
import { verifyWebhook, webhookOf } from 'hookgate/fastify'
import { handle, listener } from './webhooks.mjs'

const app = Fastify()

app.register(async (scope) => {
  await scope.register(verifyWebhook, { listener }) // guards every route of this scope
  scope.post('/webhooks', async (request) => {
    await handle(webhookOf(request, listener))
    return 'done'
  })
})

await app.listen({ port: 3000 })
console.log('http://localhost:3000/webhooks')
