import { describe, expect, it } from 'vitest'
import { type Delivery, verify } from '../../src/index.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { fakeClock } from '../support/clock.ts'
import { es256Listener } from '../support/es256-listener.ts'
import { hmacListener, withHeaders } from '../support/hmac-listener.ts'
import { acceptedEvent, outcome } from '../support/outcome.ts'

/** The outcome of a delivery signed with this timestamp, when the time is 1,790,000,000. */
async function fate(timestamp: string | number): Promise<string> {
  const { listener, deliver } = hmacListener()
  return outcome(await deliver({ timestamp }), listener)
}

describe('the window', () => {
  it.each([-300, 300, 0])('a listener accepts a timestamp %i s from now', async (offset) => {
    expect(await fate(1_790_000_000 + offset)).toBe('accepted')
  })

  it.each([-301, 301, 365 * 86_400, -1_790_000_000])(
    'a listener refuses a timestamp %i s from now',
    async (offset) => {
      expect(await fate(1_790_000_000 + offset)).toBe('400 timestamp_out_of_range')
    },
  )

  it('whole seconds count: the last millisecond of second 300 still passes', async () => {
    const { listener, deliver, clock } = hmacListener()
    const delivery = await deliver()
    clock.advance(300_999)
    const event = await acceptedEvent(delivery, listener)
    await event.release()
    clock.advance(1)
    expect(await outcome(delivery, listener)).toBe('400 timestamp_out_of_range')
  })

  it('a listener takes toleranceSeconds as the last distance that passes', async () => {
    const { listener, deliver, clock } = hmacListener({ toleranceSeconds: 5 })
    expect(await outcome(await deliver({ timestamp: clock.seconds() - 5 }), listener)).toBe('accepted')
    expect(await outcome(await deliver({ timestamp: clock.seconds() + 6 }), listener)).toBe(
      '400 timestamp_out_of_range',
    )
  })

  it('a listener refuses everything while the clock is not a number', async () => {
    const { listener, deliver } = hmacListener({ clock: { now: () => Number.NaN } })
    expect(await outcome(await deliver(), listener)).toBe('400 timestamp_out_of_range')
  })

  it('the detail says how far off the timestamp is, to the operator', async () => {
    const { listener, deliver, clock } = hmacListener()
    const late = await verify(await deliver({ timestamp: clock.seconds() - 301 }), listener)
    const early = await verify(await deliver({ timestamp: clock.seconds() + 400 }), listener)
    expect(late).toMatchObject({ detail: expect.stringMatching(/301 s old.*300/) })
    expect(early).toMatchObject({ detail: expect.stringMatching(/400 s ahead.*300/) })
  })
})

describe('the form', () => {
  it.each(['1790000000000', '1790000000123'])('%s is refused, which is in milliseconds', async (text) => {
    expect(await fate(text)).toBe('400 timestamp_malformed')
  })

  it.each([
    '1790000000.5',
    '1790000000.0',
    '1.79e9',
    '+1790000000',
    '0x6AB13780',
    '01790000000',
    '1_790_000_000',
    '1790000000n',
    '1,790,000,000',
  ])('%s is refused, which is no plain number', async (text) => {
    expect(await fate(text)).toBe('400 timestamp_malformed')
  })

  it.each([
    '1790000000abc',
    '1790000000 ',
    ' 1790000000',
    '1790000000\n',
    '1790000000\u0000',
    '1790000000,1',
  ])('%j is refused with a signature over the plain number', async (text) => {
    const { listener, deliver } = hmacListener()
    const delivery = withHeaders(await deliver(), { 'webhook-timestamp': text })
    expect(await outcome(delivery, listener)).toBe('400 timestamp_malformed')
  })

  it.each(['NaN', 'Infinity', '1e400', '-1', '-0', '00', 'null', ' '])(
    '%j is refused, which is no time',
    async (text) => {
      expect(await fate(text)).toBe('400 timestamp_malformed')
    },
  )

  it('0 is the year 1970', async () => {
    expect(await fate('0')).toBe('400 timestamp_out_of_range')
  })

  it.each(['١٧٩٠٠٠٠٠٠٠', '１７９０００００００', '1790000００0'])(
    'the digits of %s are refused',
    async (text) => {
      const { listener, deliver } = hmacListener()
      const delivery = withHeaders(await deliver(), { 'webhook-timestamp': text })
      expect(await outcome(delivery, listener)).toBe('400 timestamp_malformed')
    },
  )

  it.each(['9007199254740993', '1'.repeat(400), '9'.repeat(13), '1'.repeat(4_000_000)])(
    'numbers of more than 12 digits are refused without being parsed',
    async (text) => {
      const { listener, deliver } = hmacListener()
      const delivery = withHeaders(await deliver(), { 'webhook-timestamp': text })
      const verdict = await verify(delivery, listener)
      expect(verdict).toMatchObject({ reason: 'timestamp_malformed', status: 400 })
      expect(JSON.stringify(verdict).length).toBeLessThan(200)
    },
  )

  it('a number of 12 digits is read', async () => {
    expect(await fate('9'.repeat(12))).toBe('400 timestamp_out_of_range')
  })
})

describe('what the timestamp is bound to', () => {
  it('the signature covers the header text, so another spelling of the same number never verifies', async () => {
    const { listener, deliver, clock } = hmacListener()
    const delivery = await deliver({ timestamp: `0${clock.seconds()}` })
    const plain = withHeaders(delivery, { 'webhook-timestamp': `${clock.seconds()}` })
    expect(await outcome(plain, listener)).toBe('401 signature_mismatch')
  })

  it('a captured token with a fresh timestamp is a duplicate, and is expired after exp', async () => {
    const { listener, deliver, clock } = await es256Listener()
    const captured = await deliver()
    const fresh = (): Delivery => withHeaders(captured, { 'webhook-timestamp': `${clock.seconds()}` })
    await (await acceptedEvent(captured, listener)).commit()
    clock.advanceSeconds(299)
    expect(await outcome(fresh(), listener)).toBe('409 event_duplicate')
    clock.advanceSeconds(1)
    expect(await outcome(fresh(), listener)).toBe('401 token_expired')
  })

  it('a clock that jumps lets no replay in, as the store has a clock of its own', async () => {
    const wall = fakeClock()
    const monotonic = fakeClock(5000)
    const { listener, deliver } = hmacListener({
      clock: wall,
      store: memoryStore({ clock: monotonic, maxRecords: 10 }),
    })
    const captured = await deliver({ timestamp: wall.seconds() })
    await (await acceptedEvent(captured, listener)).commit()

    wall.advanceSeconds(-600)
    expect(await outcome(captured, listener)).toBe('400 timestamp_out_of_range')
    wall.advanceSeconds(600)
    expect(await outcome(captured, listener)).toBe('409 event_duplicate')

    wall.advanceSeconds(8 * 86_400)
    expect(await outcome(await deliver({ timestamp: wall.seconds() }), listener)).toBe('accepted')
    wall.advanceSeconds(-8 * 86_400)
    monotonic.advanceSeconds(120)
    expect(await outcome(captured, listener)).toBe('409 event_duplicate')
  })
})
