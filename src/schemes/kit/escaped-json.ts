import type { WrittenBytes } from '../../crypto/algorithms.ts'
import { bytesToHash, type HashedBytes } from '../../lib/unread.ts'

/** `\u001f` for one byte. */
const GROWTH = 6
/** As many bytes are stored at a time. */
const WIDTH = 8

/**
 * How `JSON.stringify` writes each byte of a text's UTF-8: eight bytes, of which the first ones count. As numbers, so that one store
 * writes them. The last two are zero, so that no number is a NaN, whose bits may change.
 */
const WRITTEN: Float64Array = /* @__PURE__ */ Float64Array.from({ length: 256 }, (_, code) => {
  const bytes = new DataView(new ArrayBuffer(WIDTH))
  for (const [at, letter] of [...spelled(code)].entries()) bytes.setUint8(at, letter.charCodeAt(0))
  return bytes.getFloat64(0, true)
})
const LENGTHS: Uint8Array = /* @__PURE__ */ Uint8Array.from(
  { length: 256 },
  (_, code) => spelled(code).length,
)

function spelled(code: number): string {
  return JSON.stringify(String.fromCharCode(code)).slice(1, -1)
}

/**
 * The bytes as a JSON string has them, without its quotes: what `JSON.stringify` writes of their text, if they are UTF-8. Other bytes
 * stay as they are, so no two bodies are written alike.
 */
export function escapedJson(from: HashedBytes): WrittenBytes {
  const source = bytesToHash(from)
  return { from, growth: GROWTH, write: (start, end) => escaped(source, start, end) }
}

/** Reused, because the system may take 5 ms to provide a fresh megabyte. */
let room = new DataView(new ArrayBuffer(0))

/** One store a byte, whatever it is: twice as fast as a branch for each kind. */
function escaped(source: Uint8Array, start: number, end: number): Uint8Array {
  const most = (end - start) * GROWTH + WIDTH
  if (room.byteLength < most) room = new DataView(new ArrayBuffer(most))
  const into = room
  let at = 0
  for (let index = start; index < end; index += 1) {
    const code = source[index] ?? 0
    into.setFloat64(at, WRITTEN[code] ?? 0, true)
    at += LENGTHS[code] ?? 0
  }
  return new Uint8Array(into.buffer, 0, at)
}
