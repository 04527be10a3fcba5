import { constantTimeEqual, hmacWith, sha256, verifySignature } from '#crypto'
import type { HmacHash } from '../crypto/algorithms.ts'
import { ListenerConfigError } from '../errors.ts'
import { decodeBase64, decodeBase64url, decodeHex, encodeHex } from '../lib/bytes.ts'
import { type MaybePromise, whenKnown } from '../lib/maybe-promise.ts'
import { isSmallOrderEd25519 } from '../lib/weak-keys.ts'
import { keyBytes } from './keys.ts'
import type { Algorithm, KeyForm, Signed, Spelling } from './scheme.ts'

/**
 * Whether one of the texts is a signature of these bytes. Tries every text, so the timing does not reveal which one
 * matched.
 */
export type Matcher = (signatures: readonly string[], signed: Signed) => MaybePromise<boolean>

export const HMAC_HASHES: Partial<Record<Algorithm, HmacHash>> = {
  'hmac-sha256': 'sha256',
  'hmac-sha1': 'sha1',
  'hmac-sha512': 'sha512',
}
const DECODE = { hex: decodeHex, base64: decodeBase64, base64url: decodeBase64url } as const
const LONGEST_SIGNATURE = 128

/** @throws ListenerConfigError if the secret or key is malformed. `option` is the name in the message. */
export function matcherOf(
  algorithm: Algorithm,
  key: KeyForm,
  spelling: Spelling,
  secret: string,
  option: string,
): Matcher {
  if (algorithm === 'token') return tokenMatcher(secret)
  const bytes = keyBytes(key, secret)
  if (typeof bytes === 'string') throw new ListenerConfigError(option, bytes)
  const hash = HMAC_HASHES[algorithm]
  if (hash !== undefined) return macMatcher(hash, bytes, spelling)
  return algorithm === 'ed25519'
    ? ed25519Matcher(bytes, spelling, option)
    : p256Matcher(bytes, spelling, option)
}

/** Compares texts, so only the canonical encoding matches. */
function macMatcher(hash: HmacHash, key: Uint8Array, spelling: Spelling): Matcher {
  const mac = hmacWith(hash, key, spelling)
  return (signatures, { before, body, after }) =>
    whenKnown(mac(before, body, after), (right) => anyEqual(signatures, right))
}

/** Compares digests, which have equal lengths. */
function tokenMatcher(secret: string): Matcher {
  return ([token = ''], _signed) =>
    whenKnown(sha256(secret), (right) => whenKnown(sha256(token), (given) => constantTimeEqual(given, right)))
}

function anyEqual(signatures: readonly string[], right: string): boolean {
  let found = false
  for (const signature of signatures) found = constantTimeEqual(signature, right) || found
  return found
}

function ed25519Matcher(key: Uint8Array<ArrayBuffer>, spelling: Spelling, option: string): Matcher {
  const problem = ed25519Problem(key)
  if (problem !== undefined) throw new ListenerConfigError(option, problem)
  return publicKeyMatcher('EdDSA', key, { name: 'Ed25519' }, (text) => DECODE[spelling](text))
}

function p256Matcher(spki: Uint8Array<ArrayBuffer>, spelling: Spelling, option: string): Matcher {
  const point = p256Point(spki)
  if (point === undefined)
    throw new ListenerConfigError(option, 'must be the SubjectPublicKeyInfo of a P-256 key')
  return publicKeyMatcher('ES256', point, { name: 'ECDSA', namedCurve: 'P-256' }, (text) => {
    const der = DECODE[spelling](text)
    return der && signatureOfDer(der)
  })
}

function publicKeyMatcher(
  algorithm: 'EdDSA' | 'ES256',
  bytes: Uint8Array<ArrayBuffer>,
  parameters: { readonly name: string; readonly namedCurve?: string },
  decode: (text: string) => Uint8Array<ArrayBuffer> | undefined,
): Matcher {
  const importKey = () => crypto.subtle.importKey('raw', bytes, parameters, false, ['verify'])
  // Caches the key, not its promise: workerd forbids awaiting another request's I/O.
  let imported: Awaited<ReturnType<typeof importKey>> | undefined
  return async (signatures, signed) => {
    imported ??= await importKey()
    let found = false
    for (const text of signatures) {
      const signature = text.length > LONGEST_SIGNATURE ? undefined : decode(text)
      if (signature) found = (await verifySignature(algorithm, imported, signature, signed)) || found
    }
    return found
  }
}

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
function signatureOfDer(der: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
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
