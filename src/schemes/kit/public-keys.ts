import { encodeHex } from '../../lib/bytes.ts'
import { isSmallOrderEd25519 } from '../../lib/weak-keys.ts'

/** The bytes before the point in every P-256 SubjectPublicKeyInfo (RFC 5480 2). */
const P256_HEADER = '3059301306072a8648ce3d020106082a8648ce3d030107034200'
const HEADER_BYTES = 26
const POINT_BYTES = 65

/** Finds what is wrong with an Ed25519 public key (RFC 8032 5.1.5). Undefined if the key is usable. */
export function ed25519Problem(bytes: Uint8Array): string | undefined {
  if (bytes.length !== 32) return `must encode 32 bytes, not ${bytes.length}`
  const point = bytes.reduceRight((sum, byte) => sum * 256n + BigInt(byte), 0n)
  return isSmallOrderEd25519(point)
    ? 'is a small-order point, for which anyone can forge signatures'
    : undefined
}

/** The uncompressed point of a P-256 SubjectPublicKeyInfo. Undefined for any other key. */
export function p256Point(spki: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
  if (spki.length !== HEADER_BYTES + POINT_BYTES) return undefined
  if (encodeHex(spki.subarray(0, HEADER_BYTES)) !== P256_HEADER) return undefined
  const point = spki.slice(HEADER_BYTES)
  return point[0] === 0x04 ? point : undefined
}

/** Converts a strict DER signature (RFC 3279 2.2.3) to r and s, 32 bytes each. Undefined for any other bytes. */
export function signatureOfDer(der: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
  const signature = new Uint8Array(64)
  if (der[0] !== 0x30 || der[1] !== der.length - 2) return undefined
  let start = 2
  for (const end of [32, 64]) {
    const length = der[start + 1] ?? 0
    const number = der.subarray(start + 2, start + 2 + length)
    if (der[start] !== 0x02 || length === 0 || number.length !== length || !isShortest(number))
      return undefined
    const digits = number[0] === 0 ? number.subarray(1) : number
    if (digits.length > 32) return undefined
    signature.set(digits, end - digits.length)
    start += 2 + length
  }
  return start === der.length ? signature : undefined
}

/** Whether a DER integer is non-negative and minimal. */
function isShortest([first = 0, second = 0x80]: Uint8Array): boolean {
  return first < 0x80 && (first !== 0 || second >= 0x80)
}
