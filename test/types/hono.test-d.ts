import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { observeWebhook, verifyWebhook } from '../../adapters/hono.ts'
import { defineListener, hmac, type Json, type WebhookEvent } from '../../src/index.ts'
import { memoryStore } from '../../src/stores/memory.ts'

const base = {
  id: 'L1',
  auth: hmac({ secrets: { id: 'main', secret: 'x'.repeat(43) } }),
  store: memoryStore(),
}
const plain = defineListener(base)
const order = defineListener({
  ...base,
  payload: z.object({ orderId: z.string(), note: z.string().optional() }),
})
const app = new Hono()

test('c.var.webhook is typed in the handlers behind it, and its payload is JSON and never any', () => {
  app.post('/hook', verifyWebhook(plain), (c) => {
    expectTypeOf(c.var.webhook).toEqualTypeOf<WebhookEvent>()
    expectTypeOf(c.get('webhook')).toEqualTypeOf<WebhookEvent>()
    expectTypeOf(c.var.webhook.payload).toEqualTypeOf<Json>()
    expectTypeOf(c.var.webhook.payload).not.toBeAny()
    return c.text('ok')
  })
})

test('c.var.webhook.payload has the output type of the schema', () => {
  app.post('/hook', verifyWebhook(order), (c) => {
    expectTypeOf(c.var.webhook.payload).toEqualTypeOf<{ orderId: string; note?: string | undefined }>()
    // @ts-expect-error the schema has no such member
    c.var.webhook.payload.orderID
    return c.text('ok')
  })
})

test('a lookup gets the context, and gives the payload its type', () => {
  const guard = verifyWebhook(async (c) => {
    expectTypeOf(c).toEqualTypeOf<Context>()
    return c.req.param('id') === 'L1' ? order : undefined
  })
  app.post('/hook/:id', guard, (c) => {
    expectTypeOf(c.var.webhook.payload.orderId).toEqualTypeOf<string>()
    return c.text('ok')
  })
})

test('it is a middleware of Hono', () => {
  expectTypeOf(verifyWebhook(plain)).toExtend<MiddlewareHandler>()
  app.use('/hooks/*', verifyWebhook(plain))
})

test('unknown options do not compile', () => {
  verifyWebhook(plain, { sourceIp: (c) => c.req.header('cf-connecting-ip') })
  verifyWebhook(plain, { trustedProxies: ['10.0.0.0/8'] })
  // @ts-expect-error misspelt
  verifyWebhook(plain, { sourceIP: () => '192.0.2.1' })
  // @ts-expect-error an address is text, or unknown
  verifyWebhook(plain, { sourceIp: () => 127 })
})

test('observeWebhook takes the context and its bytes', () => {
  app.post('/old', async (c) => {
    const body = await c.req.text()
    await observeWebhook(plain, c, body, { sourceIp: () => '192.0.2.1' })
    // @ts-expect-error the body is read once, by you
    await observeWebhook(plain, c, c.req.text())
    return c.text('ok')
  })
})
