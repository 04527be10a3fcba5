import { sha256 } from '#crypto'
import { Jwks } from '../auth/jwks.ts'
import { RemoteCache } from '../auth/remote-cache.ts'
import { REMOTE_OPTIONS, type RemoteOptions, TIMEOUT_SECONDS } from '../auth/remote-value.ts'
import { type TokenRules, verifyToken } from '../auth/token.ts'
import { readJwk } from '../crypto/public-keys.ts'
import { ListenerConfigError } from '../errors.ts'
import { withDeadline } from '../lib/clock.ts'
import { whenKnown } from '../lib/maybe-promise.ts'
import { memberOf } from '../lib/member-of.ts'
import { aFunction, type OptionCheck, type OptionTable, optional } from '../lib/options.ts'
import {
  COMMON_OPTIONS,
  type CodeScheme,
  type CodeSchemeFactory,
  type CommonOptions,
  defineCodeScheme,
} from './kit/define-scheme.ts'

/** The options of `plaid`. */
export interface PlaidOptions extends CommonOptions, Omit<RemoteOptions, 'fetch'> {
  /**
   * Fetches the key with this ID from Plaid's `/webhook_verification_key/get` with your client, and resolves with the
   * response's `key`. Undefined if Plaid has no such key. Keys are cached for 10 minutes. A rejection is answered with
   * 503. Optional if you pass `keys`.
   */
  readonly findKey?: ((keyId: string) => Promise<object | undefined>) | undefined
  /**
   * Keys as Plaid's API returns them, each with its `kid`. They are never fetched. Plaid replaces its keys, so pass `findKey` too
   * unless you add each new key yourself.
   */
  readonly keys?: readonly object[] | undefined
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
  facts: {
    otherSecrets: 'Sandbox and Production have keys of their own',
    unsigned: false,
    keyHost: 'by name',
  },
  limits:
    'The URL and the other headers are not signed. Genuine bodies repeat, so each token is accepted once.',
}

const MOST_KEYS = 100

const hasEnded = (key: object) => (memberOf(key, 'expired_at') ?? null) !== null

/** @throws ListenerConfigError unless each key can be used, and has an ID of its own. */
const usableKeys: OptionCheck = (value, option) => {
  if (!Array.isArray(value) || value.length === 0 || value.length > MOST_KEYS) {
    throw new ListenerConfigError(
      option,
      `must be a list of 1 to ${MOST_KEYS} keys, as Plaid's API returns them`,
    )
  }
  const ids = new Set<string>()
  for (const [index, each] of value.entries()) {
    const key = readJwk(each)
    const problem =
      key?.algorithm !== 'ES256'
        ? 'is not a P-256 key with a kid'
        : key.problem
          ? `cannot be used: ${key.problem}`
          : hasEnded(each)
            ? 'has been ended by Plaid: leave it out'
            : ids.has(key.keyId) && 'has the kid of another key'
    if (problem) throw new ListenerConfigError(`${option}[${index}]`, problem)
    ids.add(key?.keyId ?? '')
  }
}

const OPTIONS: OptionTable<PlaidOptions> = /* @__PURE__ */ (({ fetch, ...rest }) => ({
  ...COMMON_OPTIONS,
  ...rest,
  findKey: optional(aFunction),
  keys: optional(usableKeys),
}))(REMOTE_OPTIONS)

const TOKEN: TokenRules<'ES256'> = {
  header: 'Plaid-Verification',
  algorithms: ['ES256'],
  claims: ({ bytes }) =>
    whenKnown(sha256(bytes, 'hex'), (is) => [
      { claim: 'request_body_sha256', is, problem: 'request_body_sha256 does not match the body' },
    ]),
  times: { iat: { ahead: Infinity } },
}

/**
 * Verifies webhooks from Plaid by their `Plaid-Verification` header, a token signed with ES256. There is no secret. Pass a
 * `findKey` that fetches public keys from Plaid's API with your client. The token covers its time and the exact body,
 * including white space. Plaid sends no ID, and bodies repeat, so each token is accepted once.
 *
 * @example
 * ```ts
 * const auth = plaid({ findKey: (keyId) => findPlaidKey(keyId) })
 * ```
 */
export const plaid: CodeSchemeFactory<PlaidOptions, '/webhook_code'> = defineCodeScheme(
  PLAID,
  OPTIONS,
  ({ findKey, keys, timeoutSeconds = TIMEOUT_SECONDS, ...options }, authBy) => {
    if (findKey === undefined && keys === undefined) {
      throw new ListenerConfigError('findKey', 'is missing; without it, pass keys')
    }
    const configured = new Jwks({ keys: keys ?? [] })
    const timeoutMs = timeoutSeconds * 1000
    const late = () => new Error(`did not answer within ${timeoutMs} ms`)
    const load = async (keyId: string) => {
      const key = findKey && (await withDeadline(findKey(keyId), timeoutMs, late))
      return key === undefined || hasEnded(key) ? undefined : new Jwks({ keys: [key] })
    }
    const fetched = new RemoteCache('Plaid', load, { ...options, timeoutSeconds })
    const keyOf = (keyId: string, address: string | undefined) => {
      if (findKey === undefined || configured.has(keyId)) return configured.find(keyId, 'ES256')
      return fetched.get(keyId, address, (jwks) => jwks?.find(keyId, 'ES256') ?? 'no key has this ID')
    }
    return async (evidence) => {
      const { sourceIp } = evidence.delivery
      const token = await verifyToken(evidence, TOKEN, (keyId) => keyOf(keyId, sourceIp))
      if ('reason' in token) return token
      evidence.timestampText = `${token.claims.iat}`
      evidence.signed = { before: token.signingInput, body: new Uint8Array(0), after: '' }
      return authBy(token.keyId)
    }
  },
)
