import { crc32 as ofNode } from 'node:zlib'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { crc32 } from '../../src/lib/crc32.ts'

it('is the checksum that everyone else computes', () => {
  expect(crc32(Buffer.from('123456789'))).toBe(0xcbf43926)
  expect(crc32(new Uint8Array(0))).toBe(0)
  fc.assert(fc.property(fc.uint8Array({ maxLength: 1000 }), (bytes) => crc32(bytes) === ofNode(bytes)))
})
