import { createHash, createHmac } from 'node:crypto'
import { describe, expect, it, vi } from 'vitest'
import type { Authenticator, Verdict } from '../../src/index.ts'
import { contentful } from '../../src/schemes/contentful.ts'
import { hubspot } from '../../src/schemes/hubspot.ts'
import { defineScheme, type Scheme, type SchemeOptions } from '../../src/schemes/kit/index.ts'
import { qstash } from '../../src/schemes/qstash.ts'
import { rfc9421 } from '../../src/schemes/rfc9421.ts'
import { square } from '../../src/schemes/square.ts'
import { trello } from '../../src/schemes/trello.ts'
import { twilio } from '../../src/schemes/twilio.ts'
import { signAs } from '../../src/testing/index.ts'
import { fakeClock } from '../support/clock.ts'
import fc from '../support/property.ts'
import { MISMATCH, type Received, schemeReceiver } from '../support/scheme-receiver.ts'

const SECRET = 'cca588fc3d7dd43381d5694f52d63511'
const PUBLIC = 'https://e.example/webhooks/in'
const FORM = 'AccountSid=AC0123&Body=Hi+there&MessageSid=SM1'
const clock = fakeClock()
const nowSeconds = () => Math.floor(clock.now() / 1000)

interface Options {
  readonly secrets: string
  readonly publicUrl: string
}
type Factory = ((options: Options) => Authenticator) & {
  readonly scheme: Parameters<typeof signAs>[0]['scheme']
}

interface Sender {
  readonly name: string
  readonly factory: Factory
  readonly body: string
  readonly contentType?: string
}

const createdAt = new Date(clock.now()).toISOString()
const signingAll = Object.assign(
  (options: Options) =>
    rfc9421({ ...options, requiredComponents: ['@method', '@target-uri', 'content-type'] }),
  { scheme: rfc9421.scheme },
)
const SENDERS: readonly Sender[] = [
  { name: 'Contentful', factory: contentful, body: '{"sys":{"id":"one"}}' },
  { name: 'HubSpot', factory: hubspot, body: '[{"eventId":1}]' },
  { name: 'QStash', factory: qstash, body: '{"a":1}' },
  { name: 'RFC 9421', factory: signingAll, body: '{"a":1}' },
  { name: 'Square', factory: square, body: `{"event_id":"1","type":"a","created_at":"${createdAt}"}` },
  { name: 'Trello', factory: trello, body: '{"action":{"id":"1","type":"a"}}' },
  { name: 'Twilio with a form', factory: twilio, body: FORM },
  { name: 'Twilio with JSON', factory: twilio, body: '{"a":1}', contentType: 'application/json' },
]

const TARGET = '/webhooks/in'
const REFUSED = { ok: false, status: 401 }

