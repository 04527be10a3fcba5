import { sign } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Fetch } from '../../src/jwt.ts'
import { crc32 } from '../../src/lib/crc32.ts'
import { type PaypalOptions, paypal } from '../../src/schemes/paypal.ts'
import { certificateOf } from '../support/certificate.ts'
import { fakeClock } from '../support/clock.ts'
import { unavailable } from '../support/jwt-listener.ts'
import { newKey } from '../support/keys.ts'
import { IN_PROGRESS, MISMATCH, schemeReceiver } from '../support/scheme-receiver.ts'

const KEY = newKey('RS256')
const PEM = certificateOf(KEY.publicKey)
const CERTIFICATE = 'https://api.paypal.com/v1/notifications/certs/CERT-360caa42-fca2a594-1d93a270'

interface Sending {
  readonly id?: string
  readonly time?: string
  readonly url?: string
  readonly body?: string
  readonly algorithm?: string
}

function receiver(answer: () => Response = () => new Response(PEM), options: Partial<PaypalOptions> = {}) {
  const asked: string[] = []
  const fetch: Fetch = async (url) => {
    asked.push(url)
    return answer()
  }
  const clock = fakeClock()
  const { receive } = schemeReceiver(paypal({ webhookId: 'WEBHOOK', fetch, clock, ...options }), clock)
  const send = ({
    id = 'transmission-1',
    time,
    url = CERTIFICATE,
    body = '{"id":"WH-1"}',
    algorithm = 'SHA256withRSA',
  }: Sending = {}) => {
    const at = time ?? new Date(clock.now()).toISOString()
    const message = Buffer.from(`${id}|${at}|WEBHOOK|${crc32(Buffer.from(body))}`)
    const headers = {
      'paypal-transmission-id': id,
      'paypal-transmission-time': at,
      'paypal-auth-algo': algorithm,
      'paypal-cert-url': url,
      'paypal-transmission-sig': sign('sha256', message, KEY.keyObject).toString('base64'),
    }
    return receive({ headers, body })
  }
  return { asked, clock, send }
}

describe('the certificate of PayPal', () => {
  it('the certificate is fetched once, and the event lists its unsigned values', async () => {
    const { asked, send } = receiver()
    const bodies = Array.from({ length: 20 }, (_, index) => `{"id":"WH-${index}"}`)
    for (const verdict of await Promise.all(bodies.map((body, index) => send({ id: `t-${index}`, body })))) {
      const auth = { method: 'scheme', scheme: 'paypal', secretId: CERTIFICATE, covers: 'values' }
      expect(verdict).toMatchObject({ ok: true, event: { auth, unsigned: ['id', 'type'] } })
    }
    expect(asked).toEqual([CERTIFICATE])
  })

  it.each(['api.sandbox.', 'api-m.', 'api-m.sandbox.'])('the host may be %spaypal.com', async (host) => {
    const { send } = receiver()
    const url = CERTIFICATE.replace('api.', host)
    expect(await send({ url })).toMatchObject({ ok: true })
  })

  it.each([
    'https://www.paypal.com/v1/notifications/certs/CERT-1',
    'https://api.paypal.com/v1/notifications/certs/',
    'https://api.paypal.com/v1/notifications/certs/../../oauth2/token',
    'https://api.paypal.com/v1/notifications/certs/CERT-1?a=b',
    'https://api.paypal.com/v1/notifications/certs/CERT-1#a',
    'https://apiXpaypal.com/v1/notifications/certs/CERT-1',
    'https://api.paypal.com:443/v1/notifications/certs/CERT-1',
    'HTTPS://api.paypal.com/v1/notifications/certs/CERT-1',
    ` ${CERTIFICATE}`,
    `${CERTIFICATE}\n`,
    `${CERTIFICATE}${'0'.repeat(100)}`,
  ])('the certificate is never fetched from %j', async (url) => {
    const { asked, send } = receiver()
    expect(await send({ url })).toMatchObject(MISMATCH)
    expect(asked).toEqual([])
  })

  it('the certificate may be configured by its URL, and is then never fetched', async () => {
    const { asked, send } = receiver(undefined, { certificates: { [CERTIFICATE]: PEM } })
    expect(await send()).toMatchObject({ ok: true, event: { auth: { secretId: CERTIFICATE } } })
    expect(asked).toEqual([])
    expect(await send({ id: 't-2', body: '{"id":"WH-2"}', url: `${CERTIFICATE}0` })).toMatchObject({
      ok: true,
    })
    expect(asked).toEqual([`${CERTIFICATE}0`])
  })

  it('a proxy that refuses to fetch the certificate is a 503', async () => {
    const { send } = receiver(() => new Response('', { status: 403 }))
    await expect(send()).rejects.toMatchObject(unavailable(/^PayPal answered with status 403$/, 30))
  })

  it('a certificate that is not available is a 503, and is requested once in 30 s', async () => {
    const { asked, send } = receiver(() => new Response('', { status: 500 }))
    for (let count = 0; count < 3; count += 1) {
      await expect(send()).rejects.toMatchObject(unavailable(/^PayPal answered with status 500$/, 30))
    }
    expect(asked).toEqual([CERTIFICATE])
  })
})

