import { hmacWith, sha256 } from '#crypto'
import type { Authentication } from '../../auth/authenticator.ts'
import type { Evidence } from '../../auth/evidence.ts'
import type { Secrets } from '../../auth/secrets.ts'
import { LONGEST_TOKEN, readObject } from '../../auth/token.ts'
import { type Delivery, headerOf } from '../../delivery.ts'
import { encodeBase64url } from '../../lib/bytes.ts'
import type { Json } from '../../lib/json.ts'
import { type Failure, fail } from '../../reason.ts'
import type { Unsigned } from './code-scheme.ts'
import type { Voucher } from './define-scheme.ts'
import { macKeys, signerOf } from './keys.ts'
import type { Spelling } from './scheme.ts'

/** What a valid token contains. */
export interface HashedToken {
  /** The header whose whole value is the token. */
  readonly header: string
  /** Required claims and their values. */
  readonly fixed: { readonly [claim: string]: string }
  /** The claim that holds the SHA-256 of the body. */
  readonly hashClaim: string
  readonly spelling: Spelling
}

/** How far ahead the sender's clock may be when it sets `nbf`. */
const AHEAD_SECONDS = 10
/** The usual lifetime of a token. */
const LIFE_SECONDS = 300
const LONGEST_LIFE_SECONDS = 86_400
const encoder = new TextEncoder()

/**
 * Authenticates by a JWT that is signed with a shared secret (HS256) and holds a hash of the body. Sets `signed` to the
 * token and the timestamp to its `nbf`. A token is valid until its `exp`. `expectedOf` may say why it is not known what the
 * token of a delivery must contain.
 */
export function hashedTokens(
  vouchedBy: Voucher,
  secrets: Secrets,
  expectedOf: (delivery: Delivery) => HashedToken | { readonly problem: string },
): (evidence: Evidence) => Promise<Authentication> {
  const keys = macKeys(secrets, 'text', 'base64url')
  return async (evidence) => {
    const expected = expectedOf(evidence.delivery)
    if ('problem' in expected) return fail('token_invalid', expected.problem)
    const token = checkedToken(evidence, expected)
    if ('reason' in token) return token
    const { sentAt, given, signature, signingInput } = token
    const hash = await sha256(evidence.delivery.body, expected.spelling)
    // Some senders pad the hash. RFC 7515 does not.
    if (given !== hash && given !== `${hash}=`) {
      return fail('token_invalid', `${expected.hashClaim} does not match the body`)
    }
    const signed = encoder.encode(signingInput)
    const signer = await signerOf(keys, signature, signed)
    if (signer === undefined) return fail('token_invalid', 'the signature matches none of the secrets')
    evidence.timestampText = `${sentAt}`
    evidence.signed = { before: '', body: signed, after: '' }
    return vouchedBy(signer)
  }
}

/** What is needed of a token once its claims are checked. The claims are dropped before anything is awaited. */
function checkedToken({ delivery, now }: Evidence, expected: HashedToken) {
  const header = headerOf(delivery, expected.header)
  if (header === undefined) return fail('auth_missing', `no ${expected.header}`)
  const token = typeof header === 'string' ? readMacToken(header) : `more than one ${expected.header}`
  if (typeof token === 'string') return fail('token_invalid', token)
  const problem = claimsProblem(token.claims, expected, now)
  if (problem) return problem
  const { claims, signature, signingInput } = token
  const sentAt = Number(claims.nbf ?? Number(claims.exp) - LIFE_SECONDS)
  const hash = claims[expected.hashClaim]
  return { sentAt, given: typeof hash === 'string' ? hash : '', signature, signingInput }
}

/** Signs a token that expires after five minutes. */
export async function hashedToken(
  secret: string,
  { body, timestampText, eventId }: Pick<Unsigned, 'body' | 'timestampText' | 'eventId'>,
  { fixed, hashClaim, spelling }: HashedToken,
): Promise<string> {
  const nbf = Number(timestampText)
  const hash = await sha256(body, spelling)
  const claims = { ...fixed, nbf, exp: nbf + LIFE_SECONDS, jti: eventId, [hashClaim]: hash }
  const signingInput = [{ alg: 'HS256', typ: 'JWT' }, claims]
    .map((part) => encodeBase64url(encoder.encode(JSON.stringify(part))))
    .join('.')
  const mac = hmacWith('sha256', encoder.encode(secret), 'base64url')
  return `${signingInput}.${await mac('', encoder.encode(signingInput), '')}`
}

function claimsProblem(
  claims: { readonly [claim: string]: Json },
  { fixed }: HashedToken,
  now: number,
): Failure<'token_invalid' | 'token_expired'> | undefined {
  const wrong = Object.entries(fixed).find(([claim, value]) => claims[claim] !== value)
  if (wrong) return fail('token_invalid', `${wrong[0]} has an unexpected value`)
  const { exp, nbf } = claims
  if (nbf !== undefined && !(typeof nbf === 'number' && nbf <= now + AHEAD_SECONDS)) {
    return fail('token_invalid', 'nbf is not in the past')
  }
  if (typeof exp !== 'number' || !(exp <= now + LONGEST_LIFE_SECONDS)) {
    return fail('token_invalid', 'exp is not within a day')
  }
  return exp > now ? undefined : fail('token_expired', `the token expired ${now - exp} s ago`)
}

/**
 * Reads `<JWT>` as narrowly as `readToken` does, for senders that use only HS256. Verifies nothing. Returns a string that says
 * what is wrong, if anything.
 */
function readMacToken(compact: string) {
  if (compact.length > LONGEST_TOKEN) return `the token is over ${LONGEST_TOKEN} characters`
  const segments = compact.split('.', 4)
  const [protectedHeader = '', payload = '', signature = ''] = segments
  if (segments.length !== 3 || signature === '') return 'the token does not have three segments'
  const header = readObject(protectedHeader)
  if (typeof header === 'string') return `the token header ${header}`
  if (header.alg !== 'HS256') return 'alg is not HS256'
  if ('crit' in header || 'b64' in header) return 'crit and b64 are not allowed'
  const claims = readObject(payload)
  if (typeof claims === 'string') return `the token payload ${claims}`
  return { signingInput: `${protectedHeader}.${payload}`, signature, claims } // signed: RFC 7515 5.2
}
