import { readFileSync } from 'node:fs'
import { describe, expect, it, vi } from 'vitest'
import { defineListener, verify } from '../../src/index.ts'
import { formExcess, jsonExcess, multipartExcess } from '../../src/schemes/kit/read-limits.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { Verification } from '../../src/verification.ts'
import { SCHEME_NAMES, schemeFactory } from '../support/schemes.ts'
import { remoteOptions, type VectorFetches } from '../support/vector-fetch.ts'

/** A genuine delivery of each scheme. */
interface Vectors {
  readonly scheme: string
  readonly options: object
  readonly now: number
  readonly fetches?: VectorFetches
  readonly cases: readonly {
    readonly method: string
    readonly url?: string
    readonly headers: readonly (readonly [string, string])[]
    readonly body?: string
    readonly options?: object
    readonly expect: { readonly ok: boolean }
  }[]
}

const all: readonly Vectors[] = SCHEME_NAMES.map((name) =>
  JSON.parse(readFileSync(new URL(`../vectors/schemes/${name}.json`, import.meta.url), 'utf8')),
)

async function senderOf({ scheme, options, now, fetches, cases }: Vectors) {
  const factory = await schemeFactory(scheme)
  const clock = { now: () => now * 1000 }
  const genuine = cases.find(({ expect, options: own }) => expect.ok && own === undefined)
  const auth = factory({ ...options, ...(fetches && remoteOptions(scheme, fetches)) })
  const listener = defineListener({ id: scheme, auth, clock, store: memoryStore({ clock, maxRecords: 10 }) })
  const headers = new Map(genuine?.headers.map(([name, value]) => [name.toLowerCase(), value]))
  const receive = (body: string | Uint8Array, contentType = headers.get('content-type')) =>
    verify(
      {
        method: genuine?.method ?? 'POST',
        url: genuine?.url,
        header: (name) => (name === 'content-type' ? contentType : headers.get(name)),
        body: Buffer.from(body),
        sourceIp: undefined,
      },
      listener,
    )
  return { scheme: factory.scheme, genuine, receive }
}

/** The schemes that parse a genuine body before they have authenticated it. */
async function readers() {
  const found: Awaited<ReturnType<typeof senderOf>>[] = []
  const reads = [vi.spyOn(Verification.prototype, 'parsed'), vi.spyOn(Verification.prototype, 'fields')]
  for (const vectors of all) {
    const sender = await senderOf(vectors)
    for (const read of reads) read.mockClear()
    await sender.receive(sender.genuine?.body ?? '')
    if (reads.some(({ mock }) => mock.calls.length > 0)) found.push(sender)
  }
  for (const read of reads) read.mockRestore()
  return found
}

const readFirst = await readers()
/** Those whose JSON has values that no signature covers, and SNS, whose message is not decoded. */
const READS_PARTS = ['adyen', 'dropbox-sign', 'graph', 'mailgun', 'sns']

const FORM = 'application/x-www-form-urlencoded'
const part = (name: string, text: string) =>
  `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`

/** A body in the scheme's own format: JSON, a form, or a part that holds JSON. */
function bodyIn({ content = ['json'] }: (typeof readFirst)[number]['scheme'], json: string, form: string) {
  const [kind] = content
  if (kind === 'form') return form
  return typeof kind === 'object' ? `${part('json', json)}--b--\r\n` : json
}

const elements = (count: number) => `[${'0,'.repeat(count - 1)}0]`
const fields = (count: number) => Array.from({ length: count }, (_, index) => `a${index}=`).join('&')

