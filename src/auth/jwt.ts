import { sha256 } from '#crypto'
import { JWT_ALGORITHMS, type JwtAlgorithm } from '../crypto/algorithms.ts'
import type { JwtClaims } from '../event.ts'
import type { Json } from '../lib/json.ts'
import { isPromise, whenKnown } from '../lib/maybe-promise.ts'
import { checkOptions, wellFormedText, withMethods } from '../lib/options.ts'
import { MAX_EXPIRY_SECONDS } from '../limits.ts'
import type { Authentication, Authenticator } from './authenticator.ts'
import type { Evidence } from './evidence.ts'
import type { KeySet } from './jwks.ts'
import { type ClaimRule, type TokenRules, verifyToken } from './token.ts'

/** The options of `jwt`. All three are required. */
export interface JwtOptions {
  /** The sender's public keys: `remoteKeySet(url)` or `localKeySet(jwks)`. */
  readonly keySet: KeySet
  /** The tenant base URL: the exact text of `sub`. */
  readonly subject: string
  /** The full webhook endpoint URL: the exact text of `aud`. Never taken from the request, whose `Host` anyone can set. */
  readonly audience: string
}

/**
 * Authenticates deliveries by a signed token, as
 * [hookgate's scheme](https://github.com/hookgate/hookgate/blob/main/docs/specification.md#jwt) defines it:
 * `Authorization: Bearer <JWT>`, signed with RS256, ES256 or EdDSA by a key in the sender's JWKS. Checks the claims before it
 * looks up the key.
 *
 * The token does not cover `Webhook-Timestamp`. It proves freshness by `exp`, and names the event in `jti`.
 *
 * @example
 * ```ts
 * const auth = jwt({
 *   keySet: remoteKeySet('https://sender.example/.well-known/jwks.json'),
 *   subject: 'https://tenant.example',
 *   audience: 'https://api.example.com/webhooks',
 * })
 * ```
 *
 * @throws ListenerConfigError if an option is missing, unknown or empty.
 */
export function jwt(options: JwtOptions): Authenticator {
  checkOptions('jwt', options, {
    keySet: withMethods(['find'], 'remoteKeySet(url)'),
    subject: wellFormedText,
    audience: wellFormedText,
  })
  const { keySet, subject, audience } = options
  const rules: TokenRules<JwtAlgorithm> = {
    header: 'Authorization',
    isBearer: true,
    algorithms: JWT_ALGORITHMS,
    claims: ({ bytes, eventId }) =>
      whenKnown(sha256(bytes), (bodyHash) => claimRules(subject, audience, eventId, bodyHash)),
    times: {
      iat: { ahead: Infinity, optional: true },
      nbf: { ahead: 0, optional: true },
      exp: { ahead: MAX_EXPIRY_SECONDS },
    },
  }
  return Object.freeze({
    method: 'jwt' as const,
    challenge: 'Bearer',
    async authenticate(evidence: Evidence): Promise<Authentication> {
      const token = await verifyToken(evidence, rules, (keyId, algorithm) => {
        const found = keySet.find(keyId, algorithm)
        // A parsed body can take 28 times the memory of its bytes, and strangers can keep many waiting.
        if (isPromise(found)) evidence.payload = undefined
        return found
      })
      if ('reason' in token) return token
      evidence.payload ??= evidence.keepParsed()
      return { method: 'jwt', keyId: token.keyId, claims: token.claims as JwtClaims } // by `claimRules` and `times`
    },
  })
}

/** @param bodyHash SHA-256 of the raw body, base64url. */
function claimRules(
  subject: string,
  audience: string,
  eventId: string,
  bodyHash: string,
): readonly ClaimRule[] {
  const isAudience = (aud: Json | undefined) =>
    (Array.isArray(aud) && aud.length === 1 ? aud[0] : aud) === audience
  const isEventId = (jti: Json | undefined) => typeof jti === 'string' && jti.toLowerCase() === eventId
  return [
    { claim: 'sub', is: subject, problem: 'sub is not the configured subject' },
    { claim: 'aud', is: isAudience, problem: 'aud is not the configured audience alone' },
    { claim: 'jti', is: isEventId, problem: 'jti is not the event ID' },
    { claim: 'htm', is: 'POST', problem: 'htm is not POST' },
    { claim: 'htb_s256', is: bodyHash, problem: 'htb_s256 is not the hash of the body' },
  ]
}
