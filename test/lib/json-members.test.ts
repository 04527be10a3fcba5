import { describe, expect, it } from 'vitest'
import { memberAt } from '../../src/lib/json.ts'
import { endOfString, rawText, readMembers, selectionOf, unescapeJson } from '../../src/lib/json-members.ts'
import fc from '../support/property.ts'

const WANTED = selectionOf([
  ['a', 'b'],
  ['a', '__proto__'],
  ['list', '*', 'b'],
  ['list', '*', 'c', '1'],
  ['"'],
])
const bytes = (text: string) => Buffer.from(text)
const read = (text: string) => readMembers(bytes(text), WANTED === true ? {} : WANTED)

/** Objects and lists with the wanted names, and others. */
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'json' },
    fc.oneof(fc.string({ unit: 'binary' }), fc.double(), fc.integer(), fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 4 }),
    fc
      .array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'list', '"', '__proto__', ''), tie('value')), {
        maxLength: 5,
      })
      .map((members) => Object.fromEntries(members)),
  ),
}))

/** The same text with other white space and escapes. */
const respelt = (text: string) =>
  text
    .replace(/"a"/g, ' "\\u0061"\t')
    .replace(/"list":/g, '"li\\u0073t" :\r\n')
    .replaceAll('é', '\\u00e9')

describe('members read from a JSON text', () => {
  it('members are those that JSON.parse gives, for any text', () => {
    fc.assert(
      fc.property(value, fc.boolean(), fc.constantFrom(undefined, 1), (payload, isRespelt, space) => {
        const plain = JSON.stringify(payload, null, space)
        const text = isRespelt ? respelt(plain) : plain
        const whole: unknown = JSON.parse(text)
        const found = read(text)
        for (const path of [['a', 'b'], ['a', '__proto__'], ['"']]) {
          expect(memberAt(found, path)).toStrictEqual(memberAt(whole, path))
        }
        const [list, all] = [memberAt(found, ['list']), memberAt(whole, ['list'])]
        expect(Array.isArray(list)).toBe(Array.isArray(all))
        if (!Array.isArray(list) || !Array.isArray(all)) return
        expect(list).toHaveLength(all.length)
        for (const [index, each] of all.entries()) {
          expect(memberAt(list[index], ['b'])).toStrictEqual(memberAt(each, ['b']))
          expect(memberAt(list[index], ['c', '1'])).toStrictEqual(memberAt(each, ['c', '1']))
        }
      }),
      { numRuns: 3000 },
    )
  })

  it('members are the last of those with the same name, however it is spelt', () => {
    expect(read('{"a":{"b":1,"\\u0062":2}}')).toStrictEqual({ a: { b: 2 } })
    expect(read('{"a":{"b":1},"a":{}}')).toStrictEqual({ a: {} })
    expect(read(`{"a":{"b":1,"b":"${'x'.repeat(32_767)}"}}`)).toStrictEqual({ a: { b: Number.NaN } })
    expect(read(`{"a":{"b":"${'x'.repeat(32_767)}","b":1}}`)).toStrictEqual({ a: { b: 1 } })
  })

  it('members are at most 32 KB long, and nothing else of the text is parsed', () => {
    const long = 'x'.repeat(32_766)
    expect(read(`{"a":{"b":"${long}"},"c":"${'y'.repeat(99_999)}"}`)).toStrictEqual({ a: { b: long } })
  })

  it('members are NaN if they are longer, so that none looks absent', () => {
    const long = `"${'x'.repeat(32_767)}"`
    expect(read(`{"a":{"b":${long}}}`)).toStrictEqual({ a: { b: Number.NaN } })
    expect(read(`{"a":${long}}`)).toStrictEqual({ a: Number.NaN })
    expect(read(`{"a":{"b":[${long}]}}`)).toStrictEqual({ a: { b: Number.NaN } })
  })

  it('what stands where members are wanted keeps its type', () => {
    expect(read('{"a":"text","list":7}')).toStrictEqual({ a: 'text', list: 7 })
    expect(read('{"a":[1],"list":{"b":1}}')).toStrictEqual({ a: [null], list: {} })
    expect(read('"text"')).toBeUndefined()
  })

  it.each([
    '',
    ' ',
    '{',
    '{"a"',
    '{"a":',
    '{"a":{"b":',
    '{"a":{"b":x}}',
    '{"a":{"b":"\xff',
    '{a:1}',
    '{"a" 1}',
    '["',
    '\ufeff{}',
  ])('members need a text that is JSON: not %j', (text) => {
    expect(read(text) ?? null).toBe(null)
  })

  it('members never throw, and always end, for any bytes', () => {
    const texts = fc.array(
      fc.constantFrom('{', '}', '[', ']', ',', ':', '"', '\\', 'a', '"a"', '"b"', '"list"', ' ', '1'),
    )
    fc.assert(
      fc.property(texts, (parts) => {
        const text = parts.join('')
        read(text)
        rawText(bytes(text), 'a')
      }),
      { numRuns: 5000 },
    )
  })
})

