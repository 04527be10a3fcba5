import { isUtf8 } from 'node:buffer'
import { expect, it } from 'vitest'
import { decodeUtf8 } from '../../src/lib/bytes.ts'
import fc from '../support/property.ts'

it('decodeUtf8 decodes UTF-8 without losing a byte, byte order mark and all', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      fc.pre(text.isWellFormed())
      expect(decodeUtf8(Buffer.from(text))).toBe(text)
      expect(decodeUtf8(Buffer.from(`\ufeff${text}`))).toBe(`\ufeff${text}`)
    }),
  )
})

it('decodeUtf8 answers undefined for exactly the bytes that are not UTF-8', () => {
  const byte = fc.oneof(
    fc.nat(255),
    fc.constantFrom(0x80, 0xbf, 0xc0, 0xc2, 0xe0, 0xed, 0xef, 0xf0, 0xf4, 0xff),
  )
  const bytes = fc.array(byte, { maxLength: 8 }).map((list) => Uint8Array.from(list))
  fc.assert(
    fc.property(bytes, (given) => {
      expect(decodeUtf8(given) !== undefined).toBe(isUtf8(given))
    }),
    { numRuns: 5000 },
  )
})

it('decodeUtf8 is not affected by incomplete bytes of an earlier call', () => {
  expect(decodeUtf8(Uint8Array.of(0xe2, 0x82))).toBeUndefined()
  expect(decodeUtf8(Uint8Array.of(0xac))).toBeUndefined()
  expect(decodeUtf8(Uint8Array.of(0xe2, 0x82, 0xac))).toBe('€')
})
