import { describe, expect, it } from 'vitest'
import { jobId } from '../../src/handoff/index.ts'
import { defineListener, verify } from '../../src/index.ts'
import { defineScheme } from '../../src/schemes/kit/index.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { signAs, toDelivery } from '../../src/testing/index.ts'

const SECRET = 'a-secret-0123456789'
/** Doubles cannot tell the first from the second. */
const IDS = ['1000000000000000001', '1000000000000000002', '9007199254740993', '9007199254740992']

/** A sender that numbers its events, and signs the time of each attempt, so that no two attempts have the same signed bytes. */
const numbering = defineScheme({
  name: 'numbering',
  sender: 'Numbering',
  secretName: 'secret',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['x-signature'], spelling: 'hex' },
  signs: '{timestamp}.{body}',
  timestamp: { header: 'x-time', unit: 'seconds', of: 'attempt', toleranceSeconds: 300 },
  eventId: { member: '/event/id' },
  maxBodyBytes: 65_536,
  limits: 'The headers are not signed.',
})

const bodyOf = (id: string, more = '') => `{"event":{"id":${id}}${more}}`

describe('an event ID that is a number beyond 2^53', () => {
  const listener = defineListener({ id: 'a', auth: numbering({ secrets: SECRET }), store: memoryStore() })
  const now = Math.floor(Date.now() / 1000)
  const receive = async (body: string, timestamp = now) =>
    verify(toDelivery(await signAs(numbering, { secret: SECRET, body, timestamp })), listener)

  it('each of such IDs is an event of its own, under its own digits, and so is its job', async () => {
    const jobs = new Set<string>()
    for (const id of IDS) {
      const verdict = await receive(bodyOf(id))
      if (!verdict.ok) throw new Error(verdict.detail)
      expect(verdict.event.id).toBe(id)
      jobs.add(jobId(verdict.event))
      await verdict.event.commit()
    }
    expect(jobs.size).toBe(IDS.length)
  })

  it.each(IDS)('another attempt of %s, signed anew and spelt otherwise, is a duplicate', async (id) => {
    const verdicts = [await receive(bodyOf(id), now - 1), await receive(bodyOf(id, ',"attempt":2'))]
    expect(verdicts.map((verdict) => !verdict.ok && verdict.reason)).toEqual(Array(2).fill('event_duplicate'))
  })
})
