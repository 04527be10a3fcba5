/** The polynomial of ISO 3309, its bits in reverse. */
const POLYNOMIAL = 0xedb88320

const TABLE: Uint32Array = /* @__PURE__ */ tableOf(POLYNOMIAL)

function tableOf(polynomial: number): Uint32Array {
  return Uint32Array.from({ length: 256 }, (_, byte) => {
    let rest = byte
    for (let bit = 0; bit < 8; bit += 1) rest = rest & 1 ? (rest >>> 1) ^ polynomial : rest >>> 1
    return rest
  })
}

/**
 * The checksum of ZIP and PNG, from 0 to 2^32 - 1. Not secure: anyone can construct a text with a given
 * checksum.
 */
export function crc32(bytes: Uint8Array): number {
  let rest = 0xffffffff
  for (const byte of bytes) rest = (rest >>> 8) ^ (TABLE[(rest ^ byte) & 0xff] ?? 0)
  return (rest ^ 0xffffffff) >>> 0
}
