import { createHash, createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { twilio } from '../../src/schemes/twilio.ts'
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
  ])('the URL may be configured %s', async (_, publicUrl, signed) => {
    expect(await receiverAt(publicUrl).receive(form(signed + FIELDS))).toMatchObject({ ok: true })
    expect(await receiverAt(publicUrl).receive(form(publicUrl + FIELDS))).toMatchObject({ ok: true })
  })

  it('the URL ends before the fragment, which tells Twilio how often to retry', async () => {
    const receiver = receiverAt(`${URL}#rc=3&rp=all`)
    expect(await receiver.receive(form(URL + FIELDS))).toMatchObject({ ok: true })
  })

  it.each(['https://a.example:80/in', 'http://a.example/in', 'https://b.example/in', 'https://a.example/IN'])(
    'the URL is the configured one, and not %s',
    async (signed) => {
      expect(await receiverAt('https://a.example/in').receive(form(signed + FIELDS))).toMatchObject(MISMATCH)
    },
  )

  it('the URL is never taken from the request', async () => {
    const forged = 'https://b.example/in'
    const headers = { host: 'b.example', 'x-forwarded-host': 'b.example', ...form(forged + FIELDS).headers }
    expect(await receiverAt(URL).receive({ url: forged, headers, body: FORM })).toMatchObject(MISMATCH)
  })
})

describe('a publicUrl copied from a request for JSON', () => {
  const receiver = () => receiverAt(withHash(URL, JSON_BODY))

  it.each(['[{"type":"another"}]', JSON_BODY])('a publicUrl is right for every body: %s', async (body) => {
    const right = request('json', withHash(URL, body), body)
    expect(await receiver().receive({ ...right, body: `${body} ` })).toMatchObject(MISMATCH)
    expect(await receiver().receive(right)).toMatchObject({ ok: true })
  })

  it('a publicUrl does not turn a captured delivery into a form without fields', async () => {
    const signed = withHash(URL, JSON_BODY)
    expect(await receiver().receive(form(signed, ''))).toMatchObject(MISMATCH)
    expect(await receiver().receive(form(URL, ''))).toMatchObject({ ok: true })
  })
})

