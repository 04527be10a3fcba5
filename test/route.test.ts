import { describe, expect, it } from 'vitest'
import { defineListener, route, type WebhookEvent } from '../src/index.ts'
import { stripe } from '../src/schemes/stripe.ts'
import { memoryStore } from '../src/stores/memory.ts'

const listener = defineListener({
  id: 'stripe',
  auth: stripe({ secrets: 'whsec_route-0123456789abcdef' }),
  store: memoryStore(),
})

function eventOf(type: string | undefined): WebhookEvent {
  return {
    id: 'evt_1',
    ...(type !== undefined && { type }),
    listenerId: 'stripe',
    sentAt: new Date(0),
    payload: null,
    rawBody: new Uint8Array(),
    auth: { method: 'hmac', secretId: 'main' },
    commit: async () => 'committed',
    release: async () => true,
    signal: new AbortController().signal,
  }
}

describe('route', () => {
  const handle = route(listener, {
    'invoice.paid': () => 'invoice.paid',
    'invoice.*': () => 'invoice.*',
    'customer.*': () => 'customer.*',
    'customer.subscription.*': () => 'customer.subscription.*',
    '*': () => '*',
  })

  it.each([
    ['invoice.paid', 'invoice.paid'],
    ['invoice.paid.late', 'invoice.*'],
    ['invoice.voided', 'invoice.*'],
    ['invoice', '*'],
    ['customer.created', 'customer.*'],
    ['customer.subscription.deleted', 'customer.subscription.*'],
    ['charge.failed', '*'],
    ['constructor', '*'],
    ['__proto__', '*'],
    ['toString', '*'],
    ['', '*'],
    [undefined, '*'],
  ])('route hands %s to the handler of %s', (type, expected) => {
    expect(handle(eventOf(type))).toBe(expected)
  })

  it('route passes on what follows the event', () => {
    const both = route(listener, { '*': (event, tenant: string, count: number) => [event.id, tenant, count] })
    expect(both(eventOf('a'), 'acme', 3)).toEqual(['evt_1', 'acme', 3])
  })

  it('route needs a handler for everything else', () => {
    // @ts-expect-error there is no '*'
    expect(() => route(listener, { 'invoice.paid': () => 1 })).toThrow("route: needs a handler for '*'")
  })

  it.each(['*', 'invoice.paid'])('route names the handler that is no function: %s', (name) => {
    const handlers: object = { '*': () => 1, [name]: 'charge' }
    // @ts-expect-error it may be anything
    expect(() => route(listener, handlers)).toThrow(`route['${name}']: must be a function`)
  })

  it('route takes a handler that is undefined for one that is not there', () => {
    const handlers: { '*': () => string; 'invoice.paid'?: () => string } = { '*': () => 'rest' }
    expect(
      route(listener, Object.assign(handlers, { 'invoice.paid': undefined }))(eventOf('invoice.paid')),
    ).toBe('rest')
  })
})
