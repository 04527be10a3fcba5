import { verifySignature } from '#crypto'
import { Jwks } from '../src/auth/jwks.ts'
import { REMOTE_OPTIONS, type RemoteOptions, TIMEOUT_SECONDS } from '../src/auth/remote-options.ts'
import { RemoteValues } from '../src/auth/remote-values.ts'
import { readToken } from '../src/auth/token.ts'
import { headerOf } from '../src/delivery.ts'
import { fail } from '../src/failure.ts'
import { withDeadline } from '../src/lib/deadline.ts'
import { aFunction } from '../src/lib/options.ts'
import { bodyHash } from '../src/scheme/body-hash.ts'
import type { CodeScheme } from '../src/scheme/code-scheme.ts'
import { type CodeSchemeFactory, defineCodeScheme, vouchedBy } from '../src/scheme/define-code-scheme.ts'
import { COMMON_OPTIONS, type CommonOptions } from '../src/scheme/options.ts'

/**
 * The options of `plaid`.
 *
 * @see {@link plaid}
 */
export interface PlaidOptions extends CommonOptions, Omit<RemoteOptions, 'fetch'> {
  /**
   * Fetches the key with this ID from Plaid's `/webhook_verification_key/get` with your client, and resolves with the
   * response's `key`. Undefined if Plaid has no such key. Keys are cached for 10 minutes. A rejection is answered with
   * 503.
   */
  readonly findKey: (keyId: string) => Promise<object | undefined>
}

const PLAID: CodeScheme = {
  name: 'plaid',
  sender: 'Plaid',
  secretName: 'none; pass a findKey that asks Plaid for its keys',
  algorithm: 'code',
  signature: { headers: ['plaid-verification'] },
  signs: ['timestamp', 'body'],
  covers: 'body',
  timestamp: { item: 'iat', unit: 'seconds', of: 'attempt', toleranceSeconds: 300 },
  eventType: { member: '/webhook_code' },
  maxBodyBytes: 1_048_576,
  limits:
    'The URL and the other headers are not signed. Genuine bodies repeat, so each token is accepted once.',
}

/** Rejects keys that Plaid has expired. */
function usable(key: object | undefined): Jwks | undefined {
  return key === undefined || (Reflect.get(key, 'expired_at') ?? null) !== null
    ? undefined
    : new Jwks({ keys: [key] })
}

/**
 * Plaid: `Plaid-Verification`, a token signed with ES256. There is no secret. Pass a `findKey` that fetches public keys
 * from Plaid's API with your client. The token covers its time and the exact body, including white space. Plaid sends
 * no ID, and bodies repeat, so each token is accepted once.
 *
 * @example
 * ```ts
 * const auth = plaid({ findKey: (keyId) => findPlaidKey(keyId) })
 * ```
 */
export const plaid: CodeSchemeFactory<PlaidOptions> = defineCodeScheme<PlaidOptions>(
  PLAID,
  (({ fetch, ...rest }) => ({ ...COMMON_OPTIONS, ...rest, findKey: aFunction }))(REMOTE_OPTIONS),
  ({ findKey, timeoutSeconds = TIMEOUT_SECONDS, ...options }) => {
    const timeoutMs = timeoutSeconds * 1000
    const late = () => new Error(`did not answer within ${timeoutMs} ms`)
    const load = async (keyId: string) => usable(await withDeadline(findKey(keyId), timeoutMs, late))
    const keys = new RemoteValues('Plaid', load, { ...options, timeoutSeconds })
    return async (evidence) => {
      const header = headerOf(evidence.delivery, 'plaid-verification')
      if (header === undefined) return fail('auth_missing', 'no Plaid-Verification')
      const token = typeof header === 'string' ? readToken(header) : 'more than one Plaid-Verification'
      if (typeof token === 'string') return fail('token_invalid', token)
      const { algorithm, claims, keyId, signature, signingInput } = token
      if (algorithm !== 'ES256') return fail('token_invalid', 'alg is not ES256')
      if (typeof claims.iat !== 'number') return fail('token_invalid', 'iat is not a number')
      if (claims.request_body_sha256 !== (await bodyHash(evidence.delivery.body, 'hex'))) {
        return fail('token_invalid', 'request_body_sha256 does not match the body')
      }
      const key = await keys.get(keyId, (jwks) => jwks?.find(keyId, 'ES256') ?? 'no key has this ID')
      if (typeof key === 'string') return fail('token_invalid', key)
      if (!(await verifySignature('ES256', key, signature, signingInput))) {
        return fail('token_invalid', 'the signature does not verify')
      }
      evidence.timestampText = `${claims.iat}`
      evidence.signed = { before: signingInput, body: new Uint8Array(0), after: '' }
      return vouchedBy(PLAID, keyId)
    }
  },
)
