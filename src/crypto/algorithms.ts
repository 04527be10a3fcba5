import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { HashedBytes } from '../lib/unread.ts'

/** The algorithms of hookgate's scheme. */
export const JWT_ALGORITHMS = ['RS256', 'ES256', 'EdDSA'] as const
export type JwtAlgorithm = (typeof JWT_ALGORITHMS)[number]

/** The algorithms of all senders, by their names in JOSE (RFC 7518 3.1). Tokens have none but the first three. */
export type SignatureAlgorithm = JwtAlgorithm | 'RS384' | 'PS256' | 'PS384' | 'ES384'

export type SignatureKey = Parameters<typeof crypto.subtle.verify>[1]

/** Name, hash and curve of each key, in Web Crypto's terms (RFC 7518 3.3, 3.4; RFC 8037 3.1). */
const KEY_ALGORITHMS: Readonly<Record<SignatureAlgorithm, string>> = {
  RS256: 'RSASSA-PKCS1-v1_5 SHA-256 ',
  RS384: 'RSASSA-PKCS1-v1_5 SHA-384 ',
  PS256: 'RSA-PSS SHA-256 ',
  PS384: 'RSA-PSS SHA-384 ',
  ES256: 'ECDSA  P-256',
  ES384: 'ECDSA  P-384',
  EdDSA: 'Ed25519  ',
}

/**
 * Whether a public key was imported for exactly this algorithm. Web Crypto accepts any hash and curve, and node:crypto any
 * key.
 */
export function isKeyFor(algorithm: SignatureAlgorithm, key: SignatureKey): boolean {
  const { name, hash, namedCurve }: KeyAlgorithm = key.algorithm
  return (
    [name, hash?.name, namedCurve].join(' ') === KEY_ALGORITHMS[algorithm] &&
    key.type === 'public' &&
    key.usages.includes('verify')
  )
}

/** The bits of the hash that an algorithm signs, as its name says. NaN for EdDSA, which hashes the message itself. */
export const hashBits = (algorithm: SignatureAlgorithm): number => Number(algorithm.slice(2))

interface KeyAlgorithm {
  readonly name: string
  readonly hash?: { readonly name: string }
  readonly namedCurve?: string
}

/** The hashes that senders use HMAC with. */
export type HmacHash = 'sha1' | 'sha256' | 'sha384' | 'sha512'

/**
 * The encoding of a signature. Only the canonical form matches: lower-case hex, padded base64, or base64url without padding.
 */
export type Spelling = 'hex' | 'base64' | 'base64url'

/**
 * Computes the MAC of the three parts, concatenated. Each character of `before` and `after` is one byte. `times` is how many such
 * computations the same delivery costs: if these are more than a megabyte, each one waits for turns of the event loop.
 */
export type Mac = (before: string, body: SignedBody, after: string, times?: number) => MaybePromise<string>

/** Computes the SHA-256 of bytes, or of a text's `textBytes`, as text: by default, as base64url. */
export type Sha256 = (data: HashedBytes | string, spelling?: Spelling) => MaybePromise<string>

/**
 * Bytes that are written from others only as they are hashed, slice by slice: so they take no memory, and no time at a stretch,
 * however many they are.
 */
export interface WrittenBytes {
  /** What they are written from. */
  readonly from: HashedBytes
  /** The most bytes that are written for each one. */
  readonly growth: number
  /** Writes what stands for the bytes of `from` between two indices. The result is valid until the next call. */
  write(start: number, end: number): Uint8Array
}

/** What of the signed bytes may be as large as the body. */
export type SignedBody = HashedBytes | WrittenBytes

/** The signed bytes in order: `before`, `body`, `after`. */
export interface Signed {
  /** What comes before the body, as one character a byte. */
  readonly before: string
  /** The exact bytes of the body. Empty if the body is not signed. */
  readonly body: SignedBody
  /** What comes after the body, as one character a byte. */
  readonly after: string
}
