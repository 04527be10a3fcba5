import { type Failure, fail } from '../checks/check.ts'
import type { JwtClaims } from '../event.ts'
import type { Json } from '../lib/json.ts'
import { isUuidV4 } from '../lib/uuid.ts'
import { MAX_EXPIRY_SECONDS } from '../limits.ts'

/** What the claims have to say, taken from the configuration and from the delivery: never from the token. */
export interface ExpectedClaims {
  readonly subject: string
  readonly audience: string
  /** Lower case. */
  readonly eventId: string
  /** SHA-256 of the raw body, base64url. */
  readonly bodyHash: string
  /** Seconds since 1970. */
  readonly now: number
}

interface Verified {
  readonly claims: JwtClaims
}

/**
 * The claims of section 5.2, all of them required and compared exactly; `nbf` and `iat` where present (RFC 7519 4.1).
 * Pure: the signature is checked elsewhere.
 *
 * Not checked: `iss` and every other claim, the age of `iat`, and that `jti` is new (the event ID is claimed for that).
 */
export function checkClaims(
  claims: { readonly [claim: string]: Json },
  expected: ExpectedClaims,
): Verified | Failure<'token_invalid' | 'token_expired'> {
  const { sub, aud, exp, jti, htm, htb_s256, nbf, iat } = claims
  const onlyAudience = Array.isArray(aud) && aud.length === 1 ? aud[0] : aud
  if (sub !== expected.subject) return invalid('sub is not the configured subject')
  if (onlyAudience !== expected.audience) return invalid('aud is not the configured audience alone')
  if (typeof jti !== 'string' || !isUuidV4(jti) || jti.toLowerCase() !== expected.eventId) {
    return invalid('jti is not the event ID')
  }
  if (htm !== 'POST') return invalid('htm is not POST')
  if (htb_s256 !== expected.bodyHash) return invalid('htb_s256 is not the hash of the body')
  if (iat !== undefined && !isNumericDate(iat)) return invalid('iat is not a number')
  if (nbf !== undefined && (!isNumericDate(nbf) || nbf > expected.now))
    return invalid('nbf is not a time in the past')
  if (!isNumericDate(exp)) return invalid('exp is not a number')
  if (exp > expected.now + MAX_EXPIRY_SECONDS)
    return invalid(`exp is more than ${MAX_EXPIRY_SECONDS} s ahead`)
  if (exp <= expected.now) return fail('token_expired', `the token expired ${expected.now - exp} s ago`)
  return {
    claims: { ...claims, sub, aud: typeof aud === 'string' ? aud : [onlyAudience], exp, jti, htm, htb_s256 },
  }
}

/** Seconds, possibly fractional (RFC 7519 2). `1e400` parses to Infinity: a token that never expires. */
function isNumericDate(value: Json | undefined): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

function invalid(detail: string): Failure<'token_invalid'> {
  return fail('token_invalid', detail)
}
