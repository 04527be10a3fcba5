import { createServer } from 'node:http'
import express, { type Request, type RequestHandler } from 'express'
import { expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { observeWebhook, verifyWebhook, webhookOf } from '../../adapters/express.ts'
import { defineListener, hmac, type Json, type Listener, type WebhookEvent } from '../../src/index.ts'
import { memoryStore } from '../../src/stores/memory.ts'

const base = {
  id: 'L1',
  auth: hmac({ secrets: { id: 'main', secret: 'x'.repeat(43) } }),
  store: memoryStore(),
}
const plain = defineListener(base)
const order = defineListener({ ...base, payload: z.object({ orderId: z.string(), paid: z.coerce.date() }) })
const app = express()

test('verifyWebhook is a RequestHandler of @types/express 5', () => {
  expectTypeOf(verifyWebhook(plain)).toExtend<RequestHandler>()
  expectTypeOf(verifyWebhook(order)).toExtend<RequestHandler>()
  app.use(verifyWebhook(plain))
  app.post('/hook/:id', verifyWebhook(plain), (request) => {
    expectTypeOf(request.params.id).toEqualTypeOf<string>()
  })
})

test('req.webhook may be undefined: its type does not know which routes are guarded', () => {
  app.get('/health', (request) => {
    expectTypeOf(request.webhook).toEqualTypeOf<WebhookEvent | undefined>()
    // @ts-expect-error there is none here
    request.webhook.id
  })
})

test('webhookOf(req) is the event, and its payload is JSON and never any', () => {
  app.post('/hook', verifyWebhook(plain), (request, response) => {
    const event = webhookOf(request)
    expectTypeOf(event).toEqualTypeOf<WebhookEvent>()
    expectTypeOf(event.payload).toEqualTypeOf<Json>()
    expectTypeOf(event.payload).not.toBeAny()
    expectTypeOf(event.rawBody).toEqualTypeOf<Uint8Array>()
    // @ts-expect-error JSON may be anything: nobody knows of a member
    event.payload.orderId
    // @ts-expect-error there is no such member
    event.body
    response.sendStatus(200)
  })
})

test('webhookOf gives the payload the output type of the schema', () => {
  app.post('/hook', verifyWebhook(order), (request) => {
    const { payload } = webhookOf(request, order)
    expectTypeOf(payload).toEqualTypeOf<{ orderId: string; paid: Date }>()
    // @ts-expect-error the schema has no such member
    payload.orderID
    expectTypeOf(webhookOf(request, plain).payload).toEqualTypeOf<Json>()
  })
})

test('a lookup gets the request of Express', () => {
  app.post(
    '/hook/:id',
    verifyWebhook((request: Request<{ id: string }>) => {
      expectTypeOf(request.params.id).toEqualTypeOf<string>()
      return request.params.id === 'L1' ? plain : undefined
    }),
  )
  app.post(
    '/hook',
    verifyWebhook(async (request: Request) => {
      expectTypeOf(request.hostname).toEqualTypeOf<string>()
      return plain
    }),
  )
  // @ts-expect-error a lookup finds a listener or nothing
  verifyWebhook(() => 'L1')
})

test('it runs on node:http and connect as well', () => {
  const verify = verifyWebhook(plain)
  createServer((request, response) => {
    verify(request, response, (error) => {
      expectTypeOf(error).toEqualTypeOf<Error | undefined>()
      expectTypeOf(webhookOf(request, plain)).toEqualTypeOf<WebhookEvent>()
    })
  })
})

test('unknown options do not compile', () => {
  verifyWebhook(plain, { trustedProxies: ['10.0.0.0/8'], bodyTimeoutSeconds: 5, maxConcurrentBodies: 100 })
  // @ts-expect-error misspelt
  verifyWebhook(plain, { trustProxies: ['10.0.0.0/8'] })
  // @ts-expect-error that is Hono's
  verifyWebhook(plain, { sourceIp: () => '192.0.2.1' })
  // @ts-expect-error a listener comes from defineListener
  verifyWebhook({ id: 'L1' })
})

test('a listener knows the output of its schema', () => {
  expectTypeOf(order).toEqualTypeOf<Listener<{ orderId: string; paid: Date }>>()
  expectTypeOf(plain).toEqualTypeOf<Listener<Json>>()
})

test('observeWebhook takes the request and its bytes', () => {
  app.post('/hook', (request) => {
    observeWebhook(plain, request, request.body, { trustedProxies: ['10.0.0.0/8'] })
    // @ts-expect-error nothing waits for a body
    observeWebhook(plain, request, request.body, { bodyTimeoutSeconds: 5 })
  })
})
