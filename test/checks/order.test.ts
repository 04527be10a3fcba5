import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { type Delivery, defineListener, hmac, type Reason, verify } from '../../src/index.ts'
import { STATUS } from '../../src/reason.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { signHmac, toDelivery } from '../../src/testing/index.ts'
import { fakeClock } from '../support/clock.ts'
import { SECRET, withHeaders } from '../support/hmac-listener.ts'
import { acceptedEvent, inWords } from '../support/outcome.ts'
import { spyStore } from '../support/spy-store.ts'

const EVENT_ID = '7f1d3c5e-0a4b-4c8d-9e2f-112233445566'

/** A delivery before it is signed. The signature covers what the faults have left, so each fault is the only one. */
interface Plan {
  method: string
  body: string
  timestamp: string
  eventId: string
  sourceIp: string
  secret: string
  headers: Record<string, string | readonly string[] | undefined>
}

interface Fault {
  /** Only one fault of the same field applies at a time. */
  readonly field: string
  readonly spoil: (plan: Plan, nowSeconds: number) => void
}

/** Reasons that are found elsewhere: by adapters, in tokens, in other senders' deliveries, and by the claim. */
const ELSEWHERE = [
  'body_incomplete',
  'token_invalid',
  'token_expired',
  'content_type_not_accepted',
  'body_malformed',
  'event_id_malformed',
  'event_duplicate',
  'event_in_progress',
] as const satisfies readonly Reason[]

/** Every fault of a signed delivery, in the order in which the checks find it. A missing reason does not compile. */
const BY_REASON: { readonly [R in Exclude<Reason, (typeof ELSEWHERE)[number]>]: Fault } = {
  body_too_large: { field: 'size', spoil: (plan) => (plan.body = plan.body.padEnd(70_000)) },
  method_not_post: { field: 'method', spoil: (plan) => (plan.method = 'PUT') },
  header_missing: { field: 'event id', spoil: (plan) => (plan.headers['webhook-event-id'] = undefined) },
  header_repeated: {
    field: 'encoding',
    spoil: (plan) => (plan.headers['content-encoding'] = ['gzip', 'gzip']),
  },
  content_type_not_json: { field: 'type', spoil: (plan) => (plan.headers['content-type'] = 'text/plain') },
  content_encoding_not_identity: {
    field: 'encoding',
    spoil: (plan) => (plan.headers['content-encoding'] = 'gzip'),
  },
  body_not_json: { field: 'body', spoil: (plan) => (plan.body = `${plan.body.trim()}}`) },
  timestamp_malformed: { field: 'time', spoil: (plan) => (plan.timestamp = '1e9') },
  timestamp_out_of_range: { field: 'time', spoil: (plan, now) => (plan.timestamp = `${now - 301}`) },
  event_id_not_uuid_v4: {
    field: 'event id',
    spoil: (plan) => (plan.eventId = plan.eventId.replace('-4', '-7')),
  },
  source_ip_not_allowed: { field: 'source', spoil: (plan) => (plan.sourceIp = '192.0.2.1') },
  auth_missing: { field: 'signature', spoil: (plan) => (plan.headers['webhook-signature'] = undefined) },
  signature_mismatch: { field: 'signature', spoil: (plan) => (plan.secret = 'w'.repeat(43)) },
  payload_invalid: { field: 'body', spoil: (plan) => (plan.body = '{"a":"text"}') },
}

const FAULTS = Object.entries(BY_REASON).map(([reason, fault]) => ({ reason, ...fault }))

