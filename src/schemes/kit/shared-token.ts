import { hmacWith } from '#crypto'
import type { Evidence } from '../../auth/evidence.ts'
import type { Secrets } from '../../auth/secrets.ts'
import { type Claims, checkToken, claimsOf, type TokenFailure, type TokenRules } from '../../auth/token.ts'
import { encodeBase64url, encodeUtf8 } from '../../lib/bytes.ts'
import { fail, fitsNone } from '../../reason.ts'
import { macKeys, signerOf } from './keys.ts'

export const HS256 = ['HS256'] as const

/** A token that one of the secrets has signed. */
interface SharedToken {
  readonly secretId: string
  readonly claims: Claims
  /** The signed bytes: header and payload. */
  readonly signed: Uint8Array<ArrayBuffer>
}

/**
 * Verifies JWTs that are signed with a shared secret (HS256): their form, the rules of their claims, and then their signature.
 *
 * @throws ListenerConfigError for secrets that are missing, blank or malformed.
 */
export function sharedTokens(
  secrets: Secrets,
): (evidence: Evidence, rules: TokenRules<'HS256'>) => Promise<SharedToken | TokenFailure> {
  const keys = macKeys(secrets, 'text', 'base64url')
  return async (evidence, rules) => {
    const token = await checkToken(evidence, rules)
    if ('reason' in token) return token
    const signed = encodeUtf8(token.signingInput)
    const secretId = await signerOf(keys, encodeBase64url(token.signature), signed)
    return secretId === undefined
      ? fail('token_invalid', fitsNone(keys.length))
      : { secretId, claims: claimsOf(token), signed }
  }
}

/** Signs claims with a shared secret (HS256). */
export async function sharedToken(secret: string, claims: object): Promise<string> {
  const signingInput = [{ alg: 'HS256', typ: 'JWT' }, claims]
    .map((part) => encodeBase64url(encodeUtf8(JSON.stringify(part))))
    .join('.')
  const mac = hmacWith('sha256', encodeUtf8(secret), 'base64url')
  return `${signingInput}.${await mac('', encodeUtf8(signingInput), '')}`
}
