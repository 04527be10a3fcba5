import { describe, expect, it } from 'vitest'
import { defineListener, verify } from '../../src/index.ts'
import { orb } from '../../src/schemes/orb.ts'
import { memoryStore } from '../../src/stores/memory.ts'

/** The delivery in the tests of Orb's SDKs: orbcorp/orb-python, tests/api_resources/test_webhooks.py. */
const PUBLISHED = {
  secret: 'c-UGKYdnhHh436B_sMouYAPUvXyWpzOdunZBV5dFSD8',
  body: '{"id": "o4mmewpfNNTnjfZc", "created_at": "2024-03-27T15:42:29+00:00", "type": "resource_event.test", "properties": {"message": "A test webhook from Orb. Happy testing!"}}',
  timestamp: '2024-03-27T15:42:29.551',
  signature: '9d25de966891ab0bc18754faf8d83d0980b44ae330fcc130b41a6cf3daf1f391',
}
const SENT = Date.parse('2024-03-27T15:42:29.551Z')

/** Which reason the delivery is refused for, if any. */
async function outcome(signature: string, now = SENT, timestamp = PUBLISHED.timestamp) {
  const clock = { now: () => now }
  const auth = orb({ secrets: PUBLISHED.secret })
  const listener = defineListener({ id: 'orb', auth, store: memoryStore({ clock }), clock })
  const headers: Record<string, string> = { 'x-orb-signature': signature, 'x-orb-timestamp': timestamp }
  const body = Buffer.from(PUBLISHED.body)
  const verdict = await verify(
    { method: 'POST', header: (name) => headers[name], body, sourceIp: undefined },
    listener,
  )
  return verdict.ok ? verdict.event.sentAt.toJSON() : verdict.reason
}

describe('the delivery that Orb publishes', () => {
  const right = `v1=${PUBLISHED.signature}`

  it('is accepted, and its time is in UTC in any zone of this machine', async () => {
    expect(await outcome(right)).toBe('2024-03-27T15:42:29.551Z')
  })

  it('is accepted if its signature is one of several', async () => {
    expect(await outcome(`v1=${'0'.repeat(64)} ${right}`)).toBe('2024-03-27T15:42:29.551Z')
    expect(await outcome(`v2=${PUBLISHED.signature}`)).toBe('signature_mismatch')
  })

  it('is refused after five minutes, and with the zone that it leaves out', async () => {
    expect(await outcome(right, SENT + 302_000)).toBe('timestamp_out_of_range')
    expect(await outcome(right, SENT, `${PUBLISHED.timestamp}Z`)).toBe('signature_mismatch')
  })
})
