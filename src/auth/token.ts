import { decodeBase64url } from '#crypto'
import { JWT_ALGORITHMS, type JwtAlgorithm } from '../crypto/algorithms.ts'
import { decodeUtf8 } from '../lib/bytes.ts'
import type { Json } from '../lib/json.ts'

/** A well-formed token. Nothing about it is verified yet. */
export interface Token {
  /** The signed text: the first two segments and the dot between them (RFC 7515 5.2). */
  readonly signingInput: string
  readonly signature: Uint8Array<ArrayBuffer>
  readonly algorithm: JwtAlgorithm
  readonly keyId: string
  readonly claims: { readonly [claim: string]: Json }
}

export const LONGEST_TOKEN = 8192
const LONGEST_KEY_ID = 256
const BEARER = 'bearer '

/**
 * Reads `Authorization: Bearer <JWT>` (RFC 6750 2.1; RFC 7515 3.1), far more strictly than RFC 7515: one
 * form, one spelling, three algorithms, no extensions. Returns a string that says what is wrong, if anything.
 */
export function readBearerToken(header: string): Token | string {
  if (header.slice(0, BEARER.length).toLowerCase() !== BEARER) return 'the scheme is not Bearer'
  return readToken(header.slice(BEARER.length))
}

/** The same for a token without the word `Bearer`: `<JWT>`. */
export function readToken(compact: string): Token | string {
  if (compact.length > LONGEST_TOKEN) return `the token is over ${LONGEST_TOKEN} characters`
  const segments = compact.split('.', 4)
  const [protectedHeader = '', payload = '', lastSegment = ''] = segments
  if (segments.length !== 3) return 'the token does not have three segments'
  const signature = decodeBase64url(lastSegment)
  if (!signature?.length) return 'the signature is not base64url'
  const known = readHeader(protectedHeader)
  if (typeof known === 'string') return known
  const claims = readObject(payload)
  if (typeof claims === 'string') return `the token payload ${claims}`
  const signingInput = compact.slice(0, -lastSegment.length - 1)
  return { signingInput, signature, claims, ...known }
}

type JsonObject = { readonly [member: string]: Json }
type KnownHeader = Pick<Token, 'algorithm' | 'keyId'>

let lastRead: readonly [segment: string, known: KnownHeader | string] | undefined

/** Caches the last header, because a sender's tokens all have the same one. */
function readHeader(segment: string): KnownHeader | string {
  if (lastRead?.[0] !== segment) lastRead = [segment, judgeHeader(readObject(segment))]
  return lastRead[1]
}

function judgeHeader(header: JsonObject | string): KnownHeader | string {
  if (typeof header === 'string') return `the token header ${header}`
  const algorithm = JWT_ALGORITHMS.find((known) => known === header.alg)
  const keyId = header.kid
  if (algorithm === undefined) return `alg is not one of ${JWT_ALGORITHMS.join(', ')}`
  if (typeof keyId !== 'string' || keyId === '') return 'kid is missing'
  if (keyId.length > LONGEST_KEY_ID) return `kid is over ${LONGEST_KEY_ID} characters`
  if ('crit' in header || 'b64' in header) return 'crit and b64 are not allowed'
  return { algorithm, keyId }
}

const PIECES = /"(?:[^"\\]|\\.)*"|[[\]{}:]/g

/** The members of an object in JSON, without those inside of them. Counts a repeated name again, of which `JSON.parse` keeps the last. */
function countMembers(object: string): number {
  let members = 0
  let depth = 0
  for (const [piece] of object.matchAll(PIECES)) {
    if (piece === '{' || piece === '[') depth += 1
    else if (piece === '}' || piece === ']') depth -= 1
    else if (piece === ':' && depth === 1) members += 1
  }
  return members
}

/** All parsers must read a token in the same way, so no member may be repeated (RFC 7515 4, RFC 7519 4). */
export function readObject(segment: string): JsonObject | string {
  const bytes = decodeBase64url(segment)
  if (!bytes?.length) return 'is not base64url'
  const text = decodeUtf8(bytes) ?? 'null'
  try {
    const value: Json = JSON.parse(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'is not a JSON object'
    return countMembers(text) === Object.keys(value).length ? value : 'has a member twice'
  } catch {
    return 'is not JSON'
  }
}
