import { decodeBase64url } from '#crypto'
import { byteText } from '../lib/bytes.ts'
import { type Claims, readObject } from './token.ts'

/** A JWS of the right form. Nothing about it is verified yet. */
export interface Jws {
  readonly header: Claims
  /** As it stands in the text, in base64url. */
  readonly payload: string
  /** The signed text: header and payload, and the dot between them (RFC 7515 5.2). */
  readonly signingInput: string
  readonly signature: Uint8Array<ArrayBuffer>
}

/** A chain of certificates takes some 6 KB. */
const LONGEST_HEADER = 16_384
const LONGEST_SIGNATURE = 2048
const [DOT, HIGHEST] = [0x2e, 0x7f]

/**
 * Reads a compact JWS (RFC 7515 3.1) that holds a body, so that it may be longer than a token. As strict as `readToken`: one
 * spelling, one algorithm, no extensions. Parses only the header. Returns a string that says what is wrong, if anything.
 */
export function readJws(compact: Uint8Array, algorithm: string): Jws | string {
  const first = compact.indexOf(DOT)
  const last = compact.lastIndexOf(DOT)
  if (first <= 0 || last <= first + 1 || compact.indexOf(DOT, first + 1) !== last)
    return 'the JWS does not have three segments'
  if (first > LONGEST_HEADER || compact.length - last > LONGEST_SIGNATURE)
    return 'the JWS has a long header or signature'
  if (compact.some((byte) => byte > HIGHEST)) return 'the JWS is not ASCII'
  const text = byteText(compact)
  const signature = decodeBase64url(text.slice(last + 1))
  if (!signature?.length) return 'the signature is not base64url'
  const header = readObject(text.slice(0, first))
  if (typeof header === 'string') return `the JWS header ${header}`
  if (header.alg !== algorithm) return `alg is not ${algorithm}`
  if ('crit' in header || 'b64' in header) return 'crit and b64 are not allowed'
  return { header, payload: text.slice(first + 1, last), signingInput: text.slice(0, last), signature }
}

/** The payload's JSON object. Call it only once the signature is verified. Returns a string that says what is wrong, if anything. */
export function payloadOf({ payload }: Pick<Jws, 'payload'>): Claims | string {
  const claims = readObject(payload)
  return typeof claims === 'string' ? `the JWS payload ${claims}` : claims
}

/** The payload of a JWS whose form has been checked before. Undefined if it is not a JSON object. */
export function payloadIn(compact: Uint8Array): Claims | undefined {
  const claims = readObject(byteText(compact).split('.')[1] ?? '')
  return typeof claims === 'string' ? undefined : claims
}
