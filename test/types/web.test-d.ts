import { expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { observeWebhook, webhookHandler } from '../../adapters/web.ts'
import { defineListener, hmac, type Json, type Verdict, type WebhookEvent } from '../../src/index.ts'
import { memoryStore } from '../../src/stores/memory.ts'

const base = {
  id: 'L1',
  auth: hmac({ secrets: { id: 'main', secret: 'x'.repeat(43) } }),
  store: memoryStore(),
}
const plain = defineListener(base)
const order = defineListener({ ...base, payload: z.object({ orderId: z.string() }) })

test('the payload is JSON and never any, or what the schema makes', () => {
  webhookHandler(plain, (event) => {
    expectTypeOf(event).toEqualTypeOf<WebhookEvent>()
    expectTypeOf(event.payload).toEqualTypeOf<Json>()
  })
  webhookHandler(order, ({ payload }) => {
    expectTypeOf(payload).toEqualTypeOf<{ orderId: string }>()
  })
  webhookHandler(
    async ({ url }: Request) => (url === '/' ? order : undefined),
    ({ payload }) => {
      expectTypeOf(payload.orderId).toEqualTypeOf<string>()
    },
  )
})

test('a handler returns a response or nothing, now or later', () => {
  async function later(event: WebhookEvent): Promise<void> {
    console.log(event.id)
  }
  webhookHandler(plain, later)
  webhookHandler(plain, () => new Response())
  webhookHandler(plain, async ({ id }) => (id ? Response.json(1) : undefined))
  // @ts-expect-error an object is no response
  webhookHandler(plain, () => ({ received: true }))
})

test('it is in the fetch form, and takes an address or nothing', () => {
  const handle = webhookHandler(plain, () => {})
  expectTypeOf(handle).toExtend<(request: Request) => Promise<Response>>()
  handle(new Request('http://localhost'), { sourceIp: undefined })
  // @ts-expect-error what a platform gives as its second argument is no address
  handle(new Request('http://localhost'), { params: {} })
})

test('observeWebhook takes the exact bytes, and resolves with a verdict or nothing', () => {
  const request = new Request('http://localhost')
  expectTypeOf(observeWebhook(plain, request, 'text', { sourceIp: '192.0.2.1' })).toEqualTypeOf<
    Promise<Verdict<unknown> | undefined>
  >()
  // @ts-expect-error a payload is not what was signed
  observeWebhook(plain, request, { id: 'evt_1' })
  // @ts-expect-error misspelt
  observeWebhook(plain, request, new Uint8Array(), { sourceIP: '192.0.2.1' })
})
