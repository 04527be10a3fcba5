import { expect } from 'vitest'
import { defineListener, type EventStore } from '../../src/index.ts'
import { stripe } from '../../src/schemes/stripe.ts'
import { signAs, toDelivery } from '../../src/testing/index.ts'
import { acceptedEvent } from './outcome.ts'

const SECRET = 'whsec_of-a-test-with-32-characters-0'
const LEASE_MS = 60_000

/** Expects a store to take any text as an event ID, and to find by it the record that `verify()` has made. */
export async function expectAnyId(store: EventStore): Promise<void> {
  const listenerId = `stripe ${crypto.randomUUID()}`
  const listener = defineListener({ id: listenerId, auth: stripe({ secrets: SECRET }), store })
  const id = `evt_${crypto.randomUUID()}`
  const request = await signAs(stripe, { secret: SECRET, body: { id, type: 'invoice.paid' } })
  const event = await acceptedEvent(toDelivery(request), listener)
  const key = { listenerId, eventId: event.id }
  expect(key.eventId).toBe(id)
  expect(await store.claim(key, 'a', LEASE_MS)).toBe('busy')
  expect(await store.release(key, 'a')).toBe(false)
  expect(await store.renew?.(key, 'a', LEASE_MS)).toBe(false)
  expect(await event.commit()).toBe('committed')
  expect(await store.claim(key, 'a', LEASE_MS)).toBe('done')
  for (const eventId of ['', 'é', 'evt_1', '7F1D3C5E-0A4B-1C8D-9E2F-112233445566', 'x'.repeat(1000)]) {
    expect(await store.claim({ listenerId, eventId }, 'a', LEASE_MS)).toBe('acquired')
    expect(await store.renew?.({ listenerId, eventId }, 'a', LEASE_MS)).toBe(true)
    expect(await store.release({ listenerId, eventId }, 'a')).toBe(true)
  }
}