describe.each(SENDERS)('the URL that $name signs', ({ factory, body, contentType }) => {
  const receiver = (publicUrl: string) => schemeReceiver(factory({ secrets: SECRET, publicUrl }), clock)
  const signed = async (publicUrl: string): Promise<Received> => {
    const timestamp = nowSeconds()
    const type = contentType === undefined ? {} : { contentType }
    const { headers } = await signAs(factory, { secret: SECRET, publicUrl, body, timestamp, ...type })
    return { headers, body }
  }
  const answer = async (publicUrl: string, signedUrl: string, change: Partial<Received>): Promise<Verdict> =>
    receiver(publicUrl).receive({ ...(await signed(signedUrl)), ...change })

  it.each(['?id=12345', '?id=1&id=2', '?a=%7e&b=%7E', '?A=%2b+', '?=', '?&&', '?a=[1]{2}|^`\\'])(
    'the URL ends with the query of the request if publicUrl has none: %s',
    async (query) => {
      for (const url of [TARGET + query, `https://other.example/x${query}`, `//x${query}`]) {
        expect(await answer(PUBLIC, PUBLIC + query, { url })).toMatchObject({ ok: true })
      }
      for (const other of [
        '',
        `${query}x`,
        `${query}&x`,
        `?x&${query.slice(1)}`,
        '?id=2',
        query.toLowerCase(),
      ]) {
        if (other === query) continue
        expect(await answer(PUBLIC, PUBLIC + query, { url: TARGET + other }), other).toMatchObject(REFUSED)
        expect(await answer(PUBLIC, PUBLIC + other, { url: TARGET + query }), other).toMatchObject(REFUSED)
      }
    },
  )

  it.each(['?a=b?c=d', '?a?'])(
    'the URL may have another question mark, unless it is not signed: %s',
    async (query) => {
      const isWhole = factory !== contentful
      expect(await answer(PUBLIC, PUBLIC + query, { url: TARGET + query })).toMatchObject({ ok: isWhole })
      expect(await answer(PUBLIC + query, PUBLIC + query, { url: TARGET + query })).toMatchObject({
        ok: true,
      })
      for (const other of ['', '?', `${query}x`, '?x', ...(isWhole ? [query.slice(0, -1)] : [])]) {
        expect(await answer(PUBLIC, PUBLIC + query, { url: TARGET + other }), other).toMatchObject(REFUSED)
      }
    },
  )

  it('the URL is publicUrl if the request has no query, or its host does not know', async () => {
    for (const url of [TARGET, undefined]) {
      expect(await answer(PUBLIC, PUBLIC, { url })).toMatchObject({ ok: true })
      expect(await answer(PUBLIC, `${PUBLIC}?a`, { url })).toMatchObject(REFUSED)
    }
  })

  it('the URL has the query of publicUrl, and no other', async () => {
    const configured = `${PUBLIC}?tenant=7`
    for (const url of [`${TARGET}?tenant=7`, undefined]) {
      expect(await answer(configured, configured, { url })).toMatchObject({ ok: true })
    }
    for (const query of ['', '?', '?tenant=8', '?tenant', '?tenant=7&a=b', '?tenant=%37', '?a=b&tenant=7']) {
      for (const signedUrl of [configured, PUBLIC + query, configured + query.replace('?', '&')]) {
        const verdict = await answer(configured, signedUrl, { url: TARGET + query })
        expect(verdict, `${query} ${signedUrl}`).toMatchObject(REFUSED)
      }
    }
  })

  it.each(['?tenant=8', '?', ''])(
    'the URL is told in the detail, if the request does not have it: %s',
    async (query) => {
      const configured = `${PUBLIC}?tenant=7`
      expect(await answer(configured, configured, { url: TARGET + query })).toMatchObject({
        detail: expect.stringContaining('another query than publicUrl'),
      })
    },
  )

  it('the URL never has a path or an origin of the request', async () => {
    for (const url of ['/other?id=1', 'https://other.example/webhooks/in?id=1']) {
      const signedUrl = new URL(url, PUBLIC).href
      if (factory === contentful && signedUrl.includes(TARGET)) continue // it signs no origin
      expect(await answer(PUBLIC, signedUrl, { url })).toMatchObject(REFUSED)
    }
  })

  it.each(['%3f', '%3F'])('the URL does not end its path at %s', async (mark) => {
    for (const path of [`${TARGET}${mark}id=1`, `${TARGET}${mark}id=1?`, `${TARGET}${mark}?id=2`]) {
      expect(await answer(PUBLIC, `${PUBLIC}?id=1`, { url: path })).toMatchObject(REFUSED)
    }
    expect(await answer(PUBLIC, `${PUBLIC}?a`, { url: `${TARGET}?a${mark}` })).toMatchObject(REFUSED)
    for (const query of ['', '?id=1']) {
      const verdict = await answer(PUBLIC, PUBLIC + query, { url: `${TARGET}${mark}a=b${query}` })
      expect(verdict).toMatchObject({ ...REFUSED, detail: expect.stringContaining('question mark') })
    }
  })

  it.each(['?id=1#', '?id=1#x', '#?id=1', '?id=1 ', '?id= 1', '?id=1\u0000', '?id=\u00e9'])(
    'the URL is not read from a request whose target is no URL: %j',
    async (end) => {
      expect(await answer(PUBLIC, `${PUBLIC}?id=1`, { url: TARGET + end })).toMatchObject(REFUSED)
      expect(await answer(PUBLIC, PUBLIC, { url: TARGET + end })).toMatchObject(REFUSED)
    },
  )

  it('the URL has at most 8,192 characters', async () => {
    for (const [length, expected] of [
      [8192, { ok: true }],
      [8193, REFUSED],
    ] as const) {
      const target = `${TARGET}?id=`.padEnd(length, '1')
      const signedUrl = PUBLIC + target.slice(TARGET.length)
      if (signedUrl.length > 6000 && factory.scheme.name === 'qstash') continue // its token is over its own limit
      expect(await answer(PUBLIC, signedUrl, { url: target })).toMatchObject(expected)
    }
  })

  it('the URL is refused with another body or method', async () => {
    const url = `${TARGET}?id=1`
    const signedUrl = `${PUBLIC}?id=1`
    for (const change of [{ body: `${body} ` }, { body: `1${body}` }, { method: 'GET' }, { method: 'PUT' }]) {
      const verdict = await answer(PUBLIC, signedUrl, { url, ...change })
      expect(verdict.ok, JSON.stringify(change)).toBe(false)
    }
  })
})

