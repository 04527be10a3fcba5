import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { defineScheme, type Scheme } from '../../src/schemes/kit/index.ts'
import { fakeClock } from '../support/clock.ts'
import { DUPLICATE, MISMATCH, schemeReceiver } from '../support/scheme-receiver.ts'

const ROW: Scheme = {
  name: 'acme',
  sender: 'Acme',
  secretName: 'signing key',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['x-acme-signature'], spelling: 'hex' },
  signs: '{id}.{timestamp}.{body}',
  timestamp: { header: 'x-acme-time', unit: 'seconds', of: 'attempt', toleranceSeconds: 300 },
  eventId: { header: 'x-acme-id' },
  eventType: { header: 'x-acme-type' },
  otherHeaders: {
    'x-acme-signature': 'acme-signature',
    'x-acme-time': 'acme-time',
    'x-acme-id': 'acme-id',
    'x-acme-type': 'acme-type',
  },
  maxBodyBytes: 1024,
  limits: 'The type is not signed.',
}
const SECRET = 'a secret of this test'
const BODY = '{"a":1}'

describe('a sender with two families of headers', () => {
  const clock = fakeClock()
  const signed = (prefix: string, id = 'a') => {
    const time = `${clock.seconds()}`
    const signature = createHmac('sha256', SECRET).update(`${id}.${time}.${BODY}`).digest('hex')
    return {
      'content-type': 'application/json',
      [`${prefix}acme-signature`]: signature,
      [`${prefix}acme-time`]: time,
      [`${prefix}acme-id`]: id,
      [`${prefix}acme-type`]: 'made',
    }
  }
  const { receive } = schemeReceiver(defineScheme(ROW)({ secrets: SECRET }), clock)
  const send = (headers: { readonly [name: string]: string | undefined }) => receive({ headers, body: BODY })

  it.each(['x-', ''])(
    'is read by the names of the family with which a delivery comes: %s',
    async (prefix) => {
      const verdict = await send(signed(prefix, `id of ${prefix}`))
      const event = { id: `id of ${prefix}`, type: 'made', unsigned: ['type'] }
      expect(verdict).toMatchObject({ ok: true, event })
    },
  )

  it('has one event for an ID that comes with both', async () => {
    const verdict = await send(signed('x-', 'the same'))
    if (verdict.ok) await verdict.event.commit()
    expect(await send(signed('', 'the same'))).toMatchObject(DUPLICATE)
  })

  it.each([
    ['time', { 'acme-time': undefined }],
    ['ID', { 'acme-id': undefined }],
  ])("is asked for the other family's %s", async (_, without) => {
    expect(await send({ ...signed(''), ...without })).toMatchObject({ reason: 'header_missing', status: 400 })
  })

  it.each(['acme-signature', 'acme-time', 'acme-id', 'acme-type'])(
    'is refused when a delivery of the first family also has %s',
    async (name) => {
      expect(await send({ ...signed('x-', name), [name]: signed('', name)[name] })).toMatchObject(MISMATCH)
    },
  )

  it.each(['x-acme-signature', 'x-acme-time', 'x-acme-id', 'x-acme-type'])(
    'is refused when a delivery of the other family also has %s',
    async (name) => {
      const verdict = await send({ ...signed('', name), [name]: signed('x-', name)[name] })
      expect(verdict).toMatchObject({ ok: false })
      expect(['signature_mismatch', 'header_missing']).toContain(
        verdict.ok || verdict.handshake || verdict.reason,
      )
    },
  )

  it('cannot borrow the time of the other family', async () => {
    const { 'x-acme-time': _, ...headers } = signed('x-', 'borrowed')
    expect(await send({ ...headers, 'acme-time': `${clock.seconds()}` })).toMatchObject({ ok: false })
  })

  it.each([
    ['a list', ['acme-signature']],
    ['nothing', {}],
    ['upper case', { 'x-acme-signature': 'Acme-Signature' }],
    ['a name of both families', { 'x-acme-signature': 'x-acme-time', 'x-acme-time': 'acme-time' }],
    ['a number', { 'x-acme-signature': 1 }],
  ])('is refused at the start if its names are %s', (_, otherHeaders) => {
    expect(() => defineScheme({ ...ROW, otherHeaders: otherHeaders as never })).toThrow(/^otherHeaders/)
  })
})
