import * as v from 'valibot'
import { describe, expect, expectTypeOf, it, vi } from 'vitest'
import * as z from 'zod'
import {
  defineListener,
  hmac,
  ListenerConfigError,
  type ListenerOptions,
  type PayloadSchema,
  type VerdictContext,
  verify,
} from '../../src/index.ts'
import { stripe } from '../../src/schemes/stripe.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { signAs, signHmac, toDelivery } from '../../src/testing/index.ts'
import { SECRET, withHeaders } from '../support/hmac-listener.ts'
import { acceptedEvent, outcome } from '../support/outcome.ts'
import { spyStore } from '../support/spy-store.ts'

function schemaListener<Payload>(
  payload: PayloadSchema<Payload>,
  hooks: Pick<ListenerOptions, 'onError'> = {},
) {
  const { store, calls } = spyStore(memoryStore({ maxRecords: 10 }))
  const auth = hmac({ secrets: { id: 'main', secret: SECRET } })
  const listener = defineListener({ id: 'L1', auth, store, payload, ...hooks })
  const deliver = async (body: string) => toDelivery(await signHmac({ secret: SECRET, body }))
  return { listener, deliver, calls }
}

/** A hand-made schema that gives the test's own answers. */
function answering(validate: (value: unknown) => unknown): PayloadSchema<unknown> {
  const standard = { version: 1, vendor: 'test', validate }
  return { '~standard': standard } as PayloadSchema<unknown>
}

function raise(message: string): never {
  throw new Error(message)
}

async function detailOf(schema: PayloadSchema<unknown>, body = '{}'): Promise<string> {
  const { listener, deliver, calls } = schemaListener(schema)
  const verdict = await verify(await deliver(body), listener)
  if (verdict.ok || verdict.handshake) throw new Error('was accepted')
  expect(`${verdict.status} ${verdict.reason}`).toBe('400 payload_invalid')
  expect(calls).toStrictEqual([])
  return verdict.detail
}

describe('schemas of the trade', () => {
  it('zod types and transforms the payload', async () => {
    const { listener, deliver } = schemaListener(
      z.object({ at: z.string().transform(Number), n: z.number().default(7) }),
    )
    const { payload } = await acceptedEvent(await deliver('{"at":"12","extra":true}'), listener)
    expectTypeOf(payload).toEqualTypeOf<{ at: number; n: number }>()
    expect(payload).toStrictEqual({ at: 12, n: 7 })
  })

  it('valibot types and transforms the payload', async () => {
    const { listener, deliver } = schemaListener(v.object({ at: v.pipe(v.string(), v.toUpperCase()) }))
    const { payload } = await acceptedEvent(await deliver('{"at":"x"}'), listener)
    expectTypeOf(payload).toEqualTypeOf<{ at: string }>()
    expect(payload).toStrictEqual({ at: 'X' })
  })

  it('the payload keeps the type that the sender named, though zod drops members that a schema does not name', async () => {
    const onVerdict = vi.fn()
    const listener = defineListener({
      id: 'L1',
      auth: stripe({ secrets: SECRET }),
      store: memoryStore({ maxRecords: 10 }),
      payload: z.object({ data: z.number() }),
      onVerdict,
    })
    const body = { id: 'evt_1', type: 'invoice.paid', data: 1 }
    const event = await acceptedEvent(toDelivery(await signAs(stripe, { secret: SECRET, body })), listener)
    expect(event).toMatchObject({ type: 'invoice.paid', payload: { data: 1 } })
    expect(onVerdict.mock.lastCall?.[1]).toMatchObject({ eventId: 'evt_1', eventType: 'invoice.paid' })
  })

  it('a listener waits for an asynchronous schema', async () => {
    const { listener, deliver } = schemaListener(
      z.object({ n: z.number().refine(async (n) => n > 1) }).transform(async ({ n }) => n),
    )
    expect((await acceptedEvent(await deliver('{"n":2}'), listener)).payload).toBe(2)
    expect(await outcome(await deliver('{"n":1}'), listener)).toBe('400 payload_invalid')
  })

  it.each([
    ['zod', z.object({ list: z.array(z.number()) })],
    ['valibot', v.object({ list: v.array(v.number()) })],
  ])(
    'the detail says where the payload does not fit, in the words of %s, without quoting a value',
    async (_, schema) => {
      const detail = await detailOf(schema, '{"list":[1,"secret value"]}')
      expect(detail).toBe('the payload does not fit at payload.list.1')
    },
  )

  it('the detail says that the whole payload does not fit if an issue has no path', async () => {
    const schema = answering(() => ({ issues: [{ message: 'no' }] }))
    expect(await detailOf(schema)).toBe('the payload does not fit at payload')
  })
})