describe('a scheme that reads the body to authenticate it', () => {
  it('a scheme that reads first is one of several: the test finds them', () => {
    expect(readFirst.length).toBeGreaterThan(4)
    expect(readFirst.length).toBeLessThan(all.length / 4)
  })

  it.each(readFirst)('$scheme.name takes 256 KB, unless its sender documents more', ({ scheme }) => {
    // SNS: 256 KB of message and attributes, each character escaped, and 16 KB of envelope.
    expect(scheme.maxBodyBytes).toBeLessThanOrEqual(scheme.name === 'sns' ? 2 * 262_144 + 16_384 : 262_144)
  })

  it.each(readFirst)(
    '$scheme.name refuses too many fields before it parses them, with its 401',
    async ({ scheme, receive }) => {
      const most = scheme.maxFields ?? 1000
      const parse = vi.spyOn(JSON, 'parse')
      const decode = vi.spyOn(globalThis, 'decodeURIComponent')
      const verdict = await receive(bodyIn(scheme, elements(most + 1), fields(most + 1)))
      expect(verdict).toMatchObject({
        status: 401,
        reason: expect.stringMatching(/^(auth_missing|signature_mismatch)$/),
        detail: `the body has over ${most.toLocaleString('en')} fields`,
      })
      expect(parse.mock.calls.every(([text]) => text.length < 1000)).toBe(true)
      expect(decode).not.toHaveBeenCalled()
      vi.restoreAllMocks()
      const within = await receive(bodyIn(scheme, elements(most), fields(most)))
      expect(within).toMatchObject({ status: 401, detail: expect.not.stringMatching('fields') })
    },
  )

  it.each(readFirst.filter(({ scheme }) => scheme.content?.[0] !== 'form'))(
    '$scheme.name refuses more than 64 levels',
    async ({ scheme, receive }) => {
      const deep = (levels: number) => bodyIn(scheme, '['.repeat(levels) + ']'.repeat(levels), '')
      expect(await receive(deep(65))).toMatchObject({
        status: 401,
        detail: 'the body is over 64 levels deep',
      })
      expect(await receive(deep(64))).toMatchObject({ detail: expect.not.stringMatching('levels') })
    },
  )

  it.each(readFirst)('$scheme.name gives the same cause for a body that does not parse', async (sender) => {
    const { scheme, receive } = sender
    const verdict = await receive(Buffer.from(bodyIn(scheme, '"\xff"', 'a\xff='), 'latin1'))
    expect(verdict).toMatchObject({ status: 401, detail: expect.stringMatching(/^the body is not/) })
  })

  it.each(readFirst.filter(({ scheme }) => READS_PARTS.includes(scheme.name)))(
    '$scheme.name decodes and parses only the members that authenticate it, however long the others are',
    async ({ genuine, receive }) => {
      const pad = '"pad":"\u20ac'
      const body = (genuine?.body ?? '').replace('{', `{${pad}${'a'.repeat(200_000)}",`)
      const decode = vi.spyOn(TextDecoder.prototype, 'decode')
      const parse = vi.spyOn(JSON, 'parse')
      await receive(
        body.replace(/("(?:hmacSignature|event_hash|clientState|signature|Signature)": *")../g, '$1__'),
      )
      const decoded = decode.mock.calls.map(([bytes]) => bytes?.byteLength ?? 0)
      const parsed = parse.mock.calls.map(([text]) => text.length)
      vi.restoreAllMocks()
      expect(parsed.length).toBeGreaterThan(0)
      expect(Math.max(...decoded, ...parsed)).toBeLessThanOrEqual(32_768)
    },
  )

  it.each(readFirst.filter(({ scheme }) => scheme.content?.[0] === 'form'))(
    '$scheme.name decodes only the names of a form as text',
    async ({ receive }) => {
      const decode = vi.spyOn(TextDecoder.prototype, 'decode')
      const unescaped = vi.spyOn(globalThis, 'decodeURIComponent')
      const long = '%E2%82%AC+'.repeat(20_000)
      const verdict = await receive(`bt_signature=a&bt_payload=${long}&Body=`)
      const decoded = decode.mock.calls.map(([bytes]) => bytes?.byteLength ?? 0)
      expect(unescaped).not.toHaveBeenCalled()
      vi.restoreAllMocks()
      expect(verdict).toMatchObject({ reason: 'signature_mismatch' })
      expect(Math.max(...decoded)).toBeLessThan(100)
    },
  )

  it('a scheme that reads first is not among those that know their sender first', async () => {
    const early: boolean[] = []
    const note = function (this: Verification) {
      early.push(this.auth === undefined)
      return undefined
    }
    const parsed = vi.spyOn(Verification.prototype, 'parsed').mockImplementation(note)
    const fields = vi.spyOn(Verification.prototype, 'fields').mockImplementation(note)
    for (const vectors of all) {
      const { genuine, receive } = await senderOf(vectors)
      await receive(genuine?.body ?? '')
    }
    parsed.mockRestore()
    fields.mockRestore()
    expect(early.length).toBeGreaterThanOrEqual(readFirst.length)
    expect(early).not.toContain(false)
  })
})

describe('after authentication', () => {
  it('a body may have any number of fields and levels', async () => {
    const okta = await senderOf(all.find(({ scheme }) => scheme === 'okta') ?? (all[0] as Vectors))
    const body = `{"eventId":"e","many":${elements(5000)},"deep":${'['.repeat(500)}${']'.repeat(500)}}`
    expect(await okta.receive(body)).toMatchObject({ ok: true, event: { id: 'e' } })
  })

  it('a form with plus signs is read with spaces, and its bytes stay as they came', async () => {
    const slack = (await schemeFactory('slack'))({ secrets: 'of-this-test' })
    const body = Buffer.from('text=a+b%2Bc')
    expect(slack.protocol?.readerFor(FORM)?.(body)).toEqual({ payload: { text: 'a b+c' } })
    expect(body.toString()).toBe('text=a+b%2Bc')
  })
})

describe('what is counted of a JSON text', () => {
  const excess = (text: string, most = 3) => jsonExcess(Buffer.from(text), most)
  const OVER = 'the body has over 3 fields'

  it.each([
    ['elements', '[1,2,3]', '[1,2,3,4]'],
    ['members', '{"a":1,"b":2,"c":3}', '{"a":1,"b":2,"c":3,"d":4}'],
    ['levels as well', '[[[1]]]', '[[[[1]]]]'],
    ['empty lists', '[[],1]', '[[],[],1]'],
    ['members with one name', '{"a":1,"a":2,"a":3}', '{"a":1,"a":2,"a":3,"a":4}'],
  ])('%s', (_, within, over) => {
    expect(excess(within)).toBeUndefined()
    expect(excess(over)).toBe(OVER)
  })

  it.each([
    ['a string', '["[[[,,,{{{"]'],
    ['a string with escaped quotes', '["\\"[,,,","\\\\"]'],
    ['a string that never ends', '["[,,,,,'],
  ])('nothing in %s', (_, text) => expect(excess(text)).toBeUndefined())

  it('what follows a string that ends with a backslash', () => {
    expect(excess('["\\\\",1,2,3]')).toBe(OVER)
  })

  it('at most 64 levels are counted at a time', () => {
    expect(excess('[]'.repeat(100), 1000)).toBeUndefined()
    expect(excess(`${'['.repeat(64)}${']'.repeat(64)}`, 1000)).toBeUndefined()
    expect(excess('['.repeat(65), 1000)).toBe('the body is over 64 levels deep')
  })
})

it('the fields of a form are counted by the signs between them', () => {
  expect(formExcess(Buffer.from('a=1&b=2&c=3'), 3)).toBeUndefined()
  expect(formExcess(Buffer.from('a=1&b=2&c=3&'), 3)).toBe('the body has over 3 fields')
})

it('a quote in the header of a part does not hide the JSON after it', () => {
  const hidden = (json: string) => Buffer.from(part('a"json', json))
  expect(multipartExcess(hidden(elements(9)), 9)).toBeUndefined()
  expect(multipartExcess(hidden(elements(10)), 9)).toBe('the body has over 9 fields')
})

it('a body of several parts may have 1,000', () => {
  const parts = (count: number) => Buffer.from(`${part('a', '').repeat(count)}--b--`)
  expect(multipartExcess(parts(1000), 5000)).toBeUndefined()
  expect(multipartExcess(parts(1001), 5000)).toBe('the body has over 1,000 fields')
})
