import { crc32 } from 'node:zlib'

const LETTERS = 64

/** `pad` with some letters in upper case. */
const cased = (pad, bits) => [...pad].map((letter, at) => (bits[at] ? letter.toUpperCase() : letter)).join('')

/**
 * A body with the CRC-32 of another one. `write(pad)` returns the body around 64 letters. Each upper-case letter flips
 * fixed bits of the checksum, so a linear equation says which letters to change.
 */
export function withChecksum(wanted, write) {
  const pad = 'a'.repeat(LETTERS)
  const plain = crc32(write(pad))
  const flip = (at) => crc32(write(cased(pad, { [at]: true }))) ^ plain
  const rows = Array.from({ length: LETTERS }, (_, at) => ({ bits: flip(at) >>> 0, uses: 1n << BigInt(at) }))
  let [target, uses] = [(wanted ^ plain) >>> 0, 0n]
  for (let bit = 31; bit >= 0; bit -= 1) {
    const at = rows.findIndex((row) => (row.bits >>> bit) & 1)
    if (at < 0) continue
    const [pivot] = rows.splice(at, 1)
    for (const row of rows)
      if ((row.bits >>> bit) & 1)
        [row.bits, row.uses] = [(row.bits ^ pivot.bits) >>> 0, row.uses ^ pivot.uses]
    if ((target >>> bit) & 1) [target, uses] = [(target ^ pivot.bits) >>> 0, uses ^ pivot.uses]
  }
  if (target !== 0) throw new Error('no choice of capitals gives that checksum')
  return write(
    cased(
      pad,
      Array.from({ length: LETTERS }, (_, at) => (uses >> BigInt(at)) & 1n),
    ),
  )
}
