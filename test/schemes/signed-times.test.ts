import { describe, expect, it } from 'vitest'
import { fromEnvelope, toEnvelope } from '../../src/handoff/index.ts'
import { defineListener, type Verdict, verify } from '../../src/index.ts'
import { parseTime, writeTime } from '../../src/lib/time.ts'
import { intercom } from '../../src/schemes/intercom.ts'
import { defineScheme, type Scheme } from '../../src/schemes/kit/index.ts'
import { linear } from '../../src/schemes/linear.ts'
import { razorpay } from '../../src/schemes/razorpay.ts'
import { vercel } from '../../src/schemes/vercel.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { signAs, toDelivery } from '../../src/testing/index.ts'
import { fakeClock } from '../support/clock.ts'
import type { AnyFactory } from '../support/schemes.ts'

const SECRET = 'a secret of this test'
const DAY = 86_400
/** The last second that a `Date` can hold. */
const LAST = 8_640_000_000_000

async function receive(factory: AnyFactory, body: { readonly [member: string]: string | number }) {
  const clock = fakeClock()
  const listener = defineListener({
    id: 'a-sender',
    auth: factory({ secrets: SECRET }),
    store: memoryStore({ clock }),
    clock,
  })
  const timestamp = clock.seconds()
  const request = await signAs(factory, { secret: SECRET, body, timestamp })
  return { clock, verdict: await verify(toDelivery(request), listener) }
}

const outcomeOf = (verdict: Verdict) => (verdict.ok ? 'accepted' : verdict.reason)

/** A sender of attempts whose time is in the body and has no window. */
const windowless: AnyFactory = defineScheme({
  ...(linear.scheme satisfies Scheme),
  timestamp: { member: '/time', unit: 'seconds', of: 'attempt' },
})

describe("an event's time in the body", () => {
  const rows = [
    ['razorpay', razorpay, 'created_at', 1],
    ['intercom', intercom, 'first_sent_at', 1],
    ['vercel', vercel, 'createdAt', 1000],
  ] as const

  it.each(rows)(
    'the time of %s can be handed off, whatever number it is',
    async (_name, factory, member, unit) => {
      for (const time of [LAST * unit + unit, 1e30, 1e300, Number.MAX_VALUE]) {
        const { clock, verdict } = await receive(factory, { id: '1', [member]: time })
        if (!verdict.ok) throw new Error(verdict.detail)
        expect(verdict.event.sentAt).toEqual(new Date(clock.seconds() * 1000)) // as if it had none
        expect(fromEnvelope(toEnvelope(verdict.event)).sentAt).toEqual(verdict.event.sentAt)
      }
    },
  )

  it.each(rows)('the time of %s may be as late as dates go', async (_name, factory, member, unit) => {
    const { verdict } = await receive(factory, { id: '1', [member]: LAST * unit })
    if (!verdict.ok) throw new Error(verdict.detail)
    expect(verdict.event.sentAt).toEqual(new Date(LAST * 1000))
    expect(fromEnvelope(toEnvelope(verdict.event)).sentAt).toEqual(verdict.event.sentAt)
  })

  it.each(rows)(
    'the time of %s has a largest age, and may be in the future',
    async (_name, factory, member, unit) => {
      const now = fakeClock().seconds()
      const { toleranceSeconds = 0 } = factory.scheme.timestamp ?? {}
      const outcome = async (seconds: number) =>
        outcomeOf((await receive(factory, { id: '1', [member]: (now + seconds) * unit })).verdict)
      expect(await outcome(-toleranceSeconds)).toBe('accepted')
      expect(await outcome(-toleranceSeconds - 1)).toBe('timestamp_out_of_range')
      expect(await outcome(toleranceSeconds + 1)).toBe('accepted')
      expect(await outcome(3650 * DAY)).toBe('accepted')
    },
  )
})

describe("an attempt's time in the body", () => {
  it('the time is limited in both directions', async () => {
    const now = fakeClock().seconds()
    const outcome = async (seconds: number) =>
      outcomeOf((await receive(linear, { webhookTimestamp: (now + seconds) * 1000 })).verdict)
    expect(await outcome(-60)).toBe('accepted')
    expect(await outcome(-61)).toBe('timestamp_out_of_range')
    expect(await outcome(60)).toBe('accepted')
    expect(await outcome(61)).toBe('timestamp_out_of_range')
    expect(await outcome(1e300)).toBe('timestamp_out_of_range')
  })

  it('the time is malformed after the last date, if it has no window', async () => {
    const { verdict } = await receive(windowless, { time: LAST })
    expect(verdict).toMatchObject({ ok: true, event: { sentAt: new Date(LAST * 1000) } })
    for (const time of [LAST + 1, 1e300]) {
      const refused = (await receive(windowless, { time })).verdict
      expect(refused).toMatchObject({ status: 400, reason: 'timestamp_malformed' })
    }
  })
})

it('the latest and earliest times in a header or as text are dates', () => {
  const times = [
    parseTime('seconds', '999999999999'),
    parseTime('milliseconds', '999999999999999'),
    parseTime('rfc3339', '9999-12-31T23:59:59.999999999-23:59'),
    parseTime('rfc3339', '0000-01-01T00:00:00+23:59'),
    parseTime('utc', '9999-12-31T23:59:59.999999999'),
    parseTime('http-date', 'Fri, 31 Dec 9999 23:59:59 GMT'),
  ]
  for (const seconds of times) expect(new Date(seconds * 1000).toJSON()).not.toBeNull()
})

it.each([
  ['utc', '2025-11-20T12:00:00'],
  ['utc', '2025-11-20T12:00:00.000000'],
  ['utc', '2025-11-20T12:00:00Z'],
  ['utc', '2025-11-20T14:00:00+02:00'],
  ['http-date', 'Thu, 20 Nov 2025 12:00:00 GMT'],
] as const)('a time of the unit %s may be written %s', (unit, text) => {
  expect(parseTime(unit, text)).toBe(1_763_640_000)
})

it.each([
  ['rfc3339', '2025-11-20T12:00:00'],
  ['utc', '2025-11-20'],
  ['utc', '2025-11-20T12:00'],
  ['utc', '2025-11-20 12:00:00'],
  ['utc', '2025-02-30T12:00:00'],
  ['utc', '2025-11-20T12:00:00ZZ'],
  ['http-date', 'Fri, 20 Nov 2025 12:00:00 GMT'],
  ['http-date', 'Thu, 20 Nov 2025 12:00:00 UTC'],
  ['http-date', 'Thu, 20 Nov 2025 12:00:00 GMT+0200'],
  ['http-date', 'thu, 20 nov 2025 12:00:00 gmt'],
  ['http-date', 'Thu,  20 Nov 2025 12:00:00 GMT'],
  ['http-date', 'Thu, 20 Nov 2025 12:00:00 GMT (again)'],
  ['http-date', 'Sat, 30 Feb 2025 12:00:00 GMT'],
  ['http-date', '2025-11-20T12:00:00Z'],
  ['http-date', 'Invalid Date'],
] as const)('a time of the unit %s is never written %s', (unit, text) => {
  expect(parseTime(unit, text)).toBeNaN()
})

it.each(['seconds', 'milliseconds', 'rfc3339', 'utc', 'http-date'] as const)(
  'a written time of the unit %s reads as the same time',
  (unit) => {
    expect(parseTime(unit, writeTime(unit, 1_763_640_000))).toBe(1_763_640_000)
  },
)