it('a path may have an encoded question mark, if that of publicUrl has one', async () => {
  const publicUrl = 'https://e.example/a%3Fb'
  const body = `{"event_id":"1","type":"a","created_at":"${createdAt}"}`
  const { headers } = await signAs(square, { secret: SECRET, publicUrl: `${publicUrl}?id=1`, body })
  const { receive } = schemeReceiver(square({ secrets: SECRET, publicUrl }), clock)
  expect(await receive({ headers, body, url: '/a%3Fb?id=1' })).toMatchObject({ ok: true })
})

it.each(['https://e.example/a%3Fb', 'https://e.example/a%3fb?c=d'])(
  'HubSpot would sign %s as a URL with another path, so it is refused at the start',
  (publicUrl) => {
    expect(() => hubspot({ secrets: SECRET, publicUrl })).toThrow('%3F')
    expect(() => square({ secrets: SECRET, publicUrl })).not.toThrow()
  },
)

it('HubSpot decodes the query that it signs', async () => {
  const { headers } = await signAs(hubspot, {
    secret: SECRET,
    publicUrl: `${PUBLIC}?next=/x?y`,
    body: '[]',
    timestamp: nowSeconds(),
  })
  const { receive } = schemeReceiver(hubspot({ secrets: SECRET, publicUrl: PUBLIC }), clock)
  expect(await receive({ headers, body: '[]', url: `${TARGET}?next=%2Fx%3Fy` })).toMatchObject({ ok: true })
})