describe('JSON from Twilio', () => {
  it.each([URL, 'https://a.example/in'])('JSON is covered by its hash after %s', async (publicUrl) => {
    const receiver = receiverAt(publicUrl)
    const right = request('json', withHash(publicUrl, JSON_BODY), JSON_BODY)
    expect(await receiver.receive({ ...right, body: `${JSON_BODY} ` })).toMatchObject(MISMATCH)
    expect(await receiver.receive(right)).toMatchObject({ ok: true, event: { auth: { covers: 'body' } } })
  })

  it('JSON cannot be replayed as a form whose only field is the hash', async () => {
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
  ])('a captured delivery differs from a new one %s', async (_, { token, body }) => {
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

describe('a field that a form of Twilio repeats', () => {
  // Twilio's libraries sort a field's values and drop equal ones, so that all of these have one signature.
  const signed = `${URL}BodyHiMessageSidSM1`
  const payloadOf = async (body: string) => {
    const verdict = await receiverAt(URL).receive(form(signed, body))
    return verdict.ok ? verdict.event.payload : verdict
  }

  it.each([
    'Body=Hi&MessageSid=SM1&MessageSid=SM1',
    'Body=Hi&Body=H%69&MessageSid=SM1',
    'MessageSid=SM1&Body=Hi&MessageSid=SM1&Body=Hi',
  ])('a value that comes again changes nothing in the payload: %s', async (body) => {
    expect(await payloadOf(body)).toStrictEqual({ Body: 'Hi', MessageSid: 'SM1' })
  })

  it('values in another order change nothing in the payload', async () => {
    const fields = ['Media=b', 'Media=a', 'Media=a%20', 'Media=b']
    const payloads = []
    for (const body of [fields, fields.toReversed()].map((each) => ['AccountSid=AC1', ...each].join('&'))) {
      const verdict = await receiverAt(URL).receive(form(`${URL}AccountSidAC1MediaaMediaa Mediab`, body))
      payloads.push(verdict.ok ? verdict.event.payload : verdict)
    }
    const payload = { AccountSid: 'AC1', Media: ['a', 'a ', 'b'] }
    expect(payloads).toStrictEqual([payload, payload])
  })

  it('a captured form with a value repeated is a duplicate', async () => {
    const { receive } = receiverAt(URL)
    expect(await receive(form(signed, 'Body=Hi&MessageSid=SM1'))).toMatchObject({ ok: true })
    expect(await receive(form(signed, 'Body=Hi&MessageSid=SM1&Body=Hi'))).toMatchObject(IN_PROGRESS)
  })
})

describe('a GET of Twilio', () => {
  const PLAIN = 'https://a.example/in'
  const get = (signed: string, url = signed, more: Partial<Received> = {}): Received => ({
    method: 'GET',
    url: url.replace(/^https?:\/\/[^/?]*/, ''),
    headers: { 'x-twilio-signature': sign(signed) },
    body: '',
    ...more,
  })
  const QUERY = 'CallSid=CA1&From=%2B15017122661&Body=a+b&Body=%C3%BC'
  const FIELDS_OF_QUERY = { CallSid: 'CA1', From: '+15017122661', Body: ['a b', 'ü'] }

  it('a GET has its fields in its query, which Twilio signs as it is', async () => {
    const verdict = await receiverAt(PLAIN).receive(get(`${PLAIN}?${QUERY}`))
    expect(verdict).toMatchObject({ ok: true, event: { payload: FIELDS_OF_QUERY, unsigned: ['id'] } })
    if (verdict.ok) expect(Buffer.from(verdict.event.rawBody).toString()).toBe(QUERY)
  })

  it.each([
    ['without its default port', PLAIN, 'https://a.example:443/in'],
    ['with the default port', 'https://a.example:443/in', PLAIN],
    ['without a path', 'https://a.example', 'https://a.example/'],
    ['with a fragment', `${PLAIN}#rc=3`, PLAIN],
    ['with a bodySHA256', withHash(PLAIN, '{}'), PLAIN],
  ])('publicUrl gives origin and path, which may be configured %s', async (_, publicUrl, signed) => {
    expect(await receiverAt(publicUrl).receive(get(`${signed}?${QUERY}`))).toMatchObject({ ok: true })
  })

  it('a GET never takes origin and path from the request', async () => {
    const forged = 'https://b.example/in'
    const url = `${forged}?${QUERY}`
    expect(await receiverAt(PLAIN).receive({ ...get(url), url })).toMatchObject(MISMATCH)
    expect(await receiverAt(PLAIN).receive({ ...get(`${PLAIN}?${QUERY}`), url })).toMatchObject({ ok: true })
  })

  it('a GET has the parameters of publicUrl in its query too, in any order', async () => {
    const payload = { tenant: '7', ...FIELDS_OF_QUERY }
    for (const query of [`tenant=7&${QUERY}`, `${QUERY}&tenant=7`]) {
      const verdict = await receiverAt(URL).receive(get(`https://receiver.example/hooks?${query}`))
      expect(verdict).toMatchObject({ ok: true, event: { payload } })
    }
    for (const query of [QUERY, `tenant=70&${QUERY}`, `tenant=&${QUERY}`, `xtenant=7&${QUERY}`, 'tenant=7']) {
      const other = get(`https://receiver.example/hooks?${query}`)
      const refused = { ...MISMATCH, detail: expect.stringContaining('another query than publicUrl') }
      if (query !== 'tenant=7') expect(await receiverAt(URL).receive(other)).toMatchObject(refused)
    }
  })

  it.each([
    ['has another value', `${QUERY}&a=b`],
    ['is spelled otherwise', QUERY.replace('%2B', '%2b')],
    ['is in another order', QUERY.split('&').reverse().join('&')],
    ['is missing', ''],
  ])('a GET is refused if its query %s', async (_, query) => {
    const request = get(`${PLAIN}?${QUERY}`, `${PLAIN}?${query}`)
    expect(await receiverAt(PLAIN).receive(request)).toMatchObject(MISMATCH)
    expect(await receiverAt(PLAIN).receive(get(`${PLAIN}?`))).toMatchObject(MISMATCH)
    expect(await receiverAt(PLAIN).receive(get(PLAIN))).toMatchObject(MISMATCH)
  })

  it.each(['a=%zz', 'a=%ff', '%'])('a GET is refused if its query is no form: %s', async (query) => {
    expect(await receiverAt(PLAIN).receive(get(`${PLAIN}?${query}`))).toMatchObject(MISMATCH)
  })

  it('a GET has at most 8,192 characters of URL', async () => {
    const path = '/in?a='
    for (const [length, verdict] of [
      [8192, { ok: true }],
      [8193, MISMATCH],
    ] as const) {
      const url = path.padEnd(length, 'a')
      expect(await receiverAt(PLAIN).receive(get(`https://a.example${url}`))).toMatchObject(verdict)
    }
  })

  it('a GET has no body', async () => {
    const request = get(`${PLAIN}?${QUERY}`, undefined, { body: 'a=b' })
    expect(await receiverAt(PLAIN).receive(request)).toMatchObject({ status: 405, reason: 'method_not_post' })
  })

  it.each(['HEAD', 'PUT', 'get'])('a GET is no %s', async (method) => {
    const request = get(`${PLAIN}?${QUERY}`, undefined, { method })
    expect(await receiverAt(PLAIN).receive(request)).toMatchObject({ status: 405 })
  })

  it('a GET is a duplicate under another idempotency token', async () => {
    const { receive } = receiverAt(PLAIN)
    const request = get(`${PLAIN}?${QUERY}`)
    const again = { ...request, headers: { ...request.headers, 'i-twilio-idempotency-token': 'another' } }
    expect(await receive(request)).toMatchObject({ ok: true })
    expect(await receive(again)).toMatchObject(IN_PROGRESS)
  })
})

describe('a captured delivery of Twilio by another method', () => {
  const urls = [
    'https://a.example',
    'https://a.example/in',
    'https://a.example:443/in',
    'https://a.example/in?b=c',
    'https://a.example?b=c',
    'https://a.example/in?b=c&d=e',
    'https://a.example/in?',
    'https://a.example/in?b=c&',
    "https://a.example/in?q=it's",
    withHash('https://a.example/in', '{}'),
  ]
  /** What may follow the URL in the signed text: fields of a form, of a query, and a hash. */
  const ENDS = [
    '',
    'AccountSidACBodyHi',
    '&AccountSid=AC&Body=Hi',
    '?AccountSid=AC&Body=Hi',
    'AccountSidAC&b=c&d=e&q=it%27s',
    '/?AccountSid=AC',
    ':443/in?AccountSid=AC',
    ...['?', '&'].map((divider) => withHash('', '{}').replace('?', divider)),
  ]
  const bases = urls
    .flatMap((url) => [url, globalThis.URL.parse(url)?.href ?? ''])
    .flatMap((url) => [
      url,
      url.replace('a.example/', 'a.example:443/').replace('a.example?', 'a.example:443?'),
      url.replace(':443', ''),
    ])
  const texts = [...new Set(bases.flatMap((base) => ENDS.map((end) => base + end)))]

  /** Every request of a method whose signed text could be this one. */
  const asPost = (text: string): readonly Received[] =>
    Array.from({ length: text.length + 1 }, (_, at) => {
      const end = text.slice(at)
      return form(text, end === '' ? '' : String(new URLSearchParams({ [end]: '' })))
    })
  const asJson = (text: string): readonly Received[] => [request('json', text, '{}')]
  const asGet = (text: string): readonly Received[] => {
    const query = text.indexOf('?')
    const headers = { 'x-twilio-signature': sign(text) }
    return query < 0 ? [] : [{ method: 'GET', url: `/in${text.slice(query)}`, headers, body: '' }]
  }
  const isTaken = async (publicUrl: string, requests: readonly Received[]) => {
    const receiver = receiverAt(publicUrl)
    for (const each of requests) if ((await receiver.receive(each)).ok) return true
    return false
  }

  it.each(urls)('a captured delivery is never accepted: to %s', async (publicUrl) => {
    let taken = 0
    for (const text of texts) {
      const ways = [
        await isTaken(publicUrl, asPost(text)),
        await isTaken(publicUrl, asJson(text)),
        await isTaken(publicUrl, asGet(text)),
      ].filter(Boolean).length
      expect(ways, text).toBeLessThanOrEqual(1)
      taken += ways
    }
    expect(taken).toBeGreaterThan(2)
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

describe('the query of a request to Twilio’s URL', () => {
  const PLAIN = 'https://a.example/in'
  const WITH_SID = 'AccountSid=AC1&Body=Hi'
  const SIGNED_SID = 'AccountSidAC1BodyHi'

  it('the query may be missing, and the form needs no AccountSid then', async () => {
    expect(await receiverAt(PLAIN).receive({ ...form(PLAIN + FIELDS), url: '/in' })).toMatchObject({
      ok: true,
    })
  })

  it.each([
    ["?q=it's", '?q=it%27s'],
    ["?q=it's", "?q=it's"],
    ['?a="<b>"', '?a=%22%3Cb%3E%22'],
  ])('%s may be signed as %s', async (query, signed) => {
    const post = { ...form(PLAIN + signed + SIGNED_SID, WITH_SID), url: `/in${query}` }
    const { receive } = receiverAt(PLAIN)
    expect(await receive(post)).toMatchObject({ ok: true })
    expect(await receive({ ...post, url: `/in${signed}` })).toMatchObject(IN_PROGRESS)
    expect(await receive({ ...post, url: `/in${query}x` })).toMatchObject(MISMATCH)
  })

  it('the query may be the configured one, sorted by name as Twilio sends it', async () => {
    const publicUrl = `${PLAIN}?b=2&a=%41&b=1`
    const at = (query: string) =>
      receiverAt(publicUrl).receive({ ...form(publicUrl + FIELDS), url: `/in${query}` })
    expect(await at('?b=2&a=%41&b=1')).toMatchObject({ ok: true })
    expect(await at('?a=%41&b=2&b=1')).toMatchObject({ ok: true })
    for (const other of [
      '?a=%41&b=1&b=2',
      '?b=2&b=1&a=%41',
      '?a=A&b=2&b=1',
      '?a=%41&b=2',
      '?a=%41&b=2&b=1&',
      '',
    ]) {
      expect(await at(other), other).toMatchObject(MISMATCH)
    }
  })
})

describe('the hash that Twilio adds to the URL of JSON', () => {
  const PLAIN = 'https://a.example/in'
  const hash = withHash('', JSON_BODY).slice(1)
  const receive = (publicUrl: string, signedUrl: string, url: string) =>
    receiverAt(publicUrl).receive({ ...request('json', withHash(signedUrl, JSON_BODY), JSON_BODY), url })

  it.each([PLAIN, `${PLAIN}?b=c`])('the hash follows the query of the request to %s', async (publicUrl) => {
    for (const added of ['', `&${hash}`]) {
      expect(await receive(publicUrl, `${PLAIN}?b=c`, `/in?b=c${added}`)).toMatchObject({ ok: true })
    }
    for (const other of [`?${hash}`, `%26${hash}`, `&${hash}&`, `&${hash.toUpperCase()}`]) {
      expect(await receive(publicUrl, `${PLAIN}?b=c`, `/in?b=c${other}`), other).toMatchObject(MISMATCH)
    }
  })

  it('the hash begins the query if there is no other', async () => {
    for (const query of ['', `?${hash}`]) {
      expect(await receive(PLAIN, PLAIN, `/in${query}`)).toMatchObject({ ok: true })
    }
    expect(await receive(PLAIN, PLAIN, `/in?&${hash}`)).toMatchObject(MISMATCH)
  })
})
