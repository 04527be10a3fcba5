import { decodeBase64url } from '#crypto'
import { fetchedKeySet } from '../../auth/remote-key-set.ts'
import { REMOTE_OPTIONS, type RemoteOptions } from '../../auth/remote-value.ts'
import {
  type ClaimRule,
  type Claims,
  claimsProblem,
  isSignedBy,
  readClaims,
  readToken,
  type TimeRules,
  type TokenFailure,
} from '../../auth/token.ts'
import { ListenerConfigError } from '../../errors.ts'
import type { Json } from '../../lib/json.ts'
import { memberOf } from '../../lib/member-of.ts'
import { type OptionCheck, type OptionTable, optional } from '../../lib/options.ts'
import { MAX_TOKEN_LENGTH } from '../../limits.ts'
import { fail, unsignedBecause } from '../../reason.ts'
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

const ALGORITHMS = ['RS256'] as const
const TIMES: TimeRules = { nbf: { ahead: AHEAD_SECONDS }, exp: { ahead: LONGEST_LIFE_SECONDS } }
const NO_BYTES: Uint8Array<ArrayBuffer> = /* @__PURE__ */ new Uint8Array(0)

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
  const rulesFor = claimRules(lowerCase(appIds), lowerCase(tenantIds))
  const keys = fetchedKeySet(KEYS_URL, KEYS_URL, remote)
  return async (tokensOf, isRich, now) => {
    const keyIds = keyIdsOf(tokensOf(), isRich, rulesFor, now)
    if ('reason' in keyIds) return keyIds
    for (const [index, keyId] of keyIds.entries()) {
      const key = await keys.find(keyId, 'RS256')
      if (typeof key === 'string') return invalid(key)
      const token = readToken(String(memberOf(tokensOf(), index)), ALGORITHMS)
      if (typeof token === 'string' || !(await isSignedBy(token, key))) {
        return invalid('the signature does not verify')
      }
    }
    return undefined
  }
}

/** Checks all tokens but for their signatures. Returns the `kid` of each. */
function keyIdsOf(
  given: Json,
  isRich: boolean,
  rulesFor: RulesFor,
  now: number,
): readonly string[] | TokenFailure {
  if (!Array.isArray(given)) return invalid('not a list')
  if (given.length > MOST_TOKENS) return invalid(`more than ${MOST_TOKENS} tokens`)
  if (isRich && given.length === 0) return unsignedBecause('encrypted content without validationTokens')
  const tokens: { keyId: string; claims: Claims }[] = []
  for (const text of given) {
    const token = typeof text === 'string' ? readShortToken(text) : 'a token is not text'
    if (typeof token === 'string') return invalid(token)
    tokens.push(token)
  }
  for (const { claims } of tokens) {
    const problem = claimsProblem(claims, rulesFor(claims), TIMES, now)
    if (problem) return fail(problem.reason, `validationTokens: ${problem.detail}`)
  }
  return tokens.map(({ keyId }) => keyId)
}

const invalid = (detail: string) => fail('token_invalid', `validationTokens: ${detail}`)

/** A delivery holds many tokens, so the members of each are counted before it is parsed. */
function readShortToken(text: string): { keyId: string; claims: Claims } | string {
  const parts = text.length > MAX_TOKEN_LENGTH ? [] : text.split('.', 2)
  const isLong = parts.some(
    (part) => jsonExcess(decodeBase64url(part) ?? NO_BYTES, MOST_CLAIMS) !== undefined,
  )
  if (isLong) return `a token has over ${MOST_CLAIMS} claims`
  const token = readToken(text, ALGORITHMS)
  if (typeof token === 'string') return token
  const claims = readClaims(token)
  return typeof claims === 'string' ? claims : { keyId: token.keyId, claims }
}

type RulesFor = (claims: Claims) => readonly ClaimRule[]

const VERSION_1 = 'https://sts.windows.net/'
const VERSION_2 = 'https://login.microsoftonline.com/'

/** Version 1.0 of a token names its publisher in `appid`, and version 2.0 in `azp`. */
function claimRules(appIds: readonly string[], tenantIds: readonly string[]): RulesFor {
  const rules = (issuers: readonly string[], publisherClaim: string): readonly ClaimRule[] => [
    { claim: 'iss', is: issuers, problem: 'iss is none of the tenants' },
    { claim: 'aud', is: appIds, problem: 'aud is none of the apps' },
    { claim: publisherClaim, is: PUBLISHER, problem: `${publisherClaim} is not Microsoft Graph` },
  ]
  const version1 = rules(
    tenantIds.map((id) => `${VERSION_1}${id}/`),
    'appid',
  )
  const version2 = rules(
    tenantIds.map((id) => `${VERSION_2}${id}/v2.0`),
    'azp',
  )
  return ({ iss }) => (typeof iss === 'string' && iss.startsWith(VERSION_1) ? version1 : version2)
}
