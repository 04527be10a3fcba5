import { createHash, createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { twilio } from '../../schemes/twilio.ts'
import { signAs } from '../../src/testing/index.ts'
import { IN_PROGRESS, MISMATCH, type Received, schemeReceiver } from '../support/scheme-receiver.ts'

const SECRET = 'cca588fc3d7dd43381d5694f52d63511'
const URL = 'https://receiver.example/hooks?tenant=7'
const FORM = 'Body=Hi&MessageSid=SM1&NumMedia=0'
const FIELDS = 'BodyHiMessageSidSM1NumMedia0'
const JSON_BODY = '[{"type":"com.twilio.messaging"}]'

const sign = (text: string) => createHmac('sha1', SECRET).update(text).digest('base64')
const withHash = (url: string, body: string) =>
  `${url}${url.includes('?') ? '&' : '?'}bodySHA256=${createHash('sha256').update(body).digest('hex')}`
const receiverAt = (publicUrl: string) => schemeReceiver(twilio({ secrets: SECRET, publicUrl }))

function request(type: 'x-www-form-urlencoded' | 'json', signed: string, body: string): Received {
  return { headers: { 'content-type': `application/${type}`, 'x-twilio-signature': sign(signed) }, body }
}
const form = (signed: string, body = FORM) => request('x-www-form-urlencoded', signed, body)

describe('the URL that Twilio signs', () => {
  it.each([
    ['without its default port', 'https://a.example/in', 'https://a.example:443/in'],
    ['with the default port', 'https://a.example:443/in', 'https://a.example/in'],
    ['without a port that is not the default', 'https://a.example:8443/in?b', 'https://a.example/in?b'],
    ['of plain http', 'http://a.example/in', 'http://a.example:80/in'],
    ['without a path', 'https://a.example', 'https://a.example:443'],
    ['without a slash', 'https://a.example', 'https://a.example/'],
    ['with a query after the host', 'https://a.example?b=c', 'https://a.example/?b=c'],
    ['in capitals', 'https://A.example/In', 'https://a.example/In'],
    ['with an apostrophe', "https://a.example/in?q=it's", 'https://a.example/in?q=it%27s'],
    ['of an IPv6 address', 'https://[::1]/in', 'https://[::1]:443/in'],
    ['with credentials', 'https://me:1@a.example/in', 'https://me:1@a.example:443/in'],
  ])('may be configured %s', async (_, publicUrl, signed) => {
    expect(await receiverAt(publicUrl).receive(form(signed + FIELDS))).toMatchObject({ ok: true })
    expect(await receiverAt(publicUrl).receive(form(publicUrl + FIELDS))).toMatchObject({ ok: true })
  })

  it('ends before the fragment, which tells Twilio how often to retry', async () => {
    const receiver = receiverAt(`${URL}#rc=3&rp=all`)
    expect(await receiver.receive(form(URL + FIELDS))).toMatchObject({ ok: true })
  })

  it.each(['https://a.example:80/in', 'http://a.example/in', 'https://b.example/in', 'https://a.example/IN'])(
    'is the configured one, and not %s',
    async (signed) => {
      expect(await receiverAt('https://a.example/in').receive(form(signed + FIELDS))).toMatchObject(MISMATCH)
    },
  )

  it('is never taken from the request', async () => {
    const forged = 'https://b.example/in'
    const headers = { host: 'b.example', 'x-forwarded-host': 'b.example', ...form(forged + FIELDS).headers }
    expect(await receiverAt(URL).receive({ url: forged, headers, body: FORM })).toMatchObject(MISMATCH)
  })
})

describe('a publicUrl copied from a request for JSON', () => {
  const receiver = () => receiverAt(withHash(URL, JSON_BODY))

  it.each(['[{"type":"another"}]', JSON_BODY])('is right for every body: %s', async (body) => {
    const right = request('json', withHash(URL, body), body)
    expect(await receiver().receive({ ...right, body: `${body} ` })).toMatchObject(MISMATCH)
    expect(await receiver().receive(right)).toMatchObject({ ok: true })
  })

  it('does not turn a captured delivery into a form without fields', async () => {
    const signed = withHash(URL, JSON_BODY)
    expect(await receiver().receive(form(signed, ''))).toMatchObject(MISMATCH)
    expect(await receiver().receive(form(URL, ''))).toMatchObject({ ok: true })
  })
})

describe('JSON from Twilio', () => {
  it.each([URL, 'https://a.example/in'])('is covered by its hash after %s', async (publicUrl) => {
    const receiver = receiverAt(publicUrl)
    const right = request('json', withHash(publicUrl, JSON_BODY), JSON_BODY)
    expect(await receiver.receive({ ...right, body: `${JSON_BODY} ` })).toMatchObject(MISMATCH)
    expect(await receiver.receive(right)).toMatchObject({ ok: true, event: { auth: { covers: 'body' } } })
  })

  it('cannot be replayed as a form whose only field is the hash', async () => {
    const signed = withHash(URL, JSON_BODY)
    for (const [name, value] of [
      ['&', signed.slice(URL.length + 1)],
      ['&bodySHA256', signed.slice(URL.length + '&bodySHA256'.length)],
    ] as const) {
      const body = String(new URLSearchParams({ [name]: value }))
      expect(await receiverAt(URL).receive(form(signed, body))).toMatchObject(MISMATCH)
    }
  })
})

describe('a captured delivery of Twilio', () => {
  it.each([
    ['under another idempotency token', { token: 'another', body: FORM }],
    ['with its fields in another order', { token: 'one', body: FORM.split('&').reverse().join('&') }],
    ['with other percent encodings', { token: 'one', body: FORM.replace('Hi', '%48i') }],
    ['with a letter moved from a name to its value', { token: 'one', body: FORM.replace('a=0', '=a0') }],
  ])('differs from a new one %s', async (_, { token, body }) => {
    const receiver = receiverAt(URL)
    const first = form(URL + FIELDS)
    const sent = { ...first, headers: { ...first.headers, 'i-twilio-idempotency-token': 'one' } }
    expect(await receiver.receive(sent)).toMatchObject({
      ok: true,
      event: { id: 'one', unsigned: ['id'] },
    })
    const again = { ...sent, headers: { ...sent.headers, 'i-twilio-idempotency-token': token }, body }
    expect(await receiver.receive(again)).toMatchObject(IN_PROGRESS)
  })
})

it.each(['application/x-www-form-urlencoded', 'application/json'])(
  'signAs signs as Twilio does: %s',
  async (contentType) => {
    const body = contentType.endsWith('json') ? JSON_BODY : FORM
    const signed = await signAs(twilio, { secret: SECRET, publicUrl: URL, body, contentType })
    expect(await receiverAt(URL).receive(signed)).toMatchObject({ ok: true })
  },
)

it('a malformed form is refused', async () => {
  expect(await receiverAt(URL).receive(form(`${URL}a`, 'a=%zz'))).toMatchObject(MISMATCH)
})
