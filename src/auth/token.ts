import { decodeBase64url } from '../lib/base64url.ts'
import type { Json } from '../lib/json.ts'
import { hasRepeatedMembers } from '../lib/json-members.ts'
import { decodeUtf8 } from '../lib/utf8.ts'

export const JWT_ALGORITHMS = ['RS256', 'ES256', 'EdDSA'] as const
export type JwtAlgorithm = (typeof JWT_ALGORITHMS)[number]

/** A token that is well formed. Nothing about it is verified yet. */
export interface Token {
  readonly compact: string
  readonly algorithm: JwtAlgorithm
  readonly keyId: string
  readonly claims: { readonly [claim: string]: Json }
}

const LONGEST_TOKEN = 8192
const LONGEST_KEY_ID = 256
const BEARER = 'Bearer '

/**
 * Reads `Authorization: Bearer <JWT>` (RFC 6750 2.1; RFC 7515 3.1), far more narrowly than RFC 7515 allows: one form,
 * one spelling, three algorithms, no extension. A string says what is wrong with it.
 */
export function readBearerToken(header: string): Token | string {
  if (header.length > BEARER.length + LONGEST_TOKEN) return `the token is over ${LONGEST_TOKEN} characters`
  if (header.slice(0, BEARER.length).toLowerCase() !== BEARER.toLowerCase()) return 'the scheme is not Bearer'
  const compact = header.slice(BEARER.length)
  const segments = compact.split('.', 4)
  const [protectedHeader = '', payload = '', signature = ''] = segments
  if (segments.length !== 3) return 'the token has not three segments'
  if (signature === '' || decodeBase64url(signature) === undefined)
    return 'the signature is not canonical base64url'
  const header_ = readObject(protectedHeader)
  if (typeof header_ === 'string') return `the token header ${header_}`
  const claims = readObject(payload)
  if (typeof claims === 'string') return `the token payload ${claims}`
  const known = readHeader(header_)
  return typeof known === 'string' ? known : { compact, claims, ...known }
}

type JsonObject = { readonly [member: string]: Json }

function readHeader(header: JsonObject): Pick<Token, 'algorithm' | 'keyId'> | string {
  const algorithm = JWT_ALGORITHMS.find((known) => known === header.alg)
  const keyId = header.kid
  if (algorithm === undefined) return `alg is none of ${JWT_ALGORITHMS.join(', ')}`
  if (typeof keyId !== 'string' || keyId === '') return 'kid is missing'
  if (keyId.length > LONGEST_KEY_ID) return `kid is over ${LONGEST_KEY_ID} characters`
  if (Object.hasOwn(header, 'crit') || Object.hasOwn(header, 'b64')) return 'crit and b64 are not supported'
  return { algorithm, keyId }
}

/** The readers of a token must agree on it, so a member may not come twice (RFC 7515 4, RFC 7519 4). */
function readObject(segment: string): JsonObject | string {
  const bytes = decodeBase64url(segment)
  if (bytes === undefined || bytes.length === 0) return 'is not canonical base64url'
  const text = decodeUtf8(bytes)
  try {
    const value: Json = text === undefined ? null : JSON.parse(text)
    if (text === undefined || typeof value !== 'object' || value === null || Array.isArray(value)) {
      return 'is not a JSON object'
    }
    return hasRepeatedMembers(text) ? 'has a member twice' : value
  } catch {
    return 'is not JSON'
  }
}
