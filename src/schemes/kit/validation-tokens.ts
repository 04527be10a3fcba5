import { decodeBase64url, verifySignature } from '#crypto'
import { fetchedKeySet } from '../../auth/remote-key-set.ts'
import { REMOTE_OPTIONS, type RemoteOptions } from '../../auth/remote-value.ts'
import { LONGEST_TOKEN, readToken, type Token } from '../../auth/token.ts'
import type { SignatureKey } from '../../crypto/algorithms.ts'
import { ListenerConfigError } from '../../errors.ts'
import type { Json } from '../../lib/json.ts'
import { type OptionCheck, type OptionTable, optional } from '../../lib/options.ts'
import { type Failure, fail } from '../../reason.ts'
import { jsonExcess } from './read-limits.ts'

/** What `graph` needs to check `validationTokens`. Microsoft's keys are fetched with `fetch`. */
export interface ValidationTokenOptions extends RemoteOptions {
  /**
   * The application (client) IDs of your apps. Requires `tenantIds`. If omitted, `validationTokens` are not
   * checked.
   */
  readonly appIds?: string | readonly string[] | undefined
  /** The IDs of the tenants whose changes you receive. Requires `appIds`. */
  readonly tenantIds?: string | readonly string[] | undefined
}

const GUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** @throws ListenerConfigError */
const guids: OptionCheck = (value, option) => {
  const ids = [value].flat()
  if (ids.length > 0 && ids.every((id) => typeof id === 'string' && GUID.test(id))) return
  throw new ListenerConfigError(option, 'must be IDs like 00000000-0000-0000-0000-000000000000')
}

export const VALIDATION_TOKEN_OPTIONS: OptionTable<ValidationTokenOptions> = {
  ...REMOTE_OPTIONS,
  appIds: /* @__PURE__ */ optional(guids),
  tenantIds: /* @__PURE__ */ optional(guids),
}

/** The keys that sign for every tenant of the global cloud. */
const KEYS_URL = 'https://login.microsoftonline.com/common/discovery/v2.0/keys'
/** Microsoft Graph Change Tracking, the app that asks for the tokens. The same in every tenant. */
const PUBLISHER = '0bf30f3b-4a52-48df-9a82-234910c4a086'
/** Microsoft sends one for each app and tenant. */
const MOST_TOKENS = 50
/** Microsoft's tokens have about 20. */
const MOST_CLAIMS = 100
/** How far ahead Microsoft's clock may be. */
const AHEAD_SECONDS = 300
/** Microsoft's longest tokens last 28 hours. */
const LONGEST_LIFE_SECONDS = 172_800

const NO_BYTES: Uint8Array<ArrayBuffer> = /* @__PURE__ */ new Uint8Array(0)

type TokenFailure = Failure<'auth_missing' | 'token_invalid' | 'token_expired'>

const lowerCase = (ids: string | readonly string[]) => [ids].flat().map((id) => id.toLowerCase())

/**
 * Checks every token of a delivery. Only basic notifications may come without tokens. Calls `tokensOf` again after each wait for
 * a key, so that no token is held meanwhile.
 */
type TokenCheck = (tokensOf: () => Json, isRich: boolean, now: number) => Promise<TokenFailure | undefined>

/**
 * Makes the check of `validationTokens`. Undefined without `appIds` and `tenantIds`.
 *
 * @throws ListenerConfigError for one without the other.
 */