describe('the query of an HTTP message signature', () => {
  const target = '/webhooks/in?id=1&b=c%20d'
  const baseOver = (component: string, value: string) => {
    const digest = `sha-256=:${createHash('sha256').update('{}').digest('base64')}:`
    const parameters = `(${component} "content-digest");created=${nowSeconds()}`
    const base = `${component}: ${value}\n"content-digest": ${digest}\n"@signature-params": ${parameters}`
    const mac = createHmac('sha256', SECRET).update(base).digest('base64')
    return {
      'content-type': 'application/json',
      'content-digest': digest,
      'signature-input': `a=${parameters}`,
      signature: `a=:${mac}:`,
    }
  }
  const receiveAt = (publicUrl: string, component: string, value: string, url: string) =>
    schemeReceiver(rfc9421({ secrets: SECRET, publicUrl }), clock).receive({
      headers: baseOver(component, value),
      body: '{}',
      url,
    })

  it.each([
    ['"@target-uri"', PUBLIC + target.slice(TARGET.length)],
    ['"@request-target"', target],
    ['"@query"', '?id=1&b=c%20d'],
    ['"@query-param";name="b"', 'c%20d'],
  ])('the query is that of the request under %s', async (component, value) => {
    expect(await receiveAt(PUBLIC, component, value, target)).toMatchObject({ ok: true })
    expect(await receiveAt(PUBLIC, component, value, `${target}e`)).toMatchObject(MISMATCH)
    expect(await receiveAt(PUBLIC, component, value, TARGET)).toMatchObject(MISMATCH)
    const configured = `${PUBLIC}?id=1&b=c%20d`
    expect(await receiveAt(configured, component, value, target)).toMatchObject({ ok: true })
    expect(await receiveAt(configured, component, value, `${target}&e`)).toMatchObject(MISMATCH)
  })

  it('the query is read once, however many of its parameters a stranger names', async () => {
    const names = Array.from({ length: 100 }, (_, index) => index.toString(36))
    const components = names.map((name) => `"@query-param";name="${name}"`).join(' ')
    const encoded = vi.spyOn(URLSearchParams.prototype, 'toString')
    const verdict = await receiveAt(
      PUBLIC,
      components,
      'forged',
      `${TARGET}?${names.join('&')}${'&+'.repeat(3000)}`,
    )
    expect(verdict).toMatchObject(MISMATCH)
    expect(encoded.mock.calls.length).toBeGreaterThan(3000)
    expect(encoded.mock.calls.length).toBeLessThan(4000)
  })

  it.each(['"@path"', '"@authority"'])('the query is not covered by %s', async (component) => {
    const value = component === '"@path"' ? TARGET : 'e.example'
    expect(await receiveAt(PUBLIC, component, value, `${target}e`)).toMatchObject({ ok: true })
    expect(await receiveAt(`${PUBLIC}?a`, component, value, `${target}e`)).toMatchObject({ ok: true })
  })
})

const row = (signs: string, more: Partial<Scheme> = {}): Scheme => ({
  name: 'acme',
  sender: 'Acme',
  secretName: 'key',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['x-acme'], spelling: 'hex' },
  signs,
  maxBodyBytes: 65_536,
  limits: '',
  ...more,
})
const hmac = (text: string) => createHmac('sha256', SECRET).update(text).digest('hex')
const secrets = { secrets: SECRET, publicUrl: PUBLIC }
const TIMED: Partial<Scheme> = { timestamp: { header: 'x-time', unit: 'seconds', of: 'attempt' } }
const NAMED: Partial<Scheme> = { eventId: { header: 'x-id' } }

