import { describe, expect, it } from 'vitest'
import { type Delivery, defineListener, hmac, type Verdict, verify } from '../../src/index.ts'
import { defineScheme } from '../../src/schemes/kit/index.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { mutations, type SignedRequest, signAs, signHmac, toDelivery } from '../../src/testing/index.ts'
import { fakeClock } from '../support/clock.ts'
import fc from '../support/property.ts'

const SECRET = 'a-secret-of-this-test-0123456789'

/** hookgate's own scheme, written as a row like any other sender's. */
const row = defineScheme({
  name: 'specification',
  sender: 'The specification',
  secretName: 'secret of the listener',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['webhook-signature'], spelling: 'base64url' },
  signs: '{timestamp}.{id}.{body}',
  timestamp: { header: 'webhook-timestamp', unit: 'seconds', of: 'attempt', toleranceSeconds: 300 },
  eventId: { header: 'webhook-event-id' },
  maxBodyBytes: 65_536,
  limits: 'The URL and the other headers are not signed.',
})

const clock = fakeClock()

/** The verdicts of hmac() and of the row, each with its own store. */
function both(delivery: Delivery): Promise<readonly [Verdict, Verdict]> {
  const judge = (auth: ReturnType<typeof hmac>) =>
    verify(delivery, defineListener({ id: 'L', auth, store: memoryStore({ clock, maxRecords: 10 }), clock }))
  return Promise.all([judge(hmac({ secrets: SECRET })), judge(row({ secrets: SECRET }))])
}

const signed = (body = '{"a":1}') => signHmac({ secret: SECRET, body, timestamp: clock.seconds() })

describe('hmac() and the same scheme as a row', () => {
  it('both sign alike', async () => {
    const anything = fc.record({
      secret: fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => text.trim() !== ''),
      body: fc.uint8Array(),
      timestamp: fc.nat(),
      eventId: fc.uuid({ version: 4 }),
    })
    await fc.assert(
      fc.asyncProperty(anything, async (given) => {
        const [byHand, byRow] = [await signHmac(given), await signAs(row, given)]
        expect(byRow.headers['webhook-signature']).toBe(byHand.headers['webhook-signature'])
        expect(byRow.headers['webhook-event-id']).toBe(byHand.headers['webhook-event-id'])
        expect(byRow.headers['webhook-timestamp']).toBe(byHand.headers['webhook-timestamp'])
      }),
    )
  })

  it('both accept the same delivery with the same ID and time', async () => {
    for (const verdict of await both(toDelivery(await signed()))) {
      expect(verdict).toMatchObject({ ok: true, event: { sentAt: new Date(clock.seconds() * 1000) } })
    }
  })

  it('both refuse the same mutations of it, except that of the content type', async () => {
    const spoilt = mutations(await signed())
    const accepted: string[] = []
    for (const { name, request } of spoilt) {
      const [byHand, byRow] = await both(toDelivery(request))
      expect(byHand.ok).toBe(false)
      if (byRow.ok) accepted.push(name)
    }
    expect(spoilt.length).toBeGreaterThan(30)
    expect(accepted).toEqual(['no Content-Type', 'another kind of JSON'])
  })

  it('both agree on each of a thousand changed texts', async () => {
    const names = ['webhook-signature', 'webhook-timestamp', 'webhook-event-id'] as const
    const edit = fc.record({
      name: fc.constantFrom(...names),
      at: fc.nat({ max: 50 }),
      text: fc.oneof(fc.constantFrom('', '.', '0', '-', '=', 'A'), fc.string({ unit: 'binary-ascii' })),
      length: fc.nat({ max: 3 }),
    })
    let refused = 0
    await fc.assert(
      fc.asyncProperty(edit, async ({ name, at, text, length }) => {
        const request = await signed()
        const before = request.headers[name] ?? ''
        const after = before.slice(0, at) + text + before.slice(at + length)
        const [byHand, byRow] = await both(withHeader(request, name, after))
        expect(byRow.ok).toBe(byHand.ok)
        expect(byHand.ok).toBe(after === before)
        if (!byHand.ok) refused += 1
      }),
      { numRuns: 1000 },
    )
    expect(refused).toBeGreaterThan(500)
  })

  it.each([-301, -300, 0, 300, 301])('both agree on a time %i s away', async (seconds) => {
    const request = await signHmac({ secret: SECRET, body: '{}', timestamp: clock.seconds() + seconds })
    const [byHand, byRow] = await both(toDelivery(request))
    expect([byHand.ok, byRow.ok]).toEqual([Math.abs(seconds) <= 300, Math.abs(seconds) <= 300])
  })
})

function withHeader(request: SignedRequest, name: string, text: string): Delivery {
  return toDelivery({ ...request, headers: { ...request.headers, [name]: text } })
}
