/** Cryptography on the Web Crypto API, for runtimes without node:crypto. `node.ts` is its counterpart. */
import { bytesOf, encodeBase64, encodeBase64url, encodeHex, encodeUtf8, textBytes } from '../lib/bytes.ts'
import { bytesToHash, type HashedBytes } from '../lib/unread.ts'
import {
  type HmacHash,
  hashBits,
  isKeyFor,
  type Mac,
  type Sha256,
  type SignatureAlgorithm,
  type SignatureKey,
  type Signed,
  type Spelling,
} from './algorithms.ts'
import { wholeOf } from './written.ts'

export { decodeBase64url } from '../lib/bytes.ts'
export { crc32 } from '../lib/crc32.ts'
export { joinChunks as joinBody } from '../lib/read-stream.ts'

export const explained = (..._refused: readonly unknown[]): boolean => false

export const sharesTimers = (): boolean => false

export function startUnreferenced(callback: () => void, milliseconds: number): void {
  setTimeout(callback, milliseconds)
}

/** Does nothing: Web Crypto computes on other threads, and cannot be stopped. */
export function abandon(_bytes: Uint8Array): void {}

export function wasAbandoned(_error: unknown): boolean {
  return false
}

/** Not the one of `lib/bytes.ts`, which every store would then bundle. */
const ENCODE = { hex: encodeHex, base64: encodeBase64, base64url: encodeBase64url } as const

/** Computes the HMAC of `before`, `body` and `after`, concatenated. Each character of a text is one byte. */
export function hmacWith(algorithm: HmacHash, key: Uint8Array, spelling: Spelling): Mac {
  const importKey = () =>
    crypto.subtle.importKey('raw', key.slice(), { name: 'HMAC', hash: `SHA-${algorithm.slice(3)}` }, false, [
      'sign',
    ])
  let imported: Awaited<ReturnType<typeof importKey>> | undefined

  return async (before, body, after) => {
    const message = bytesOf(before, wholeOf(body), after)
    // Caches the key, never its promise: workerd forbids awaiting what another request started.
    imported ??= await importKey()
    return ENCODE[spelling](new Uint8Array(await crypto.subtle.sign('HMAC', imported, message)))
  }
}

/** Computes the plain hash of `before`, `body` and `after`, concatenated. Each character of a text is one byte. */
export function hashWith(algorithm: HmacHash, spelling: Spelling): Mac {
  return async (before, body, after) => {
    const digest = await crypto.subtle.digest(
      `SHA-${algorithm.slice(3)}`,
      bytesOf(before, wholeOf(body), after),
    )
    return ENCODE[spelling](new Uint8Array(digest))
  }
}

export const sha256: Sha256 = async (data, spelling = 'base64url') => {
  const bytes = typeof data === 'string' ? textBytes(data) : bytesToHash(data).slice()
  return ENCODE[spelling](new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))
}

/** Shows the bytes to `visit`, which a runtime without turns gets at once. */
export function visitBytes(bytes: HashedBytes, visit: (slice: Uint8Array) => void): void {
  visit(bytesToHash(bytes))
}

/**
 * Verifies `signature` over `message`, which is ASCII text or the parts of it, with a key imported for the algorithm
 * (RFC 7515 5.2).
 */
export async function verifySignature(
  algorithm: SignatureAlgorithm,
  key: SignatureKey,
  signature: Uint8Array<ArrayBuffer>,
  message: string | Signed,
  _times?: number,
): Promise<boolean> {
  try {
    if (!isKeyFor(algorithm, key)) return false
    const bits = hashBits(algorithm)
    return await crypto.subtle.verify(
      bits ? { name: key.algorithm.name, hash: `SHA-${bits}`, saltLength: bits / 8 } : key.algorithm.name,
      key,
      signature,
      typeof message === 'string'
        ? encodeUtf8(message)
        : bytesOf(message.before, wholeOf(message.body), message.after),
    )
  } catch {
    return false
  }
}

const LONGEST_TEXT = 128

/** Compares two texts of equal length, at most 128, in constant time. */
export function constantTimeEqual(a: string, b: string): boolean {
  if (a.length !== b.length || a.length > LONGEST_TEXT) return false
  let difference = 0
  for (let index = 0; index < b.length; index += 1) {
    difference |= a.charCodeAt(index) ^ b.charCodeAt(index)
  }
  return difference === 0
}
