import { hmacWith, sha256 } from '#crypto'
import type { Authentication } from '../../auth/authenticator.ts'
import type { Evidence } from '../../auth/evidence.ts'
import type { Secrets } from '../../auth/secrets.ts'
import { checkToken, claimsOf, type TimeRules, type TokenRules } from '../../auth/token.ts'
import type { Spelling } from '../../crypto/algorithms.ts'
import type { Delivery } from '../../delivery.ts'
import type { EventAuth } from '../../event.ts'
import { encodeBase64url } from '../../lib/bytes.ts'
import { fail } from '../../reason.ts'
import type { Unsigned } from './code-scheme.ts'
import { macKeys, signerOf } from './keys.ts'

/** What a valid token contains. */
export interface HashedToken {
  /** The header whose whole value is the token. */
  readonly header: string
  /** Required claims and their values. */
  readonly fixed: { readonly [claim: string]: string }
  /** What each of the values is, for messages: the option that it comes from. */
  readonly fixedBy: { readonly [claim: string]: string }
  /** The claim that holds the SHA-256 of the body. */
  readonly hashClaim: string
  readonly spelling: Spelling
}

const ALGORITHMS = ['HS256'] as const
/** The usual lifetime of a token. */
const LIFE_SECONDS = 300
const TIMES: TimeRules = {
  nbf: { ahead: 10, optional: true }, // by which the sender's clock may be ahead
  exp: { ahead: 86_400 },
}
const encoder = new TextEncoder()

/**
 * Authenticates by a JWT that is signed with a shared secret (HS256) and holds a hash of the body. Sets `signed` to the
 * token and the timestamp to its `nbf`. A token is valid until its `exp`. `expectedOf` may say why it is not known what the
 * token of a delivery must contain.
 */
export function hashedTokens(
  authBy: (secretId: string) => EventAuth,
  secrets: Secrets,
  expectedOf: (delivery: Delivery) => HashedToken | { readonly problem: string },
): (evidence: Evidence) => Promise<Authentication> {
  const keys = macKeys(secrets, 'text', 'base64url')
  return async (evidence) => {
    const expected = expectedOf(evidence.delivery)
    if ('problem' in expected) return fail('token_invalid', expected.problem)
    const token = await checkToken(evidence, rulesOf(expected))
    if ('reason' in token) return token
    const signed = encoder.encode(token.signingInput)
    const signer = await signerOf(keys, encodeBase64url(token.signature), signed)
    if (signer === undefined) return fail('token_invalid', 'the signature matches none of the secrets')
    const { nbf, exp, [expected.hashClaim]: given } = claimsOf(token)
    const hash = await sha256(evidence.delivery.body, expected.spelling)
    // Some senders pad the hash. RFC 7515 does not.
    if (given !== hash && given !== `${hash}=`) {
      return fail('token_invalid', `${expected.hashClaim} does not match the body`)
    }
    evidence.timestampText = `${nbf ?? Number(exp) - LIFE_SECONDS}`
    evidence.signed = { before: '', body: signed, after: '' }
    return authBy(signer)
  }
}

function rulesOf({ header, fixed, fixedBy }: HashedToken): TokenRules<'HS256'> {
  const claims = Object.entries(fixed).map(([claim, is]) => ({
    claim,
    is,
    problem: `${claim} is not ${fixedBy[claim]}`,
  }))
  return { header, algorithms: ALGORITHMS, claims: () => claims, times: TIMES }
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
