import { describe, expect, it } from 'vitest'
import { explain } from '../../src/explain/index.ts'
import { type Delivery, defineListener, type Listener, verify } from '../../src/index.ts'
import { adyen } from '../../src/schemes/adyen.ts'
import { github } from '../../src/schemes/github.ts'
import { mediaTypesOf } from '../../src/schemes/kit/body.ts'
import { compileScheme } from '../../src/schemes/kit/compile-scheme.ts'
import { ALL_PARTS } from '../../src/schemes/kit/row-parts.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { hmacListener, withHeaders } from '../support/hmac-listener.ts'
import { SCHEME_NAMES, schemeFactory } from '../support/schemes.ts'

async function detailOf(delivery: Delivery, listener: Listener): Promise<string> {
  const verdict = await verify(delivery, listener)
  return (!verdict.ok && verdict.detail) || 'accepted'
}

/** The detail about a valid delivery with another value of this header. */
async function detailWith(name: string, value: string): Promise<string> {
  const { listener, deliver } = hmacListener()
  return detailOf(withHeaders(await deliver(), { [name]: value }), listener)
}

describe('the detail about a Content-Type', () => {
  it.each([
    ['text/html', '"text/html"'],
    ['application/json; utf-8', '"application/json; utf-8"'],
    ['application/json;utf8', '"application/json;utf8"'],
    ['application/json; charset=latin1', '"application/json; charset=latin1"'],
    ['application/ld+json', '"application/ld+json"'],
    ['multipart/form-data; boundary=x', '"multipart/form-data; boundary=x"'],
    ['application/json please', '"application/json..."'],
    ['application/json; a=b; charset=x', '"application/json; a=b; charset=x"'],
    ['application/json; charset=utf-8; charset=latin1', '"application/json; charset=utf-8; charset=latin1"'],
    ['application/json; charset="latin1"', '"application/json; charset=\\"latin1\\""'],
    ['text/html; a b', '"text/html; a..."'],
    ['text/html;  a', '"text/html; ..."'],
    [' text/html', '"..."'],
    ['<script>alert(1)</script>', '"..."'],
    ['application/json\n401 forged', '"application/json..."'],
    ['\u202etext/html', '"..."'],
    ['text/html; a="b c"', '"text/html; a=\\"b..."'],
    [`text/${'a'.repeat(95)}`, `"text/${'a'.repeat(95)}"`],
    [`text/${'a'.repeat(300)}`, `"text/${'a'.repeat(95)}"`],
  ])('the detail about %j has %s and what is accepted', async (value, shown) => {
    expect(await detailWith('content-type', value)).toBe(
      `Content-Type is ${shown}, not application/json, in UTF-8`,
    )
  })

  it('the detail names each type that a scheme accepts', async () => {
    const { clock, deliver } = hmacListener()
    const auth = github({ secrets: 'the secret of this webhook' })
    const listener = defineListener({ id: 'g', auth, store: memoryStore({ maxRecords: 9 }), clock })
    expect(await detailOf(withHeaders(await deliver(), { 'content-type': 'text/xml' }), listener)).toBe(
      'Content-Type is "text/xml", not application/json or application/x-www-form-urlencoded, in UTF-8',
    )
  })
})

const rows = (await Promise.all(SCHEME_NAMES.map(schemeFactory))).map(({ scheme }) => scheme)

describe('every scheme', () => {
  it.each(rows)('$name reads what it says that it accepts', (row) => {
    const { mediaTypes, readerFor } = compileScheme(row, { publicUrl: 'https://a.example/' }, ALL_PARTS)
    expect(mediaTypes).toEqual((row.content ?? ['json']).flatMap(mediaTypesOf))
    expect(mediaTypes.length).toBeGreaterThan(0)
    for (const type of mediaTypes) expect(readerFor(type), type).toBeTypeOf('function')
  })
})

describe('the detail about a Content-Encoding', () => {
  it.each([
    ['gzip', '"gzip"'],
    ['UTF-8', '"UTF-8"'],
    ['gzip, br', '"gzip, br"'],
    ['identity, UTF-8', '"identity, UTF-8"'],
    ['<b>', '"..."'],
  ])('the detail about %j has %s and what is accepted', async (value, shown) => {
    expect(await detailWith('content-encoding', value)).toBe(`Content-Encoding is ${shown}, not identity`)
  })
})

describe('a byte order mark', () => {
  const MARK = { reason: 'body_not_json', detail: 'the body begins with a byte order mark' }

  it.each([
    ['UTF-8', Buffer.from('\ufeff{"a":1}')],
    ['UTF-8, and nothing else', Buffer.from('\ufeff')],
  ])('the mark of %s is named', async (_, body) => {
    const { listener, deliver } = hmacListener()
    expect(await verify(await deliver({ body }), listener)).toMatchObject(MARK)
  })

  it.each([
    ['the first two bytes of a mark', Buffer.from([0xef, 0xbb, 0x7b]), 'the body is not UTF-8'],
    ['a mark behind a space', Buffer.from(' \ufeff{}'), 'the body is not JSON'],
    ['the bytes of a brace of full width', Buffer.from('｛'), 'the body is not JSON'],
    ['UTF-16 with its mark', Buffer.from('\ufeff{"a":1}', 'utf16le'), 'the body is not UTF-8'],
  ])('of %s, no mark of UTF-8 is named', async (_, body, detail) => {
    const { listener, deliver } = hmacListener()
    expect(await verify(await deliver({ body }), listener)).toMatchObject({ reason: 'body_not_json', detail })
  })

  it('a body that is read to authenticate it has its mark named too', async () => {
    const { clock, deliver } = hmacListener()
    const auth = adyen({ secrets: '00'.repeat(32) })
    const listener = defineListener({ id: 'a', auth, store: memoryStore({ maxRecords: 9 }), clock })
    const marked = { ...(await deliver()), body: Buffer.from('\ufeff{"notificationItems":[]}') }
    expect(await verify(marked, listener)).toMatchObject({ status: 401, detail: MARK.detail })
  })
})

describe('explain', () => {
  const likelyOf = async (delivery: Delivery, listener: Listener) =>
    (await explain(delivery, await verify(delivery, listener), listener)).likely

  it.each([
    ['content-type', 'application/json; utf-8', 'the charset lacks its name'],
    ['content-type', 'application/json;UTF8', 'the charset lacks its name'],
    ['content-type', 'text/html', 'Content-Type is "text/html", not application/json, in UTF-8'],
    ['content-encoding', 'UTF-8', 'UTF-8 is a charset, not a compression'],
    ['content-encoding', 'utf8', 'UTF-8 is a charset, not a compression'],
    ['content-encoding', 'identity, UTF-8', 'UTF-8 is a charset, not a compression'],
    ['content-encoding', 'gzip', 'Content-Encoding is "gzip"'],
  ])('explain says of %s: %s what to write', async (name, value, says) => {
    const { listener, deliver } = hmacListener()
    const [likeliest] = await likelyOf(withHeaders(await deliver(), { [name]: value }), listener)
    expect(likeliest).toContain(says)
  })

  it('explain names a byte order mark', async () => {
    const { listener, deliver } = hmacListener()
    const [likeliest] = await likelyOf(await deliver({ body: '\ufeff{}' }), listener)
    expect(likeliest).toContain('byte order mark')
  })
})
