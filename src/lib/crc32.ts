/** The polynomial of ISO 3309, its bits in reverse. */
const POLYNOMIAL = 0xedb88320

/** The checksums of each byte, and of each byte with one, two and three zeros after it: four bytes take one step. */
const TABLES: Uint32Array = /* @__PURE__ */ tablesOf(POLYNOMIAL)

function tablesOf(polynomial: number): Uint32Array {
  const tables = new Uint32Array(1024)
  for (let index = 0; index < 1024; index += 1) {
    let rest = index < 256 ? index : (tables[index - 256] ?? 0)
    for (let bit = 0; bit < 8; bit += 1) rest = rest & 1 ? (rest >>> 1) ^ polynomial : rest >>> 1
    tables[index] = rest
  }
  return tables
}

/**
 * The checksum of ZIP and PNG, from 0 to 2^32 - 1. Not secure: anyone can construct a text with a given
 * checksum. `before` is that of the bytes before these.
 */
export function crc32(bytes: Uint8Array, before = 0): number {
  const at = (table: number, byte: number) => TABLES[table + (byte & 0xff)] ?? 0
  let rest = before ^ 0xffffffff
  let index = 0
  for (const end = bytes.length - 3; index < end; index += 4) {
    rest ^= (bytes[index] ?? 0) | ((bytes[index + 1] ?? 0) << 8) | ((bytes[index + 2] ?? 0) << 16)
    rest ^= (bytes[index + 3] ?? 0) << 24
    rest = at(768, rest) ^ at(512, rest >>> 8) ^ at(256, rest >>> 16) ^ at(0, rest >>> 24)
  }
  for (; index < bytes.length; index += 1) rest = (rest >>> 8) ^ at(0, rest ^ (bytes[index] ?? 0))
  return (rest ^ 0xffffffff) >>> 0
}