describe('the raw text of a member', () => {
  it('the raw text is what JSON.parse would read, with its escapes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (text, other) => {
        const json = JSON.stringify({ b: other, a: text, c: [other] })
        expect(JSON.parse(`"${Buffer.from(rawText(bytes(json), 'a') ?? []).toString()}"`)).toBe(
          JSON.parse(Buffer.from(json).toString()).a,
        )
      }),
    )
  })

  it('the raw text is missing if the member is, or is no string', () => {
    for (const text of ['{}', '{"a":1}', '{"a":"1","a":[]}', '["a"]', '{"a":"', '']) {
      expect(rawText(bytes(text), 'a')).toBeUndefined()
    }
    expect(Buffer.from(rawText(bytes('{"a":1,"a":"x"}'), 'a') ?? []).toString()).toBe('x')
  })
})

describe('the bytes of a JSON string', () => {
  const encoded = (json: string) => {
    const raw = bytes(json).subarray(1, -1)
    const into = new Uint8Array(raw.length + 1)
    return Buffer.from(into.subarray(1, unescapeJson(raw, into, 1)))
  }
  /** Every character escaped in one of the ways that JSON has. */
  const escaped = (text: string) =>
    `"${Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')}"`

  /** As `TextEncoder` writes it, but with three bytes of its own for half a surrogate pair. */
  const utf8 = (text: string) =>
    Buffer.concat(
      Array.from(text, (point) => {
        if (point.isWellFormed()) return Buffer.from(point)
        const half = point.charCodeAt(0)
        return Buffer.of(0xed, 0x80 | ((half >> 6) & 0x3f), 0x80 | (half & 0x3f))
      }),
    )

  it('the bytes are the UTF-8 of what JSON.parse gives, for any text and escapes', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc
        .array(
          fc.constantFrom(
            'a'.repeat(70),
            '\ud83d',
            '\ude00',
            'é',
            '€',
            '"',
            '\\',
            '/',
            '\n',
            'a',
            '\u07ff',
            '\u0800',
          ),
        )
        .map((all) => all.join('')),
    )
    fc.assert(
      fc.property(text, (given) => {
        expect(encoded(JSON.stringify(given))).toStrictEqual(utf8(given))
        expect(encoded(escaped(given))).toStrictEqual(utf8(given))
      }),
      { numRuns: 3000 },
    )
  })

  it('the bytes have the escapes of one letter', () => {
    expect(encoded('"\\b\\f\\n\\r\\t\\/\\"\\\\"').toString()).toBe('\b\f\n\r\t/"\\')
  })

  it('the bytes are never longer than the string, whatever is read', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('\\', 'u', 'd83d', 'de00', 'ffff', 'zzzz', '\xff', 'n')),
        (parts) => {
          const raw = bytes(parts.join(''))
          expect(unescapeJson(raw, new Uint8Array(raw.length), 0)).toBeLessThanOrEqual(raw.length)
        },
      ),
    )
  })
})

describe('endOfString', () => {
  /** Byte by byte. */
  function slowEnd(text: Uint8Array, start: number): number {
    let index = start
    for (; index < text.length; index += 1) {
      if (text[index] === 0x5c) index += 1
      else if (text[index] === 0x22 || text[index] === 0x0a) return index
    }
    return index
  }

  const piece = fc.oneof(
    fc.constantFrom('"', '\\', '\n', '\\"', '\\\\', '\\\n', 'é'),
    fc.integer({ min: 0, max: 600 }).map((length) => 'a'.repeat(length)),
  )

  it('the end of a string is where a search byte by byte finds it', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.nat(300), (pieces, start) => {
        const text = Buffer.from(pieces.join(''))
        expect(endOfString(text, start)).toBe(slowEnd(text, start))
      }),
      { numRuns: 5000 },
    )
  })

  it.each([
    ['no quote', 'a', ''],
    ['escaped quotes', '\\"', ''],
    ['an escape every 257 bytes', `${'a'.repeat(257)}\\n`, ''],
    ['escaped quotes 257 bytes apart', `${'a'.repeat(257)}\\"`, ''],
    ['quotes 257 bytes apart', `${'a'.repeat(257)}"`, ''],
    ['backslashes', '\\\\', ''],
  ])('16 MB of %s are passed over in linear time, or this test hangs', (_, part) => {
    const text = Buffer.from(part.repeat(16_777_216 / part.length))
    let at = 0
    while (at < text.length) at = endOfString(text, at) + 1
    expect(at).toBeGreaterThanOrEqual(text.length)
  })
})
