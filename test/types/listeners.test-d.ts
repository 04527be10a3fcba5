import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Hono } from 'hono'
import { expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { verifyWebhook as onExpress } from '../../adapters/express.ts'
import { verifyWebhook as onFastify } from '../../adapters/fastify.ts'
import { verifyWebhook as onHono } from '../../adapters/hono.ts'
import { webhookHandler } from '../../adapters/web.ts'
import { defineListener, hmac, type Json, type Listener } from '../../src/index.ts'
import { listeners } from '../../src/listeners.ts'
import { memoryStore } from '../../src/stores/memory.ts'

const store = memoryStore()
const auth = hmac({ secrets: { id: 'main', secret: 'x'.repeat(43) } })
const plain = listeners({
  load: async (id) => (id === 'L1' ? defineListener({ id, auth, store }) : undefined),
})
const payload = z.object({ orderId: z.string() })
const orders = listeners({ load: (id) => defineListener({ id, auth, store, payload }) })

test('the payload has the type of the loaded listeners', () => {
  expectTypeOf(plain.find('L1')).toEqualTypeOf<
    Listener<Json> | undefined | Promise<Listener<Json> | undefined>
  >()
  listeners<Listener<{ orderId: string }>>({
    load: (_, known) => {
      expectTypeOf(known).toEqualTypeOf<Listener<{ orderId: string }> | undefined>()
      return known
    },
  })
  // @ts-expect-error a row is no listener
  listeners({ load: () => ({ id: 'L1', secret: 'x' }) })
})

test('find() is the lookup of every adapter', () => {
  onExpress((request) => plain.find(request.url))
  new Hono().post(
    '/:id',
    onHono((c) => orders.find(c.req.param('id'))),
    (c) => {
      expectTypeOf(c.var.webhook.payload.orderId).toEqualTypeOf<string>()
      return c.text('ok')
    },
  )
  const lookup = (request: FastifyRequest) => plain.find(request.headers.host)
  const scope = {} as FastifyInstance // never runs
  scope.register(onFastify, { listener: lookup })
  webhookHandler(
    (request) => orders.find(new URL(request.url).pathname),
    ({ payload: { orderId } }) => {
      expectTypeOf(orderId).toEqualTypeOf<string>()
    },
  )
})
