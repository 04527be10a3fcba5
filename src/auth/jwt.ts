import { sha256, verifySignature } from '#crypto'
import { headerOf } from '../delivery.ts'
import type { JwtClaims } from '../event.ts'
import type { Json } from '../lib/json.ts'
import { isPromise } from '../lib/maybe-promise.ts'
import { checkOptions, wellFormedText, withMethods } from '../lib/options.ts'
import { MAX_EXPIRY_SECONDS } from '../limits.ts'
import { type Failure, fail } from '../reason.ts'
import type { Authentication, Authenticator } from './authenticator.ts'
import type { Evidence } from './evidence.ts'
import type { KeySet } from './jwks.ts'
import { readBearerToken } from './token.ts'

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
  const copy = { ...options } // the caller may change its own
  return Object.freeze({
    method: 'jwt' as const,
    challenge: 'Bearer',
    authenticate: (evidence: Evidence) => authenticate(evidence, copy),
  })
}

async function authenticate(evidence: Evidence, options: JwtOptions): Promise<Authentication> {
  const header = headerOf(evidence.delivery, 'authorization')
  if (header === undefined) return fail('auth_missing', 'no Authorization')
  if (typeof header !== 'string') return invalid('more than one Authorization')

  const token = readBearerToken(header)
  if (typeof token === 'string') return invalid(token)

  const hash = sha256(evidence.delivery.body)
  const bodyHash = isPromise(hash) ? await hash : hash
  const failure = checkClaims(token.claims, options, evidence, bodyHash)
  if (failure) return failure

  const found = options.keySet.find(token.keyId, token.algorithm)
  const mustWait = isPromise(found)
  // A parsed body can take 28 times the memory of its bytes, and strangers can keep many waiting.
  if (mustWait) evidence.payload = undefined
  const key = mustWait ? await found : found
  if (typeof key === 'string') return invalid(key)
  const verifies = await verifySignature(token.algorithm, key, token.signature, token.signingInput)
  if (!verifies) return invalid('the signature does not verify')
  if (mustWait) evidence.payload = evidence.keepParsed()
  return { method: 'jwt', keyId: token.keyId, claims: token.claims as JwtClaims } // by checkClaims
}

/**
 * Checks the claims of hookgate's JWT scheme: all are required and compared exactly, with the configuration and never with the
 * token; `nbf` and `iat` if present (RFC 7519 4.1). What passes is a `JwtClaims`.
 *
 * Does not check the signature, `iss` and other claims, the age of `iat`, or whether `jti` is new: the claim of the event does.
 *
 * @param bodyHash SHA-256 of the raw body, base64url.
 */
function checkClaims(
  { sub, aud, exp, jti, htm, htb_s256, nbf = 0, iat = 0 }: { readonly [claim: string]: Json },
  { subject, audience }: JwtOptions,
  { eventId, now }: Pick<Evidence, 'eventId' | 'now'>,
  bodyHash: string,
): Failure<'token_invalid' | 'token_expired'> | undefined {
  const onlyAudience = Array.isArray(aud) && aud.length === 1 ? aud[0] : aud
  if (sub !== subject) return invalid('sub is not the configured subject')
  if (onlyAudience !== audience) return invalid('aud is not the configured audience alone')
  if (typeof jti !== 'string' || jti.toLowerCase() !== eventId) return invalid('jti is not the event ID')
  if (htm !== 'POST') return invalid('htm is not POST')
  if (htb_s256 !== bodyHash) return invalid('htb_s256 is not the hash of the body')
  if (!isNumericDate(iat)) return invalid('iat is not a number')
  if (!isNumericDate(nbf) || nbf > now) return invalid('nbf is not in the past')
  if (!isNumericDate(exp)) return invalid('exp is not a number')
  if (exp > now + MAX_EXPIRY_SECONDS) return invalid(`exp is over ${MAX_EXPIRY_SECONDS} s ahead`)
  return exp > now ? undefined : fail('token_expired', `the token expired ${now - exp} s ago`)
}

/** Seconds, possibly fractional (RFC 7519 2). `1e400` parses to Infinity: a token that never expires. */
function isNumericDate(value: Json | undefined): value is number {
  return Number.isFinite(value)
}

function invalid(detail: string): Failure<'token_invalid'> {
  return fail('token_invalid', detail)
}