describe("a query in the text of one's own scheme", () => {
  const time = `${nowSeconds()}`
  const headers = { 'content-type': 'application/json', 'x-time': time, 'x-id': 'one' }
  const isTaken = async (given: Scheme, query: string, body = '{}') => {
    const text = given.signs
      .toString()
      .replaceAll('{url}', PUBLIC + query)
      .replaceAll('{body}', body)
      .replaceAll('{timestamp}', time)
      .replaceAll('{method}', 'POST')
      .replaceAll('{id}', 'one')
    const auth = defineScheme<SchemeOptions>(given)(secrets)
    const sent = { headers: { ...headers, 'x-acme': hmac(text) }, body, url: TARGET + query }
    return schemeReceiver(auth, clock).receive(sent)
  }

  it.each([
    ['{url}{body}', {}],
    ['{body}{url}', {}],
    ['{method}{url}{body}{timestamp}', TIMED],
    ['{timestamp}.{url}.{body}', TIMED],
    ['v1:{method}:{url}:{body}', {}],
    ['{method}\n{url}\n{body}', { content: ['form', 'json'] }],
    ['{body} {url}', {}],
    ['{url}\n{id}\n{body}', NAMED],
  ] as const)(
    'the query comes from the request if nothing else can have the same text: %j',
    async (signs, more) => {
      expect(await isTaken(row(signs, more), '?id=1')).toMatchObject({ ok: true })
      expect(await isTaken(row(signs, more), '')).toMatchObject({ ok: true })
    },
  )

  it.each([
    ['{url}{body}', { content: ['form', 'json'] }],
    ['{body}{url}', { content: ['json', 'json-as-text'] }],
    ['{url}{id}{body}', NAMED],
    ['{id}{url}{body}', NAMED],
    ['{url}{timestamp}{body}', TIMED],
    ['{url}{body}{id}', NAMED],
    ['{url}{/a}', { content: ['json'] }],
    ['{url}{url}{body}', {}],
  ] as const)('the query has to be configured otherwise: %j', async (signs, more) => {
    const body = signs.includes('{/a}') ? '{"a":""}' : '{}'
    expect(await isTaken(row(signs.replace('{/a}', ''), more), '', body)).toMatchObject({ ok: true })
    expect(await isTaken(row(signs, more), '?id=1', body)).toMatchObject({
      ...MISMATCH,
      detail: expect.stringContaining('put the query into publicUrl'),
    })
  })

  it('a query has to be configured if the scheme decodes it to other parameters', async () => {
    const decoding = row('{url}{body}', { signedUrl: decodeURIComponent })
    const isSigned = async (query: string) => {
      const auth = defineScheme<SchemeOptions>(decoding)(secrets)
      const signature = hmac(`${PUBLIC}${decodeURIComponent(query)}{}`)
      const sent = { headers: { ...headers, 'x-acme': signature }, body: '{}', url: TARGET + query }
      return (await schemeReceiver(auth, clock).receive(sent)).ok
    }
    for (const query of ['?a=%2Fb', '?a=%41']) expect(await isSigned(query), query).toBe(true)
    for (const query of ['?a=1%26b=2', '?a=%2B', '?a=%20', '?a=%0A', '?a=%23', '?a=%253D']) {
      expect(await isSigned(query), query).toBe(false)
    }
  })

  it('a query has to be configured for a body that is no object and no list', async () => {
    for (const body of ['1', '"a"', 'null', '']) {
      expect(await isTaken(row('{url}{body}'), '?id=1', body)).toMatchObject(MISMATCH)
    }
    expect(await isTaken(row('{url}{body}'), '?id=1', ' \n[1]')).toMatchObject({ ok: true })
  })
})

/** Texts of pieces that can stand on either side of a boundary. */
const textOf = (...pieces: readonly string[]) =>
  fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 12 }).map((parts) => parts.join(''))

const isAuthentic = (verdict: Verdict) =>
  verdict.ok || (!verdict.handshake && !['signature_mismatch', 'body_not_json'].includes(verdict.reason))

const splits = (text: string): readonly (readonly [string, string])[] =>
  Array.from({ length: text.length + 1 }, (_, at) => [text.slice(0, at), text.slice(at)])
const isQuery = (text: string) => text === '' || text.startsWith('?')