async function send(faults: readonly Pick<Fault, 'spoil'>[], done: boolean) {
  const clock = fakeClock()
  const inner = memoryStore({ clock, maxRecords: 10 })
  const { store, calls } = spyStore(inner)
  const listener = defineListener({
    id: 'L1',
    auth: hmac({ secrets: { id: 'main', secret: SECRET } }),
    allowedCidrs: ['10.0.0.0/8'],
    payload: z.object({ a: z.number() }),
    store,
    clock,
  })
  if (done) await inner.commit({ listenerId: 'L1', eventId: EVENT_ID }, 'earlier', listener.retentionMs)
  const plan: Plan = {
    method: 'POST',
    body: '{"a":1}',
    timestamp: `${clock.seconds()}`,
    eventId: EVENT_ID,
    sourceIp: '10.0.0.1',
    secret: SECRET,
    headers: {},
  }
  // Backwards, so that the size comes last and no later body replaces it.
  for (const { spoil } of [...faults].reverse()) spoil(plan, clock.seconds())
  const { method, headers, sourceIp, ...toSign } = plan
  const signed = toDelivery(await signHmac(toSign), sourceIp)
  const delivery: Delivery = { ...withHeaders(signed, headers), method }
  return { words: inWords(await verify(delivery, listener)), calls }
}

const reasonOf = (words: string) => words.split(' ').at(-1)

describe('one fault', () => {
  it('every reason is in the order, or is found elsewhere', () => {
    const known = [...Object.keys(BY_REASON), ...ELSEWHERE].toSorted()
    expect(known, 'BY_REASON in test/checks/order.test.ts').toEqual(Object.keys(STATUS).toSorted())
  })

  it('no delivery with one fault is accepted', async () => {
    const { words, calls } = await send([], false)
    expect(words).toBe('accepted')
    expect(calls).toStrictEqual([`claim ${EVENT_ID}`])
  })

  it.each(FAULTS)('$reason is found without asking the store', async (fault) => {
    const { words, calls } = await send([fault], false)
    expect(reasonOf(words)).toBe(fault.reason)
    expect(calls).toStrictEqual([])
  })

  it('event_duplicate is found by asking the store', async () => {
    const { words, calls } = await send([], true)
    expect(words).toBe('409 event_duplicate')
    expect(calls).toStrictEqual([`claim ${EVENT_ID}`])
  })
})

describe('two faults at once', () => {
  const pairs = FAULTS.flatMap((earlier, index) =>
    FAULTS.slice(index + 1)
      .filter((later) => later.field !== earlier.field)
      .map((later) => ({ earlier, later })),
  )

  it.each(pairs)('$earlier.reason comes before $later.reason', async ({ earlier, later }) => {
    const { words, calls } = await send([earlier, later], false)
    expect(reasonOf(words)).toBe(earlier.reason)
    expect(calls).toStrictEqual([])
  })

  it.each(FAULTS)(
    '$reason comes before event_duplicate, because that would tell strangers an ID',
    async (fault) => {
      const { words, calls } = await send([fault], true)
      expect(reasonOf(words)).toBe(fault.reason)
      expect(calls).toStrictEqual([])
    },
  )

  it('the size is reported of a delivery with every fault at once', async () => {
    const { words } = await send(FAULTS, true)
    expect(words).toBe('400 body_too_large')
  })
})

describe('what strangers cannot do to an event', () => {
  it('an unsigned delivery with a known ID does not take the event from the real one', async () => {
    const clock = fakeClock()
    const listener = defineListener({
      id: 'L1',
      auth: hmac({ secrets: { id: 'main', secret: SECRET } }),
      store: memoryStore({ clock, maxRecords: 10 }),
      clock,
    })
    const real = await signHmac({
      secret: SECRET,
      body: '{}',
      eventId: EVENT_ID,
      timestamp: clock.seconds(),
    })
    const delivery = toDelivery(real)
    expect(inWords(await verify(withHeaders(delivery, { 'webhook-signature': undefined }), listener))).toBe(
      '401 auth_missing',
    )
    expect(
      inWords(await verify(withHeaders(delivery, { 'webhook-signature': 'A'.repeat(43) }), listener)),
    ).toBe('401 signature_mismatch')
    expect((await acceptedEvent(delivery, listener)).id).toBe(EVENT_ID)
  })
})
