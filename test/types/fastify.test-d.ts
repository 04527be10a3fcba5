import Fastify, { type FastifyRequest } from 'fastify'
import { expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { observeWebhook, verifyWebhook, webhookOf } from '../../adapters/fastify.ts'
import { defineListener, hmac, type Json, type WebhookEvent } from '../../src/index.ts'
import { memoryStore } from '../../src/stores/memory.ts'

const base = {
  id: 'L1',
  auth: hmac({ secrets: { id: 'main', secret: 'x'.repeat(43) } }),
  store: memoryStore(),
}
const plain = defineListener(base)
const order = defineListener({ ...base, payload: z.object({ orderId: z.string() }) })
const app = Fastify()

test('request.webhook may be undefined: its type does not know which scopes are guarded', () => {
  app.get('/health', async (request) => {
    expectTypeOf(request.webhook).toEqualTypeOf<WebhookEvent | undefined>()
    // @ts-expect-error there is none here
    request.webhook.id
  })
})

test('webhookOf(request) is the event, and its payload is JSON and never any', () => {
  app.register(async (scope) => {
    await scope.register(verifyWebhook, { listener: plain })
    scope.post('/hook', async (request) => {
      const event = webhookOf(request)
      expectTypeOf(event).toEqualTypeOf<WebhookEvent>()
      expectTypeOf(event.payload).toEqualTypeOf<Json>()
      expectTypeOf(event.payload).not.toBeAny()
    })
  })
})

test('webhookOf gives the payload the output type of the schema', () => {
  app.register(async (scope) => {
    await scope.register(verifyWebhook, { listener: order })
    scope.post('/hook', async (request) => {
      expectTypeOf(webhookOf(request, order).payload).toEqualTypeOf<{ orderId: string }>()
    })
  })
})

test('a lookup gets the request of Fastify', () => {
  app.register(verifyWebhook, {
    listener: async (request) => {
      expectTypeOf(request).toEqualTypeOf<FastifyRequest>()
      return request.hostname === 'tenant.example' ? plain : undefined
    },
  })
})

test('unknown options do not compile, and the listener is an option', () => {
  app.register(verifyWebhook, { listener: plain, trustedProxies: ['10.0.0.0/8'], bodyTimeoutSeconds: 5 })
  // @ts-expect-error without a listener there is nothing to verify
  app.register(verifyWebhook, {})
  // @ts-expect-error misspelt
  app.register(verifyWebhook, { listener: plain, maxBodies: 1 })
})

test('observeWebhook takes the request and its bytes', () => {
  app.post('/old', async (request) => {
    await observeWebhook(plain, request, 'text', { trustedProxies: ['10.0.0.0/8'] })
    // @ts-expect-error without the bytes there is nothing to judge
    await observeWebhook(plain, request)
  })
})