describe('no signed text is that of two deliveries', () => {
  const JSON_PIECES = ['?', 'a=', '&', '[', ']', '{', '}', '"', '\\', ',', ':', '1', '"a"', '[]', '{}', ' ']
  const jsonTail = fc
    .tuple(textOf(...JSON_PIECES), fc.json({ maxDepth: 2 }))
    .map(([query, body]) => `?${query}${body}`)
  const type = { 'content-type': 'application/json' }

  it('a text of Square has one delivery', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(jsonTail, textOf(...JSON_PIECES)), async (tail) => {
        const { receive } = schemeReceiver(square({ secrets: SECRET, publicUrl: PUBLIC }), clock)
        const signature = createHmac('sha256', SECRET)
          .update(PUBLIC + tail)
          .digest('base64')
        const headers = { ...type, 'x-square-hmacsha256-signature': signature }
        let count = 0
        for (const [query, body] of splits(tail)) {
          if (!isQuery(query)) continue
          count += Number(isAuthentic(await receive({ headers, body, url: TARGET + query })))
        }
        expect(count).toBeLessThanOrEqual(1)
      }),
    )
  })

  it('a text of HubSpot has one delivery', async () => {
    await fc.assert(
      fc.asyncProperty(jsonTail, async (tail) => {
        const { receive } = schemeReceiver(hubspot({ secrets: SECRET, publicUrl: PUBLIC }), clock)
        const end = `${tail}${clock.now()}`
        const signature = createHmac('sha256', SECRET).update(`POST${PUBLIC}${end}`).digest('base64')
        let count = 0
        for (const [query, rest] of splits(end)) {
          if (!isQuery(query)) continue
          for (const [body, time] of splits(rest).slice(-16)) {
            const headers = {
              ...type,
              'x-hubspot-signature-v3': signature,
              'x-hubspot-request-timestamp': time,
            }
            const verdict = await receive({ headers, body, url: TARGET + query })
            const isTimely = verdict.ok || (!verdict.handshake && verdict.status !== 400)
            count += Number(isAuthentic(verdict) && isTimely)
          }
        }
        expect(count).toBeLessThanOrEqual(1)
      }),
      { numRuns: 60 },
    )
  })

  it('a text of Trello has one delivery', async () => {
    const text = fc
      .tuple(fc.json({ maxDepth: 2 }), textOf(PUBLIC, '?', 'a', '[]', '{}', '"', ' '))
      .map(([body, query]) => `${body}${PUBLIC}?${query}`)
    await fc.assert(
      fc.asyncProperty(text, async (signed) => {
        const { receive } = schemeReceiver(trello({ secrets: SECRET, publicUrl: PUBLIC }), clock)
        const signature = createHmac('sha1', SECRET).update(signed).digest('base64')
        const headers = { ...type, 'x-trello-webhook': signature }
        let count = 0
        for (const [body, url] of splits(signed)) {
          if (!url.startsWith(PUBLIC) || !isQuery(url.slice(PUBLIC.length))) continue
          count += Number(isAuthentic(await receive({ headers, body, url })))
        }
        expect(count).toBeLessThanOrEqual(1)
      }),
    )
  })

  it('a text of Contentful has one delivery', async () => {
    const pieces = ['%', '%25', '%3f', '%3F', 'a', '=', '&', '%26', '/']
    await fc.assert(
      fc.asyncProperty(textOf(...pieces), textOf('?', ...pieces), async (one, other) => {
        const { receive } = schemeReceiver(contentful({ secrets: SECRET, publicUrl: PUBLIC }), clock)
        const publicUrl = `${PUBLIC}?${one}`
        const { headers } = await signAs(contentful, {
          secret: SECRET,
          publicUrl,
          body: '{}',
          timestamp: nowSeconds(),
        })
        const take = async (sent: string) =>
          isAuthentic(await receive({ headers, body: '{}', url: `${TARGET}?${sent}` }))
        expect(await take(one)).toBe(true)
        if (one !== other) expect(await take(other)).toBe(false)
      }),
    )
  })

  describe('of Twilio', () => {
    const HASH = createHash('sha256').update('{}').digest('hex')
    const SID = 'AccountSid'
    const PIECES = [
      ...['?', '&', '=', '/', ':443', 'id', '1', SID, `${SID}=`, `${SID}AC1`, 'AC1', 'Account', 'Sid', 'A'],
      ...['Body', 'Hi', 'a=b', `bodySHA256=${HASH}`, `?bodySHA256=${HASH}`, `&bodySHA256=${HASH}`],
    ]
    const form = (fields: readonly (readonly [string, string])[]) =>
      `${new URLSearchParams(fields.map(([name, value]): [string, string] => [name, value]))}`

    /** Fields with this text, in the ways that could move a boundary. */
    function* formsOf(text: string): Iterable<string> {
      for (const [name, value] of splits(text)) yield form([[name, value]])
      if (!text.startsWith(SID)) return
      for (const [value, name] of splits(text.slice(SID.length))) {
        yield form([
          [SID, value],
          [name, ''],
        ])
        yield form([
          [SID, ''],
          [SID, value],
          [name, ''],
        ])
      }
    }

    /** Which kinds of delivery, with which query, are accepted with a signature of this text. */
    async function readings(publicUrl: string, text: string): Promise<ReadonlySet<string>> {
      const { receive } = schemeReceiver(twilio({ secrets: SECRET, publicUrl }), clock)
      const signature = createHmac('sha1', SECRET).update(text).digest('base64')
      const found = new Set<string>()
      const send = async (kind: string, url: string, contentType: string | undefined, body: string) => {
        const headers = { 'x-twilio-signature': signature, 'content-type': contentType }
        const method = kind === 'GET' ? 'GET' : 'POST'
        if (isAuthentic(await receive({ method, url, headers, body }))) found.add(`${kind} ${url}`)
      }
      for (const tail of new Set(
        ['', ':443', '/', ':443/'].map((end) => new URL(publicUrl).href.replace(/\/$/, '') + end),
      ).values()) {
        if (!text.startsWith(tail)) continue
        for (const [query, rest] of splits(text.slice(tail.length))) {
          if (!isQuery(query)) continue
          for (const body of formsOf(rest)) await send('form', `/in${query}`, FORM_TYPE, body)
          if (rest === '') await send('GET', `/in${query}`, undefined, '')
          if (/^[?&]bodySHA256=[0-9a-f]{64}$/.test(rest))
            await send('JSON', `/in${query}`, 'application/json', '{}')
        }
      }
      return found
    }
    const FORM_TYPE = 'application/x-www-form-urlencoded'

    it.each(['https://a.example/in', 'https://a.example'])(
      'a text of Twilio to %s has one delivery, whatever is joined',
      async (publicUrl) => {
        let accepted = 0
        await fc.assert(
          fc.asyncProperty(
            fc.constantFrom('', ':443', '/', ':443/'),
            textOf(...PIECES),
            async (end, tail) => {
              const found = await readings(publicUrl, `${publicUrl}${end}${tail.slice(0, 180)}`)
              accepted += found.size
              expect([...found].length, [...found].join('\n')).toBeLessThanOrEqual(1)
            },
          ),
          { numRuns: 80 },
        )
        expect(accepted).toBeGreaterThan(0)
      },
      60_000,
    )

    const at = 'https://a.example/in'
    it.each([
      `${at}?${SID}AC1&bodySHA256=${HASH}`,
      `${at}?id=1${SID}AC1&bodySHA256=${HASH}`,
      `${at}?id=1&${SID}=AC1&bodySHA256=${HASH}`,
      `${at}?bodySHA256=${HASH}`,
      `${at}?id=1${SID}`,
      `${at}?id=1${SID}${SID}=`,
      `${at}?${SID}=${SID}AC1`,
      `${at}?${SID}${SID}AC1`,
    ])('a text whose boundary is hard to find has one delivery: %s', async (text) => {
      expect((await readings(at, text)).size).toBeLessThanOrEqual(1)
    })

    it.each([
      ['a form', `${at}?id=12345${SID}AC1BodyHi`, 'form /in?id=12345'],
      ['a form whose only field is AccountSid', `${at}?id=1${SID}AC1`, 'form /in?id=1'],
      ['a GET', `${at}?id=1&${SID}=AC1`, `GET /in?id=1&${SID}=AC1`],
      ['a GET whose AccountSid comes first', `${at}?${SID}=AC1&id=1`, `GET /in?${SID}=AC1&id=1`],
      ['JSON', `${at}?id=1&bodySHA256=${HASH}`, 'JSON /in?id=1'],
    ])('a reading is found for %s', async (_, text, reading) => {
      expect([...(await readings(at, text))]).toEqual([reading])
    })
  })
})

