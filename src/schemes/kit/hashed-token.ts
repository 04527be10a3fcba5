import { sha256 } from '#crypto'
import type { Authentication } from '../../auth/authenticator.ts'
import type { Evidence, UnreadDelivery } from '../../auth/evidence.ts'
import type { Secrets } from '../../auth/secrets.ts'
import type { TimeRules, TokenRules } from '../../auth/token.ts'
import type { Unsigned } from '../../code-scheme.ts'
import type { Spelling } from '../../crypto/algorithms.ts'
import type { EventAuth } from '../../event.ts'
import { fail } from '../../reason.ts'
import { HS256, sharedToken, sharedTokens } from './shared-token.ts'

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
  /** The sender's tokens have no times, so that a captured one never expires. If one has them all the same, they hold. */
  readonly neverExpires?: true
}

/** The usual lifetime of a token. */
const LIFE_SECONDS = 300
/** By which the sender's clock may be ahead. */
const NBF = { ahead: 10, optional: true } as const
const TIMES: TimeRules = { nbf: NBF, exp: { ahead: 86_400 } }
const RARE_TIMES: TimeRules = { nbf: NBF, exp: { ahead: Number.POSITIVE_INFINITY, optional: true } }

/**
 * Authenticates by a JWT that is signed with a shared secret (HS256) and holds a hash of the body. Sets `signed` to the
 * token and the timestamp to its `nbf`. A token is valid until its `exp`. `expectedOf` may say why it is not known what the
 * token of a delivery must contain.
 */
export function hashedTokens(
  authBy: (secretId: string) => EventAuth,
  secrets: Secrets,
  expectedOf: (delivery: UnreadDelivery) => HashedToken | { readonly problem: string },
): (evidence: Evidence) => Promise<Authentication> {
  const verify = sharedTokens(secrets)
  return async (evidence) => {
    const expected = expectedOf(evidence.delivery)
    if ('problem' in expected) return fail('token_invalid', expected.problem)
    const token = await verify(evidence, rulesOf(expected))
    if ('reason' in token) return token
    const { nbf, exp, [expected.hashClaim]: given } = token.claims
    const hash = await sha256(evidence.bytes, expected.spelling)
    // Some senders pad the hash. RFC 7515 does not.
    if (given !== hash && given !== `${hash}=`) {
      return fail('token_invalid', `${expected.hashClaim} does not match the body`)
    }
    if (!expected.neverExpires) evidence.timestampText = `${nbf ?? Number(exp) - LIFE_SECONDS}`
    evidence.signed = { before: '', body: token.signed, after: '' }
    return authBy(token.secretId)
  }
}

function rulesOf({ header, fixed, fixedBy, neverExpires }: HashedToken): TokenRules<'HS256'> {
  const claims = Object.entries(fixed).map(([claim, is]) => ({
    claim,
    is,
    problem: `${claim} is not ${fixedBy[claim]}`,
  }))
  return { header, algorithms: HS256, claims: () => claims, times: neverExpires ? RARE_TIMES : TIMES }
}

/** Signs a token that expires after five minutes, or never. */
export async function hashedToken(
  secret: string,
  { body, timestampText, eventId }: Pick<Unsigned, 'body' | 'timestampText' | 'eventId'>,
  { fixed, hashClaim, spelling, neverExpires }: HashedToken,
): Promise<string> {
  const nbf = Number(timestampText)
  const times = neverExpires ? {} : { nbf, exp: nbf + LIFE_SECONDS, jti: eventId }
  return await sharedToken(secret, { ...fixed, ...times, [hashClaim]: await sha256(body, spelling) })
}
