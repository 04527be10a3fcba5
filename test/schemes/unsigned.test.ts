import { describe, expect, it } from 'vitest'
import { defineListener, type VerdictContext, verify } from '../../src/index.ts'
import { compileScheme } from '../../src/schemes/kit/compile-scheme.ts'
import { defineScheme, type Scheme } from '../../src/schemes/kit/index.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { signAs, toDelivery } from '../../src/testing/index.ts'
import { fakeClock } from '../support/clock.ts'
import { SCHEME_NAMES, schemeFactory } from '../support/schemes.ts'

const rows = await Promise.all(
  SCHEME_NAMES.map(async (name) => {
    const { scheme } = await schemeFactory(name)
    return { name, scheme, unsigned: compileScheme(scheme, { publicUrl: 'https://a.example/' }).unsigned }
  }),
)

const ROW = {
  name: 'acme',
  sender: 'Acme',
  secretName: 'token',
  key: 'text',
  signature: { headers: ['x-token'], spelling: 'hex' },
  signs: '{body}',
  maxBodyBytes: 1000,
  limits: 'The headers are not signed.',
} as const

const SENT: Pick<Scheme, 'eventId' | 'eventType' | 'timestamp'> = {
  eventId: { member: '/id' },
  eventType: { member: '/type' },
  timestamp: { member: '/time', unit: 'seconds', of: 'event' },
}

describe('event.unsigned', () => {
  it.each(rows.filter(({ scheme }) => scheme.covers === 'token' || scheme.algorithm === 'token'))(
    'event.unsigned names everything that $name says, because a token signs nothing',
    ({ scheme: { eventType, timestamp }, unsigned }) => {
      expect(unsigned).toEqual([
        'id',
        ...(eventType === undefined ? [] : ['type']),
        ...(timestamp === undefined ? [] : ['sentAt']),
      ])
    },
  )

  it.each([
    ['a token', { algorithm: 'token' }, ['id', 'type', 'sentAt']],
    ['code that covers a token', { algorithm: 'hmac-sha256', covers: 'token' }, ['id', 'type', 'sentAt']],
    ['code that covers nothing', { algorithm: 'hmac-sha256', covers: 'nothing' }, ['id', 'type', 'sentAt']],
    ['a signature', { algorithm: 'hmac-sha256' }, []],
  ] as const)('event.unsigned depends on what is signed: %s', (_, how, expected) => {
    expect(compileScheme({ ...ROW, ...SENT, ...how }, {}).unsigned).toEqual(expected)
    const withoutAny = compileScheme({ ...ROW, ...how }, {}).unsigned
    expect(withoutAny).toEqual(expected.length > 0 ? ['id'] : [])
  })
})

describe('the event ID in logs', () => {
  async function logged(how: Pick<Scheme, 'algorithm' | 'dedupe' | 'eventId'>, eventId?: string) {
    const clock = fakeClock()
    const told: VerdictContext[] = []
    const acme = defineScheme({ ...ROW, ...how })
    const listener = defineListener({
      id: 'acme',
      auth: acme({ secrets: 'a secret' }),
      store: memoryStore({ clock, maxRecords: 10 }),
      onVerdict: (_, context) => told.push(context),
      clock,
    })
    const signed = await signAs(acme, { secret: 'a secret', body: { id: 'written' }, eventId })
    const verdict = await verify(toDelivery(signed), listener)
    if (!verdict.ok) throw new Error(verdict.detail)
    const [context] = told
    return { id: verdict.event.id, logs: context }
  }

  const DERIVED = /^[0-9a-f]{8}-[0-9a-f]{4}-8/

  it.each(['signed-bytes', 'off'] as const)(
    'the event ID is the one that hookgate derived, if there is none: dedupe %s',
    async (dedupe) => {
      for (const algorithm of ['token', 'hmac-sha256'] as const) {
        const { id, logs } = await logged({ algorithm, dedupe })
        expect(id).toMatch(DERIVED)
        expect(logs?.eventId).toBe(id)
      }
    },
  )

  it('the event ID is the one of the sender, marked as unsigned, if an attacker could have changed it', async () => {
    const eventId = { header: 'x-id' }
    for (const algorithm of ['token', 'hmac-sha256'] as const) {
      for (const dedupe of ['signed-bytes', 'off'] as const) {
        const { id, logs } = await logged({ algorithm, eventId, dedupe }, 'changed')
        expect([id, logs?.eventId]).toEqual(['changed', 'changed'])
        expect(logs?.unsigned).toContain('id')
      }
    }
  })

  it('the event ID is the one of the sender, if it is signed', async () => {
    const eventId = { member: '/id' }
    const { logs } = await logged({ algorithm: 'hmac-sha256', eventId, dedupe: 'off' })
    expect(logs?.eventId).toBe('written')
    expect(logs).not.toHaveProperty('unsigned')
  })
})
