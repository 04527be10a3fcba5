import { decodeBase64url } from '#crypto'
import type { Signed } from '../crypto/algorithms.ts'
import { byteText } from '../lib/bytes.ts'
import { bytesToHash, type UnreadBytes, unread } from '../lib/unread.ts'
import { type Claims, readObject } from './token.ts'

/** A JWS of the right form. Nothing about it is verified yet. */
export interface Jws {
  readonly header: Claims
  /** As it stands in the text, in base64url. Not looked at yet. */
  readonly payload: UnreadBytes
  /** What is signed: header and payload, and the dot between them (RFC 7515 5.2). */
  readonly signingInput: Signed
  readonly signature: Uint8Array<ArrayBuffer>
}

/** A chain of certificates takes some 6 KB. */
const LONGEST_HEADER = 16_384
const LONGEST_SIGNATURE = 2048
const DOT = 0x2e

/**
 * Reads a compact JWS (RFC 7515 3.1) that holds a body, so that it may be longer than a token. As strict as `readToken`: one
 * spelling, one algorithm, no extensions. Looks at nothing but header and signature, however long the payload is: what it is
 * made of, `payloadOf` says once the signature is verified. Returns a string that says what is wrong, if anything.
 */
export function readJws(given: UnreadBytes, algorithm: string): Jws | string {
  const compact = bytesToHash(given)
  const first = compact.subarray(0, LONGEST_HEADER + 1).indexOf(DOT)
  const end = compact.subarray(-LONGEST_SIGNATURE)
  const last = compact.length - end.length + end.lastIndexOf(DOT)
  if (first <= 0 || !end.includes(DOT) || last <= first + 1)
    return 'the JWS does not have three segments, or has a long header or signature'
  const signature = decodeBase64url(byteText(compact.subarray(last + 1)))
  if (!signature?.length) return 'the signature is not base64url'
  const header = readObject(byteText(compact.subarray(0, first)))
  if (typeof header === 'string') return `the JWS header ${header}`
  if (header.alg !== algorithm) return `alg is not ${algorithm}`
  if ('crit' in header || 'b64' in header) return 'crit and b64 are not allowed'
  const payload = unread(compact.subarray(first + 1, last))
  return {
    header,
    payload,
    signingInput: { before: '', body: compact.subarray(0, last), after: '' },
    signature,
  }
}

/** The payload's JSON object. Call it only once the signature is verified. Returns a string that says what is wrong, if anything. */
export function payloadOf({ payload }: Pick<Jws, 'payload'>): Claims | string {
  const claims = readObject(byteText(bytesToHash(payload)))
  return typeof claims === 'string' ? `the JWS payload ${claims}` : claims
}

/** The payload of a JWS whose form has been checked before. Undefined if it is not a JSON object. */
export function payloadIn(compact: Uint8Array): Claims | undefined {
  const claims = readObject(byteText(compact).split('.')[1] ?? '')
  return typeof claims === 'string' ? undefined : claims
}