export function validationTokens({
  appIds,
  tenantIds,
  ...remote
}: ValidationTokenOptions): TokenCheck | undefined {
  if (appIds === undefined && tenantIds === undefined) return undefined
  if (appIds === undefined) throw new ListenerConfigError('appIds', 'is missing; tenantIds needs it')
  if (tenantIds === undefined) throw new ListenerConfigError('tenantIds', 'is missing; appIds needs it')
  const problemOf = claimsCheck(lowerCase(appIds), lowerCase(tenantIds))
  const keys = fetchedKeySet(KEYS_URL, KEYS_URL, remote)
  const namedKeys = (given: Json, isRich: boolean, now: number): readonly KeyName[] | TokenFailure => {
    const tokens = readTokens(given)
    if ('reason' in tokens) return tokens
    if (isRich && tokens.length === 0)
      return fail('auth_missing', 'encrypted content without validationTokens')
    for (const { claims, algorithm } of tokens) {
      const problem = algorithm === 'RS256' ? problemOf(claims, now) : invalid('alg is not RS256')
      if (problem) return problem
    }
    return tokens.map(({ algorithm, keyId }) => ({ algorithm, keyId }))
  }
  return async (tokensOf, isRich, now) => {
    const named = namedKeys(tokensOf(), isRich, now)
    if ('reason' in named) return named
    for (const [index, { algorithm, keyId }] of named.entries()) {
      const key = await keys.find(keyId, algorithm)
      if (typeof key === 'string') return invalid(key)
      if (!(await verifies(Object(tokensOf())[index], key))) return invalid('the signature does not verify')
    }
    return undefined
  }
}

type KeyName = Pick<Token, 'algorithm' | 'keyId'>

/** Not async, so that the claims are dropped while the signature is verified. */
function verifies(text: string, key: SignatureKey): Promise<boolean> | false {
  const token = readToken(text)
  if (typeof token === 'string') return false
  return verifySignature(token.algorithm, key, token.signature, token.signingInput)
}

const invalid = (detail: string) => fail('token_invalid', `validationTokens: ${detail}`)

function readTokens(given: Json): readonly Token[] | TokenFailure {
  if (!Array.isArray(given)) return invalid('not a list')
  if (given.length > MOST_TOKENS) return invalid(`more than ${MOST_TOKENS} tokens`)
  const tokens: Token[] = []
  for (const text of given) {
    const token = typeof text === 'string' ? readShortToken(text) : 'a token is not text'
    if (typeof token === 'string') return invalid(token)
    tokens.push(token)
  }
  return tokens
}

/** A delivery holds many tokens, so each is counted before it is parsed. */
function readShortToken(text: string): Token | string {
  const parts = text.length > LONGEST_TOKEN ? [] : text.split('.', 2)
  const isLong = parts.some(
    (part) => jsonExcess(decodeBase64url(part) ?? NO_BYTES, MOST_CLAIMS) !== undefined,
  )
  return isLong ? `a token has over ${MOST_CLAIMS} claims` : readToken(text)
}

/** Version 1.0 of a token names its publisher in `appid`, and version 2.0 in `azp`. */
function claimsCheck(
  appIds: readonly unknown[],
  tenantIds: readonly string[],
): (claims: Token['claims'], now: number) => TokenFailure | undefined {
  const publisherClaims = new Map<unknown, 'appid' | 'azp'>()
  for (const tenantId of tenantIds) {
    publisherClaims.set(`https://sts.windows.net/${tenantId}/`, 'appid')
    publisherClaims.set(`https://login.microsoftonline.com/${tenantId}/v2.0`, 'azp')
  }
  return (claims, now) => {
    const { iss, aud, nbf, exp } = claims
    const publisherClaim = publisherClaims.get(iss)
    if (publisherClaim === undefined) return invalid('iss is none of the tenants')
    if (!appIds.includes(aud)) return invalid('aud is none of the apps')
    if (claims[publisherClaim] !== PUBLISHER) return invalid(`${publisherClaim} is not Microsoft Graph`)
    if (typeof nbf !== 'number' || !(nbf <= now + AHEAD_SECONDS)) return invalid('nbf is not in the past')
    if (typeof exp !== 'number' || !(exp <= now + LONGEST_LIFE_SECONDS))
      return invalid('exp is not within two days')
    return exp > now ? undefined : fail('token_expired', `a validation token expired ${now - exp} s ago`)
  }
}
