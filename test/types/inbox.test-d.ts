import { Hono } from 'hono'
import { expectTypeOf, test } from 'vitest'
import { verifyWebhook as onHono } from '../../adapters/hono.ts'
import { webhookHandler } from '../../adapters/web.ts'
import { type Inbox, type InboxHandler, inbox, type JobEvent } from '../../src/inbox/index.ts'
import { defineListener, type Listener, route } from '../../src/index.ts'
import { stripe } from '../../src/schemes/stripe.ts'
import type { PostgresClient } from '../../src/stores/postgres/store.ts'

type Paid = { readonly type: 'invoice.paid'; readonly id: string; readonly amount: number }
type Gone = { readonly type: 'customer.deleted'; readonly id: string; readonly name: string }

declare const client: PostgresClient
declare const box: Inbox
const listener = defineListener({
  id: 'stripe',
  auth: stripe<Paid | Gone>({ secrets: 'whsec_of-a-test-with-32-characters-0' }),
  store: box.store,
})

test('an inbox takes every client of postgresStore', () => {
  expectTypeOf(inbox).toBeCallableWith(client)
  expectTypeOf(inbox).toBeCallableWith({ query: async (_text: string, _values: string[]) => [] })
  // @ts-expect-error a number is no client
  inbox(7)
})

test("a job's event has the types of its listener, a signal, and nothing to settle it", () => {
  const worker = box.work(listener, (event, { attempt, done }) => {
    if (event.type === 'invoice.paid') expectTypeOf(event.payload).toExtend<Paid>()
    expectTypeOf(event.signal).toEqualTypeOf<AbortSignal>()
    expectTypeOf(event).not.toHaveProperty('commit')
    expectTypeOf(event).not.toHaveProperty('release')
    expectTypeOf(attempt).toEqualTypeOf<number>()
    return done(client)
  })
  expectTypeOf(worker.stop()).toEqualTypeOf<Promise<void>>()
  const named: InboxHandler<typeof listener> = (event: JobEvent<typeof listener>) => event.id
  box.work(listener, named, { concurrency: 1, onError: (_error, { attempt, state }) => [attempt, state] })
  const any = (given: Listener<unknown>) => box.work(given, ({ id }) => id)
  any(listener)
})

test('put resolves with nothing, so that it is the whole handler of a fetch host', () => {
  webhookHandler(listener, (event) => box.put(event))
  new Hono().post('/', onHono(listener), async (c) => {
    expectTypeOf(await box.put(c.var.webhook)).toEqualTypeOf<void>()
    return c.body(null, 202)
  })
  webhookHandler(listener, (event) => box.put(event, { tx: client }))
})

test('route() is the handler of a worker, with the types of its listener, and without what settles', () => {
  box.work(
    listener,
    route(listener, {
      'invoice.paid': (event, { attempt, done }) => {
        expectTypeOf(event.payload).toExtend<Paid>()
        expectTypeOf(event).not.toHaveProperty('commit')
        expectTypeOf(event.signal).toEqualTypeOf<AbortSignal>()
        expectTypeOf(attempt).toEqualTypeOf<number>()
        return done(client)
      },
      'customer.*': async (event) => event.payload.name,
      '*': () => {},
    }),
  )
  const named: InboxHandler<typeof listener> = route(listener, {
    '*': ({ type }, { attempt }) => [type, attempt],
  })
  box.work(listener, named)
  // @ts-expect-error commit() and release() are not for a job
  box.work(listener, route(listener, { '*': (event) => event.commit() }))
  webhookHandler(listener, route(listener, { '*': (event) => void event.commit() }))
})

test("route()'s events are those of its listener, whatever it is passed to", () => {
  const other = defineListener({
    id: 'other',
    auth: stripe<{ readonly type: 'charge.failed'; readonly id: string }>({ secrets: 'whsec_of-a-test-0' }),
    store: box.store,
  })
  // @ts-expect-error events of another listener
  box.work(listener, route(other, { '*': () => {} }))
  const anything = (_handler: (...given: ReturnType<typeof JSON.parse>[]) => unknown) => {}
  // @ts-expect-error Paid has no such member
  anything(route(listener, { 'invoice.paid': ({ payload }) => payload.nme, '*': () => {} }))
  const invented = (_handler: (event: { readonly name: string }) => unknown) => {}
  // @ts-expect-error no event of this listener
  invented(route(listener, { '*': () => {} }))
})
