import { describe, expect, it } from 'vitest'
import { decodeBase64, encodeBase64 } from '../../src/lib/bytes.ts'

const CHUNK_BYTES = 8192

/** Every byte value, in an order that does not repeat with the chunks. */
const bytesOf = (length: number) =>
  Uint8Array.from({ length }, (_, index) => (index * 167 + (index >> 8)) & 255)

/** Bytes as on an engine without its own base64. */
const withoutOwn = (bytes: Uint8Array) => Object.assign(bytes, { toBase64: undefined })

describe('encodeBase64', () => {
  it.each([0, 1, 2, 3, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, CHUNK_BYTES + 2, 65_536, 1_000_000])(
    'encodeBase64 writes %i bytes as Buffer does, and decodeBase64 brings them back',
    (length) => {
      const bytes = bytesOf(length)
      const text = Buffer.from(bytes).toString('base64')
      expect(encodeBase64(bytes) === text).toBe(true)
      expect(encodeBase64(withoutOwn(bytesOf(length))) === text).toBe(true)
      expect(Buffer.compare(decodeBase64(text) ?? Buffer.of(), bytes)).toBe(0)
    },
  )

  it("encodeBase64 uses the engine's own method if there is one", () => {
    expect(encodeBase64(Object.assign(bytesOf(3), { toBase64: () => "the engine's" }))).toBe("the engine's")
  })

  it('encodeBase64 reads a view, not the buffer behind it', () => {
    const view = new Uint8Array(Uint8Array.of(1, 2, 3, 4, 5).buffer, 1, 3)
    expect(encodeBase64(withoutOwn(view))).toBe(Buffer.of(2, 3, 4).toString('base64'))
  })
})
