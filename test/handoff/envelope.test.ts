import { describe, expect, it } from 'vitest'
import { type Envelope, fromEnvelope, toEnvelope } from '../../src/handoff/index.ts'
import { defineListener, verify, type WebhookEvent } from '../../src/index.ts'
import { github } from '../../src/schemes/github.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { signAs, toDelivery } from '../../src/testing/index.ts'
import { hmacListener } from '../support/hmac-listener.ts'
import { jwtSender } from '../support/jwt-listener.ts'
import { newKey } from '../support/keys.ts'
import fc from '../support/property.ts'

const ENVELOPE: Envelope = {
  v: 1,
  id: '0b1a8f6e-5a53-4f2c-9b8e-2f1d3c4b5a69',
  listenerId: 'orders',
  sentAt: '2026-11-22T10:00:00.000Z',
  auth: { method: 'hmac', secretId: '2026-11' },
  bodyBase64: 'e30=',
}

async function hmacEvent(body: string): Promise<WebhookEvent<unknown>> {
  const { listener, deliver } = hmacListener()
  return eventOf(await verify(await deliver({ body }), listener))
}

function eventOf(verdict: Awaited<ReturnType<typeof verify>>): WebhookEvent<unknown> {
  if (!verdict.ok) throw new Error('the delivery was refused')
  return verdict.event
}

/** As a queue stores it. */
const throughJson = (envelope: Envelope): unknown => JSON.parse(JSON.stringify(envelope))

describe('an envelope', () => {
  it('an envelope brings an event back from JSON', async () => {
    const event = await hmacEvent('{"a": 1.0}')
    const { id, listenerId, sentAt, auth, rawBody } = event
    expect(fromEnvelope(throughJson(toEnvelope(event)))).toEqual({
      ...{ id, listenerId, sentAt, auth, rawBody },
      type: undefined,
      unsigned: [],
    })
    expect(toEnvelope(event)).toEqual({
      ...{ v: 1, id, listenerId, auth: { method: 'hmac', secretId: 'main' } },
      sentAt: sentAt.toISOString(),
      bodyBase64: Buffer.from('{"a": 1.0}').toString('base64'),
    })
  })

  it('an envelope keeps the exact bytes, whatever they are', async () => {
    const event = await hmacEvent('{}')
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (rawBody) => {
        expect(fromEnvelope(throughJson(toEnvelope({ ...event, rawBody }))).rawBody).toEqual(rawBody)
      }),
    )
  })

  it("an envelope says that an event was asked for at its sender's API, and of whom", async () => {
    const auth = { method: 'api', scheme: 'stripe' } as const
    const envelope = toEnvelope({ ...(await hmacEvent('{}')), auth })
    expect(fromEnvelope(throughJson(envelope)).auth).toEqual(auth)
    expect(() => fromEnvelope({ ...envelope, auth: { method: 'api' } })).toThrow(
      'auth is missing or malformed',
    )
  })

  it("an envelope keeps a sender's type, scheme and list of unsigned fields", async () => {
    const secret = 'a secret of this test'
    const listener = defineListener({ id: 'gh', auth: github({ secrets: secret }), store: memoryStore() })
    const request = await signAs(github, { secret, body: { action: 'opened' } })
    const event = eventOf(await verify(toDelivery(request), listener))
    const back = fromEnvelope(throughJson(toEnvelope(event)))
    expect(back).toMatchObject({ id: event.id, type: event.type, auth: event.auth })
    expect(back.unsigned).toEqual(event.unsigned)
    expect(back.unsigned).toContain('id')
  })

  it('an envelope holds no token, no claim and no signature', async () => {
    const key = newKey('ES256')
    const { deliver, listener } = jwtSender(key)
    const delivery = deliver()
    const envelope = toEnvelope(eventOf(await verify(delivery, listener)))
    expect(envelope.auth).toEqual({ method: 'jwt', keyId: key.publicKey.kid })
    expect(Object.keys(envelope).sort()).toEqual(['auth', 'bodyBase64', 'id', 'listenerId', 'sentAt', 'v'])
    const token = String(delivery.header('authorization')).split('.')
    for (const part of token) expect(JSON.stringify(envelope)).not.toContain(part)
  })
})

describe('fromEnvelope', () => {
  it('fromEnvelope accepts the version that this package writes', () => {
    expect(fromEnvelope(ENVELOPE)).toMatchObject({ id: ENVELOPE.id, rawBody: new Uint8Array([123, 125]) })
  })

  const wrong: readonly (readonly [member: string, values: readonly unknown[]])[] = [
    ['v', [0, 2, '1', undefined]],
    ['id', [1, null, undefined]],
    ['type', [null, 1]],
    ['listenerId', [undefined, {}]],
    ['sentAt', ['', 'yesterday', 1_700_000_000, undefined]],
    [
      'auth',
      [
        ...[undefined, null, 'hmac', { method: 'none' }, { method: 'constructor' }, { method: 'hmac' }],
        ...[
          { method: 'jwt', keyId: 1 },
          { method: 'scheme', scheme: 's', secretId: 'k', covers: 'all' },
        ],
      ],
    ],
    ['unsigned', ['id', ['payload'], [1]]],
    ['bodyBase64', [undefined, 1, 'e30', 'e30==', 'e3-_', 'e31=']],
  ]

  it.each(wrong)('fromEnvelope refuses another %s without quoting it', (member, values) => {
    for (const value of values) {
      expect(() => fromEnvelope({ ...ENVELOPE, [member]: value })).toThrow(
        expect.objectContaining({
          message: `fromEnvelope: ${member} is missing or malformed: pass the result of toEnvelope(), unchanged`,
          code: 'ERR_ENVELOPE',
        }),
      )
    }
  })

  it.each([undefined, null, 1, '{}', JSON.stringify(ENVELOPE)])(
    'fromEnvelope refuses %j, which was not parsed',
    (json) => {
      expect(() => fromEnvelope(json)).toThrow(/parsed from JSON/)
    },
  )

  it('fromEnvelope refuses with an error that has a code, and a link to its entry', () => {
    const link = expect.stringMatching(/errors\.md#err_envelope$/)
    for (const json of [undefined, {}]) {
      expect(() => fromEnvelope(json)).toThrow(expect.objectContaining({ code: 'ERR_ENVELOPE', help: link }))
    }
  })
})
