import { type Failure, fail } from '../failure.ts'
import type { Json } from '../lib/json.ts'
import { MAX_EXPIRY_SECONDS } from '../limits.ts'
import type { Evidence } from './evidence.ts'

/** The expected claims. They come from the configuration, never from the token. */
export interface Binding {
  readonly subject: string
  readonly audience: string
}

/**
 * The claims of hookgate's JWT scheme, all of them required and compared exactly; `nbf` and `iat` where present (RFC 7519 4.1).
 * What passes is a `JwtClaims`. Pure: the signature is checked elsewhere.
 *
 * Not checked: `iss` and every other claim, the age of `iat`, and that `jti` is new (the event ID is claimed for that).
 *
 * @param bodyHash SHA-256 of the raw body, base64url.
 */
export function checkClaims(
  { sub, aud, exp, jti, htm, htb_s256, nbf = 0, iat = 0 }: { readonly [claim: string]: Json },
  { subject, audience }: Binding,
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

export function invalid(detail: string): Failure<'token_invalid'> {
  return fail('token_invalid', detail)
}