describe('a form of Twilio whose URL has a query of its own', () => {
  const at = 'https://e.example/webhook/twilio'
  const sign = (text: string) => createHmac('sha1', SECRET).update(text).digest('base64')
  const receive = (signed: string, target: string, body: string, publicUrl = at) =>
    schemeReceiver(twilio({ secrets: SECRET, publicUrl }), clock).receive({
      url: target,
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': sign(signed) },
      body,
    })
  const TEXT = 'AccountSidAC1BodyHi'
  const BODY = 'Body=Hi&AccountSid=AC1'

  it('the form is accepted with each query', async () => {
    for (const query of ['?id=12345', '?id=67890', '?step=2&id=%41', '?id=1?2']) {
      expect(await receive(at + query + TEXT, `/webhook/twilio${query}`, BODY)).toMatchObject({ ok: true })
    }
  })

  it.each([
    ['its first field is another', '?id=1', '2345AccountSid=AC1&Body=Hi'],
    ['a letter has moved to its name', '?id=1234', '5AccountSid=AC1&Body=Hi'],
    ['a name sorts before AccountSid', '?id=12345', 'A=&AccountSid=AC1&Body=Hi'],
    ['a name without letters sorts before it', '?id=12345', '=&AccountSid=AC1&Body=Hi'],
    ['it has no AccountSid', '?id=12345', 'AccountSi=dAC1&Body=Hi'],
    ['AccountSid is longer', '?id=12345', 'AccountSidAC1=&Body=Hi'],
    ['it has no fields', '?id=12345AccountSidAC1BodyHi', ''],
    ['AccountSid is in the query', '?id=12345AccountSidAC1', 'BodyHi='],
  ])('the form is refused if %s', async (_, query, body) => {
    const verdict = await receive(`${at}?id=12345${TEXT}`, `/webhook/twilio${query}`, body)
    expect(verdict).toMatchObject({
      ...MISMATCH,
      detail: expect.stringContaining('put the query into publicUrl'),
    })
  })

  it.each(['A=b&AccountSid=AC1', 'Body=Hi', '', 'AccountSid=%3DAC1', 'AccountSid=AC1&AccountSid=%3D'])(
    'the form is accepted with a configured query only: %s',
    async (body) => {
      const fields = new URLSearchParams(body)
      const text = [...new Set(fields.keys())].sort().flatMap((name) =>
        fields
          .getAll(name)
          .sort()
          .map((value) => name + value),
      )
      const signed = `${at}?id=1${text.join('')}`
      expect(await receive(signed, '/webhook/twilio?id=1', body)).toMatchObject(MISMATCH)
      const configured = `${at}?id=1`
      expect(await receive(signed, '/webhook/twilio?id=1', body, configured)).toMatchObject({ ok: true })
    },
  )

  it('the form is not accepted as JSON, nor JSON with another hash in its query', async () => {
    const hash = createHash('sha256').update('{}').digest('hex')
    const json = (target: string) =>
      schemeReceiver(twilio({ secrets: SECRET, publicUrl: at }), clock).receive({
        url: target,
        headers: {
          'content-type': 'application/json',
          'x-twilio-signature': sign(`${at}?id=1&bodySHA256=${hash}`),
        },
        body: '{}',
      })
    for (const end of ['', `&bodySHA256=${hash}`]) {
      expect(await json(`/webhook/twilio?id=1${end}`)).toMatchObject({ ok: true })
    }
    expect(await json(`/webhook/twilio?id=1&bodySHA256=${'0'.repeat(64)}`)).toMatchObject(MISMATCH)
    expect(await json(`/webhook/twilio?id=1&bodySHA256=${hash}&a`)).toMatchObject(MISMATCH)
  })
})
