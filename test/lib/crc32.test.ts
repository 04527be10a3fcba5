import { expect, it } from 'vitest'
import { crc32 } from '../../src/lib/crc32.ts'
import fc from '../support/property.ts'

/** ISO 3309, computed bit by bit without a table. */
function bitByBit(bytes: Uint8Array): number {
  let rest = 0xffffffff
  for (const byte of bytes) {
    rest ^= byte
    for (let bit = 0; bit < 8; bit += 1) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1
  }
  return ~rest >>> 0
}

it('crc32 agrees with a bitwise CRC-32', () => {
  expect(crc32(new TextEncoder().encode('123456789'))).toBe(0xcbf43926)
  expect(crc32(new Uint8Array(0))).toBe(0)
  fc.assert(fc.property(fc.uint8Array({ maxLength: 1000 }), (bytes) => crc32(bytes) === bitByBit(bytes)))
})