describe('a transmission of PayPal', () => {
  it('a transmission is accepted once, and so is an event', async () => {
    const { send } = receiver()
    expect(await send()).toMatchObject({ ok: true, event: { id: 'WH-1' } })
    expect(await send()).toMatchObject(IN_PROGRESS)
    expect(await send({ id: 'transmission-2' })).toMatchObject(IN_PROGRESS)
    expect(await send({ id: 'transmission-3', body: '{"id":"WH-2"}' })).toMatchObject({ ok: true })
  })

  it('a transmission is accepted once, whatever body with the same checksum comes with it', async () => {
    const bodies = ['{"id":"plumless"}', '{"id":"buckeroo"}']
    expect(new Set(bodies.map((body) => crc32(Buffer.from(body)))).size).toBe(1)
    const { send } = receiver()
    expect(await send({ body: bodies[0] ?? '' })).toMatchObject({ ok: true })
    expect(await send({ body: bodies[1] ?? '' })).toMatchObject(IN_PROGRESS)
  })

  it.each(['SHA1withRSA', 'sha256withrsa', ''])('the algorithm %j is refused', async (algorithm) => {
    expect(await receiver().send({ algorithm })).toMatchObject(MISMATCH)
  })

  it('a transmission may be of any age: PayPal documents no tolerance', async () => {
    const sentAt = new Date('2024-02-29T00:00:00Z')
    const verdict = await receiver().send({ time: '2024-02-29T00:00:00Z' })
    expect(verdict).toMatchObject({ ok: true, event: { sentAt } })
    expect(await receiver().send({ time: 'yesterday' })).toMatchObject({ reason: 'timestamp_malformed' })
  })
})

it.each([
  ['webhookId', {}],
  ['webhookId', { webhookId: '' }],
  ['secrets', { webhookId: 'WEBHOOK', secrets: 'a secret' }],
  ['timeoutSeconds', { webhookId: 'WEBHOOK', timeoutSeconds: 0 }],
])('paypal() names the option %s: %j', (option, options) => {
  expect(() => paypal(options as unknown as PaypalOptions)).toThrowError(expect.objectContaining({ option }))
})

it.each([
  ['that are no PEM', { [CERTIFICATE]: 'a.pem' }, `certificates["${CERTIFICATE}"]`],
  ['of another host', { 'https://evil.example/a.pem': PEM }, 'certificates["https://evil.example/a.pem"]'],
])('paypal() refuses certificates %s', (_, certificates, option) => {
  expect(() => paypal({ webhookId: 'WEBHOOK', certificates: { ...certificates } })).toThrowError(
    expect.objectContaining({ option }),
  )
})
