import { createHash, createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { fromNode, fromWeb } from '../../adapters/kit/index.ts'
import { webhookHandler } from '../../adapters/web.ts'
import { type Delivery, defineListener, verify } from '../../src/index.ts'
import { messageKeys } from '../../src/schemes/kit/message-keys.ts'
import { signatureBases } from '../../src/schemes/kit/signature-base.ts'
import { readSignatureInput } from '../../src/schemes/kit/signature-input.ts'
import { type Rfc9421Options, rfc9421 } from '../../src/schemes/rfc9421.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { fakeClock } from '../support/clock.ts'
import { MISMATCH } from '../support/scheme-receiver.ts'

type Fields = { readonly [name: string]: string | readonly string[] }

const PUBLIC_URL = 'https://www.example.com/path?param=value'
const delivery = (fields: Fields, more: Partial<Delivery> = {}): Delivery => ({
  method: 'POST',
  header: (name) => fields[name],
  body: Buffer.from(''),
  sourceIp: undefined,
  ...more,
})

/** The signed text without its last line, or why there is none. */
function linesOf(components: string, request: Delivery, publicUrl = PUBLIC_URL) {
  const input = readSignatureInput(`sig=(${components})`)?.get('sig')
  if (input === undefined) throw new Error('not read')
  const base = signatureBases(request, publicUrl)(input)
  return 'unknown' in base ? base : base.text.split('\n').slice(0, -1).join('\n')
}

/** The request of RFC 9421 2.1, with the raw lines that a host reports. */
const HEADERS: Fields = {
  host: 'www.example.com',
  date: 'Tue, 20 Apr 2021 02:07:56 GMT',
  'x-ows-header': '  Leading and trailing whitespace.\t',
  'x-obs-fold-header': 'Obsolete \r\n    line folding.',
  'cache-control': ['max-age=60', '   must-revalidate'],
  'example-dict': ' a=1,    b=2;x=1;y=2,   c=(a   b   c)',
  'x-empty-header': '',
  'x-empty-lines': ['', ''],
}

describe('a header that RFC 9421 2.1 signs', () => {
  it.each([
    ['host', 'www.example.com'],
    ['date', 'Tue, 20 Apr 2021 02:07:56 GMT'],
    ['x-ows-header', 'Leading and trailing whitespace.'],
    ['x-obs-fold-header', 'Obsolete line folding.'],
    ['cache-control', 'max-age=60, must-revalidate'],
    ['example-dict', 'a=1,    b=2;x=1;y=2,   c=(a   b   c)'],
    ['x-empty-header', ''],
    ['x-empty-lines', ', '],
  ])('the header %s is signed as "%s"', (name, value) => {
    expect(linesOf(`"${name}"`, delivery(HEADERS))).toBe(`"${name}": ${value}`)
  })

  it.each([
    [['value, with, lots', 'of, commas'], ':dmFsdWUsIHdpdGgsIGxvdHM=:, :b2YsIGNvbW1hcw==:'],
    ['value, with, lots, of, commas', ':dmFsdWUsIHdpdGgsIGxvdHMsIG9mLCBjb21tYXM=:'],
    [' \u00e9\u00ff ', ':6f8=:'],
    ['', '::'],
  ])('the bytes of its lines %j are signed as %s', (field, value) => {
    expect(linesOf('"x";bs', delivery({ x: field }))).toBe(`"x";bs: ${value}`)
  })

  it.each([
    ['a no-break space at its end', '1acme\u00a0'],
    ['a vertical tab at its end', '1acme\v'],
    ['an empty line after it', ['1acme', '']],
    ['another case', '1Acme'],
  ])('a header is another one with %s', (_, field) => {
    expect(linesOf('"x-tenant"', delivery({ 'x-tenant': field }))).not.toBe('"x-tenant": 1acme')
  })

  it.each([
    ['a character above U+00FF', '\u0131\u0161\u0163\u016d\u0165', /above U\+00FF/],
    ['half a surrogate pair', '1acme\ud800', /above U\+00FF/],
    ['such a character in its second line', ['1acme', '\u0131'], /above U\+00FF/],
    ['a line break', '1acme\n"@method": PUT', /line break/],
    ['a carriage return', '1acme\r', /line break/],
    ['a NUL', '1acme\0', /line break/],
  ])('a header with %s is refused by name', (_, field, because) => {
    for (const component of ['"x-tenant"', '"x-tenant";bs']) {
      const refused = { unknown: component, because: expect.stringMatching(because) }
      expect(linesOf(component, delivery({ 'x-tenant': field }))).toEqual(refused)
    }
  })

  it.each([
    '"absent"',
    '"absent";bs',
    '"__proto__"',
    '"constructor"',
    '"x";bs;bs',
    '"x";bs=?1',
    '"x";bs=?0',
    '"x";bs=""',
    '"x";bs;sf',
    '"x";sf',
    '"x";key="a"',
    '"x";req',
    '"x";tr',
    '"x";made-up',
    '"@method";bs',
    '"@path";req',
    '"@query-param"',
    '"@query-param";name=id',
    '"@query-param";name="id";req',
    '"@query-param";name="id";name="id"',
    '"@query-param";bs',
    '"@status"',
    '"@signature-params"',
    '"@made-up"',
  ])('the component %s is refused', (component) => {
    const fields = { x: 'a=1', status: '200' }
    expect(linesOf(component, delivery(fields), 'https://a.example/?id=7')).toEqual({ unknown: component })
  })

  it.each<[string, string[]]>([
    ['a=1,    b=2;x=1;y=2,   c=(a   b   c)', ['  a=1,    b=2;x=1;y=2,   c=(a   b   c)\t']],
    ['a,\tb', ['a,\tb']],
    ['a,  b, c', ['a,  b', ' c ']],
    [', ', ['', '']],
    ['a, ', ['a', ' ']],
    ['', [' ']],
  ])('the header is signed as "%s" on Node and in a web request, whose lines are joined', (value, lines) => {
    const request = new Request(PUBLIC_URL, { headers: lines.map((line) => ['x', line]) })
    const web = { ...fromWeb(request), body: Buffer.from(''), sourceIp: undefined }
    for (const each of [web, delivery({ x: lines })]) expect(linesOf('"x"', each)).toBe(`"x": ${value}`)
  })

  it('blanks are cut and folds are joined in linear time', () => {
    const blanks = ' '.repeat(1_000_000) // in quadratic time, this test would hang
    for (const field of [`a${blanks}b`, blanks, `a${'\r\n '.repeat(300_000)}`])
      expect(linesOf('"x"', delivery({ x: field }))).toMatch(/^"x": /)
  })
})

describe('a derived component of RFC 9421 2.2', () => {
  it.each([
    ['"@method"', PUBLIC_URL, 'POST'],
    ['"@target-uri"', PUBLIC_URL, 'https://www.example.com/path?param=value'],
    ['"@target-uri"', `${PUBLIC_URL}#part`, 'https://www.example.com/path?param=value'],
    ['"@authority"', 'https://WWW.Example.com:443/', 'www.example.com'],
    ['"@authority"', 'https://www.example.com:8443/', 'www.example.com:8443'],
    ['"@scheme"', 'http://www.example.com/', 'http'],
    ['"@request-target"', PUBLIC_URL, '/path?param=value'],
    ['"@path"', PUBLIC_URL, '/path'],
    ['"@path"', 'https://www.example.com', '/'],
    [
      '"@query"',
      'https://a.example/path?param=value&foo=bar&baz=bat%2Dman',
      '?param=value&foo=bar&baz=bat%2Dman',
    ],
    ['"@query"', 'https://a.example/path?queryString', '?queryString'],
    ['"@query"', 'https://a.example/path', '?'],
    ['"@query"', 'https://a.example/path?', '?'],
    ['"@query-param";name="baz"', 'https://a.example/?param=value&baz=batman&qux=', 'batman'],
    ['"@query-param";name="qux"', 'https://a.example/?param=value&baz=batman&qux=', ''],
    ['"@query-param";name="param"', 'https://a.example/?param=value&baz=batman&qux=', 'value'],
  ])('%s of %s is "%s"', (component, publicUrl, value) => {
    expect(linesOf(component, delivery({}), publicUrl)).toBe(`${component}: ${value}`)
  })
})

describe('the signatures of RFC 9421 B.3 and B.4', () => {
  const CERTIFICATE =
    'MIIBqDCCAU6gAwIBAgIBBzAKBggqhkjOPQQDAjA6MRswGQYDVQQKDBJMZXQncyBBdXRoZW50aWNhdGUxGzAZBgNVBAMMEkxBIEludGVybWVkaWF0ZSBDQTAeFw0yMDAxMTQyMjU1MzNaFw0yMTAxMjMyMjU1MzNaMA0xCzAJBgNVBAMMAkJDMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE8YnXXfaUgmnMtOXU/IncWalRhebrXmckC8vdgJ1p5Be5F/3YC8OthxM4+k1M6aEAEFcGzkJiNy6J84y7uzo9M6NyMHAwCQYDVR0TBAIwADAfBgNVHSMEGDAWgBRm3WjLa38lbEYCuiCPct0ZaSED2DAOBgNVHQ8BAf8EBAMCBsAwEwYDVR0lBAwwCgYIKwYBBQUHAwIwHQYDVR0RAQH/BBMwEYEPYmRjQGV4YW1wbGUuY29tMAoGCCqGSM49BAMCA0gAMEUCIBHda/r1vaL6G3VliL4/Di6YK0Q6bMjeSkC3dFCOOB8TAiEAx/kHSB4urmiZ0NX5r5XarmPk0wmuydBVoU4hBVZ1yhk='
  const P256 =
    'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEqIVYZVLCrPZHGHjP17CTW0/+D9Lfw0EkjqF7xB4FivAxzic30tMM4GF+hR6Dxh71Z50VGGdldkkDXZCnTNnoXQ=='
  const ED25519 = 'JrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs='

  async function verifies(key: string, input: string, signature: string, request: Delivery, url: string) {
    const read = readSignatureInput(`sig=${input}`)?.get('sig')
    const base = read && signatureBases(request, url)(read)
    if (base === undefined || 'unknown' in base) return undefined
    return messageKeys({ publicKeys: key })[0]?.verifies(Buffer.from(base.text), signature)
  }

  it('B.3, of a proxy that ends TLS', async () => {
    const input =
      '("@path" "@query" "@method" "@authority" "client-cert");created=1618884473;keyid="test-key-ecc-p256"'
    const signature =
      'xVMHVpawaAC/0SbHrKRs9i8I3eOs5RtTMGCWXm/9nvZzoHsIg6Mce9315T6xoklyy0yzhD9ah4JHRwMLOgmizw=='
    const url = 'https://service.internal.example/foo?param=Value&Pet=dog'
    const of = (certificate: string) =>
      verifies(P256, input, signature, delivery({ 'client-cert': certificate }), url)
    expect(await of(`:${CERTIFICATE}:`)).toBe(true)
    expect(await of(CERTIFICATE)).toBe(false)
  })

  const URL_B4 = 'https://example.org/demo?name1=Value1&Name2=value2'
  const ACCEPT = ['application/json', '*/*']
  const transformed = (fields: Fields, method = 'GET', url = URL_B4) =>
    verifies(
      ED25519,
      '("@method" "@path" "@authority" "accept");created=1618884473;keyid="test-key-ed25519"',
      'ZT1kooQsEHpZ0I1IjCqtQppOmIqlJPeo7DHR3SoMn0s5JZ1eRGS0A+vyYP9t/LXlh5QMFFQ6cpLt2m0pmj3NDA==',
      delivery(fields, { method }),
      url,
    )

  it.each<[string, Fields, string?]>([
    ['as it was signed', { accept: ACCEPT }],
    [
      'with a parameter and a header added',
      { accept: ACCEPT, 'accept-language': 'en-US' },
      `${URL_B4}&param=added`,
    ],
    ['with the two lines joined', { accept: 'application/json, */*' }],
    ['with blanks around them', { accept: ['  application/json ', '\t*/*'] }],
  ])('B.4, the request verifies %s', async (_, fields, url) => {
    expect(await transformed(fields, 'GET', url)).toBe(true)
  })

  it.each<[string, Fields, string?, string?]>([
    ['with another method', { accept: ACCEPT }, 'POST'],
    ['to another host', { accept: ACCEPT }, 'GET', 'https://example.com/demo'],
    ['with its lines in another order', { accept: [...ACCEPT].reverse() }],
    ['joined without a blank', { accept: ACCEPT.join() }],
  ])('B.4, the request does not verify %s', async (_, fields, method, url) => {
    expect(await transformed(fields, method, url)).toBe(false)
  })
})

describe('a delivery with signed headers', () => {
  const SECRET = 'a shared secret'
  const BODY = '{"type":"made.up"}'
  const DIGEST = `sha-256=:${createHash('sha256').update(BODY).digest('base64')}:`
  const clock = fakeClock()
  const listenerFor = (requiredComponents: readonly string[]) => {
    const auth = rfc9421({ secrets: SECRET, publicUrl: PUBLIC_URL, requiredComponents })
    return defineListener({ id: 'a-sender', auth, store: memoryStore({ clock }), clock, onVerdict: null })
  }
  function signed(identifier: string, value: string) {
    const input = `(${identifier} "content-digest");created=${clock.seconds()}`
    const base = `${identifier}: ${value}\n"content-digest": ${DIGEST}\n"@signature-params": ${input}`
    const mac = createHmac('sha256', SECRET).update(base, 'latin1').digest('base64')
    return { 'content-digest': DIGEST, 'signature-input': `s=${input}`, signature: `s=:${mac}:` }
  }
  const sent = (fields: Fields, required: readonly string[], more: Partial<Delivery> = {}) =>
    verify(delivery(fields, { body: Buffer.from(BODY), ...more }), listenerFor(required))

  it('a value whose characters are cut to those of the signed one is refused', async () => {
    const right = signed('"x-tenant"', '1acme')
    expect(await sent({ ...right, 'x-tenant': '1acme' }, ['x-tenant'])).toMatchObject({ ok: true })
    const wide = Array.from('1acme', (letter) => String.fromCharCode(letter.charCodeAt(0) + 0x100)).join('')
    expect(await sent({ ...right, 'x-tenant': wide }, ['x-tenant'])).toMatchObject({
      ...MISMATCH,
      detail: 'a signed header has a character above U+00FF, which is no byte',
    })
  })

  it('bytes above ASCII are verified as they arrived', async () => {
    const value = 'Gr\u00fc\u00dfe'
    const right = signed('"x-tenant"', value)
    expect(await sent({ ...right, 'x-tenant': value }, ['x-tenant'])).toMatchObject({ ok: true })
  })

  it('an empty header may be signed and required', async () => {
    const right = signed('"x-tenant"', '')
    expect(await sent({ ...right, 'x-tenant': '' }, ['x-tenant'])).toMatchObject({ ok: true })
    expect(await sent(right, ['x-tenant'])).toMatchObject({
      ...MISMATCH,
      detail: 'a signature covers "x-tenant", which is missing or not supported',
    })
  })

  it('a header may be required as bytes, and then a signature of its text is not enough', async () => {
    const [asBytes, asText] = [signed('"x-id";bs', ':MQ==:'), signed('"x-id"', '1')]
    expect(await sent({ ...asBytes, 'x-id': '1' }, ['x-id;bs'])).toMatchObject({ ok: true })
    expect(await sent({ ...asText, 'x-id': '1' }, ['x-id;bs'])).toMatchObject(MISMATCH)
    expect(await sent({ ...asBytes, 'x-id': '1' }, ['x-id'])).toMatchObject(MISMATCH)
  })

  it('a parameter of the query may be required', async () => {
    const auth = rfc9421({
      secrets: SECRET,
      publicUrl: 'https://www.example.com/path',
      requiredComponents: ['@query-param;name="a%20b"'],
    })
    const listener = defineListener({ id: 'a-sender', auth, store: memoryStore({ clock }), clock })
    const right = signed('"@query-param";name="a%20b"', '7')
    const to = (url: string) => verify(delivery(right, { body: Buffer.from(BODY), url }), listener)
    expect(await to('/path?a+b=7&more=1')).toMatchObject({ ok: true })
    expect(await to('/path?a+b=8')).toMatchObject(MISMATCH)
    expect(await to('/path?a+b=7&a%20b=7')).toMatchObject(MISMATCH)
    expect(await to('/path')).toMatchObject(MISMATCH)
  })

  it('two lines are verified as bytes where the host keeps them apart, and refused where it joins them', async () => {
    const right = signed('"x-id";bs', ':YQ==:, :Yg==:')
    const fields = { ...right, 'x-id': ['a', 'b'] }
    expect(await sent(fields, [])).toMatchObject({ ok: true })
    const refused = { ...MISMATCH, detail: expect.stringContaining('may have joined it from two lines') }
    expect(await sent(fields, [], { joinsHeaders: true })).toMatchObject(refused)
    const single = { ...signed('"x-id";bs', ':YSwgYg==:'), 'x-id': 'a, b' }
    expect(await sent(single, [])).toMatchObject({ ok: true })
    expect(await sent(single, [], { joinsHeaders: true })).toMatchObject(refused)
    const plain = { ...signed('"x-id";bs', ':YQ==:'), 'x-id': 'a' }
    expect(await sent(plain, [], { joinsHeaders: true })).toMatchObject({ ok: true })
  })

  it.each([
    [':YSwgYg==:', 'a, b', 401],
    [':YSxi:', 'a,b', 401],
    [':YQ==:, :Yg==:', 'a, b', 401],
    [':YQ==:', 'a', 200],
    ['::', '', 200],
  ])(
    'a web request whose header is signed as the bytes %s and joined as "%s" is answered %i',
    async (value, joined, status) => {
      const handler = webhookHandler(listenerFor([]), () => {})
      const headers = { 'content-type': 'application/json', ...signed('"x-id";bs', value), 'x-id': joined }
      const request = new Request(PUBLIC_URL, { method: 'POST', headers, body: BODY })
      expect((await handler(request)).status).toBe(status)
    },
  )

  it('a Node request keeps its lines apart, unless its host has only joined headers', () => {
    const request = { method: 'POST', url: '/', headers: { x: 'a, b' }, socket: {} }
    const made = (rawHeaders: readonly string[]) =>
      fromNode({ ...request, rawHeaders } as never, undefined, () => undefined)
    expect(made(['X', 'a', 'x', 'b'])).toMatchObject({ joinsHeaders: false })
    expect(made([])).toMatchObject({ joinsHeaders: true })
    expect(fromWeb(new Request(PUBLIC_URL))).toMatchObject({ joinsHeaders: true })
  })

  it.each([
    ['s=("X-Id" "content-digest");created=1', 'no signature covers content-digest'],
    ['s=("x-id" "x-id" "content-digest");created=1', 'no signature covers content-digest'],
    ['s=("content-digest"', 'Signature-Input is malformed'],
    ['S=("content-digest")', 'Signature-Input is malformed'],
  ])('the detail says what is wrong with %s', async (input, detail) => {
    const fields = { ...signed('"x-id"', '1'), 'x-id': '1', 'signature-input': input }
    expect(await sent(fields, [])).toMatchObject({ ...MISMATCH, detail })
  })
})

describe('requiredComponents', () => {
  const made = (requiredComponents: unknown, publicUrl = 'https://a.example/in') =>
    rfc9421({ secrets: 'a shared secret', publicUrl, requiredComponents } as Rfc9421Options)

  it.each([
    [[]],
    [['@method', '@target-uri', '@authority', '@scheme', '@request-target', '@path', '@query']],
    [['content-digest', 'date', 'x_y', 'x-id;bs', 'x-id']],
    [['@query-param;name="id"', '@query-param;name=""', '@query-param;name="a%20b%C3%A7"']],
  ])('the list may be %j', (list) => {
    expect(() => made(list)).not.toThrow()
  })

  it.each([
    ['@method'],
    [[undefined]],
    [[7]],
    [[Object.create(null)]],
    [['']],
    [[' date']],
    [['Date']],
    [['"date"']],
    [['x-id', 'x-id']],
    [['x-id;bs', 'x-id;bs']],
    [['content-digest', 'content-digest']],
    [['x-id;sf']],
    [['x-id;key="a"']],
    [['x-id;tr']],
    [['x-id;req']],
    [['x-id;bs;bs']],
    [['signature']],
    [['signature;bs']],
    [['@']],
    [['@Method']],
    [['@method;bs']],
    [['@method;req']],
    [['@status']],
    [['@signature-params']],
    [['@made-up']],
    [['@query-param']],
    [['@query-param;name']],
    [['@query-param;name=id']],
    [['@query-param;name="a b"']],
    [['@query-param;name="a+b"']],
    [['@query-param;name="\u00fc"']],
    [['@query-param;name="id";req']],
  ])('the list is never %j', (list) => {
    expect(() => made(list)).toThrowError(expect.objectContaining({ option: 'requiredComponents' }))
  })

  it('the message names the component, and what to write', () => {
    expect(() => made(['@query-param'])).toThrow(
      'write the name of the parameter too: @query-param;name="id"',
    )
    expect(() => made(['@status'])).toThrow('names @status, which no request has')
  })

  it.each(['?other=1', '?id=1&id=2', '?'])(
    'a parameter that publicUrl %s lacks or repeats is never required',
    (query) => {
      const required = ['@query-param;name="id"']
      expect(() => made(required, `https://a.example/in${query}`)).toThrow(/lacks or repeats/)
      expect(() => made(required, 'https://a.example/in?id=1')).not.toThrow()
    },
  )
})