describe('when it is asked', () => {
  it('a payload is refused after authentication: strangers learn nothing of the schema', async () => {
    let asked = 0
    const schema = answering(() => {
      asked += 1
      return { issues: [] }
    })
    const { listener, deliver } = schemaListener(schema)
    const forged = withHeaders(await deliver('{}'), { 'webhook-signature': 'A'.repeat(43) })
    expect(await outcome(forged, listener)).toBe('401 signature_mismatch')
    expect(asked).toBe(0)
  })

  it('a payload is refused before the claim: a corrected delivery may use the same event ID', async () => {
    const eventId = crypto.randomUUID()
    const { listener } = schemaListener(z.object({ n: z.number() }))
    const send = async (body: string) =>
      outcome(toDelivery(await signHmac({ secret: SECRET, eventId, body })), listener)
    expect(await send('{"n":"1"}')).toBe('400 payload_invalid')
    expect(await send('{"n":1}')).toBe('accepted')
  })
})

describe('schemas that misbehave', () => {
  it('a listener refuses if a schema throws, and does not repeat its error', async () => {
    const detail = await detailOf(
      answering((value) => {
        throw new Error(`cannot take ${JSON.stringify(value)}`)
      }),
      '{"password":"hunter2"}',
    )
    expect(detail).toBe('payload: the schema threw')
  })

  it('a listener refuses if a schema rejects', async () => {
    expect(await detailOf(answering(() => Promise.reject(new Error('no'))))).toBe('payload: the schema threw')
  })

  it.each([
    ['throws', () => raise('a bug')],
    ['rejects', async () => raise('a bug')],
  ])('a listener tells onError when it %s, with its error', async (_, validate) => {
    const told: [unknown, VerdictContext][] = []
    const onError = (...given: [unknown, VerdictContext]) => told.push(given)
    const { listener, deliver } = schemaListener(answering(validate), { onError })
    const delivery = await deliver('{}')
    expect(await outcome(delivery, listener)).toBe('400 payload_invalid')
    const cause = new Error('a bug')
    const error = new ListenerConfigError('payload', 'the schema threw', { cause })
    const eventId = delivery.header('webhook-event-id')
    expect(told).toStrictEqual([[error, { listenerId: 'L1', eventId, durationMs: expect.any(Number) }]])
  })

  it('a listener does not tell onError of a payload that does not fit', async () => {
    const onError = vi.fn()
    const { listener, deliver } = schemaListener(z.number(), { onError })
    expect(await outcome(await deliver('{}'), listener)).toBe('400 payload_invalid')
    expect(onError).not.toHaveBeenCalled()
  })

  it.each([undefined, null, 5, true, {}, () => {}, { issues: [{ path: 7 }] }, { issues: 'many' }])(
    'a listener refuses for the invalid result %j, synchronous or not',
    async (nonsense) => {
      expect(await detailOf(answering(() => nonsense))).toBe('payload: the schema threw')
      expect(await detailOf(answering(async () => nonsense))).toBe('payload: the schema threw')
    },
  )

  it('a listener refuses for an empty list of issues', async () => {
    await detailOf(answering(() => ({ issues: [] })))
  })

  it('the detail names at most five places, each in short printable text', async () => {
    const issue = {
      message: 'no',
      path: ['a\r\nforged: line\u001b[2J', { key: 'é'.repeat(100) }, Symbol('s')],
    }
    const detail = await detailOf(answering(() => ({ issues: Array(1000).fill(issue) })))
    expect(detail.length).toBeLessThan(500)
    expect(detail.split('payload.').length - 1).toBe(5)
    expect(detail).toMatch(/^[ -~]+$/)
  })
})
