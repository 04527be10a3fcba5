import { type NamedSecret, namedSecrets, secretText } from '../auth/secrets.ts'
import { ListenerConfigError } from '../errors.ts'
import { encodeUtf8 } from '../lib/bytes.ts'
import { type Json, memberAt } from '../lib/json.ts'
import { type Failure, fail, mismatch, unsignedBecause } from '../reason.ts'
import {
  type CodeScheme,
  type CodeSchemeFactory,
  defineCodeScheme,
  SHARED_SECRET_OPTIONS,
  type SharedSecretOptions,
  textReply,
} from './kit/define-scheme.ts'
import { holderOf } from './kit/keys.ts'
import {
  VALIDATION_TOKEN_OPTIONS,
  type ValidationTokenOptions,
  validationTokens,
} from './kit/validation-tokens.ts'

/** The options of `graph`. */
export interface GraphOptions extends SharedSecretOptions, ValidationTokenOptions {}

const MOST_NOTIFICATIONS = 1000

const GRAPH: CodeScheme = {
  name: 'graph',
  sender: 'Microsoft Graph',
  secretName: 'clientState of the subscription',
  secretMadeBy: 'user',
  algorithm: 'code',
  signature: { headers: [], member: '/value/0/clientState' },
  signs: [],
  readsFirst: ['/value/*/clientState'],
  covers: 'token',
  dedupe: 'off',
  handshake: {
    signed: false,
    answer: ({ method, query }) => (method === 'POST' ? textReply(query('validationToken')) : undefined),
  },
  maxBodyBytes: 262_144,
  maxFields: 5000, // Microsoft documents no size; 256 KB hold some 370 basic notifications with 13 members each
  sign({ need, json }) {
    const message = json()
    const notifications = memberAt(message, ['value'])
    if (!Array.isArray(notifications)) throw new ListenerConfigError('body', 'must hold a list named value')
    const value = notifications.map((each) => ({ ...Object(each), clientState: need('secret') }))
    return { body: encodeUtf8(JSON.stringify({ ...Object(message), value })) }
  },
  facts: {
    unsigned:
      'Microsoft Graph repeats clientState only if the subscription has one: set it when you create the subscription',
  },
  limits:
    'Nothing is signed: clientState only identifies the caller. Notifications repeat, so a replay cannot be told from a new one.',
}

/** Whether a notification has the data of a resource. Only then there are tokens. */
function isRich(message: Json | undefined): boolean {
  const notifications = memberAt(message, ['value'])
  return (
    Array.isArray(notifications) &&
    notifications.some((each) => (memberAt(each, ['encryptedContent']) ?? null) !== null)
  )
}

/** Checks the `clientState` of every notification. Returns the name of the first one's secret. */
function judge(
  message: Json | undefined,
  known: readonly NamedSecret[],
): string | Failure<'auth_missing' | 'signature_mismatch'> {
  const notifications = memberAt(message, ['value'])
  if (!Array.isArray(notifications) || notifications.length === 0) {
    return unsignedBecause('value is not a list of notifications')
  }
  if (notifications.length > MOST_NOTIFICATIONS) {
    return fail('signature_mismatch', `value has more than ${MOST_NOTIFICATIONS} notifications`)
  }
  const holders = notifications.map((each) => {
    const state = memberAt(each, ['clientState'])
    return typeof state === 'string' ? holderOf(known, state) : undefined
  })
  const [holder] = holders
  return holder === undefined || holders.includes(undefined)
    ? mismatch('a clientState is none of the secrets')
    : holder
}

/**
 * Verifies change notifications from Microsoft Graph by their `clientState`, a secret that you choose when you subscribe.
 * Every notification of a delivery must hold one of `secrets`. Nothing is signed, and anyone who has seen the secret can send
 * anything, so fetch what has changed from Graph.
 *
 * Genuine notifications repeat, so nothing is claimed (`dedupe: 'off'`). Your handler runs for every delivery,
 * including replays. The POST with a `validationToken` is answered for you. Answer 202 within 3 seconds.
 *
 * Rich notifications hold encrypted content, and `validationTokens` from Microsoft. Pass `appIds` and
 * `tenantIds` to check these tokens: their issuer, audience, publisher, lifetime and signature. Every token
 * must then be valid, and encrypted content without tokens is refused. Without these options, the tokens are
 * not checked. The tokens do not cover the body. Verify the signature of the encrypted content when you
 * decrypt it. Only the global cloud is supported.
 *
 * @example
 * ```ts
 * const auth = graph({
 *   secrets: process.env.GRAPH_CLIENT_STATE,
 *   appIds: '8e460676-ae3f-4b1e-8790-ee0fb5d6148f',
 *   tenantIds: '84bd8158-6d4d-4958-8b9f-9d6445542f95',
 * })
 * ```
 */
export const graph: CodeSchemeFactory<GraphOptions> = defineCodeScheme(
  GRAPH,
  { ...SHARED_SECRET_OPTIONS, ...VALIDATION_TOKEN_OPTIONS },
  ({ secrets, ...options }, authBy) => {
    const known = namedSecrets(secrets, 'secrets', secretText)
    const tokenProblem = validationTokens(options)
    return (evidence) => {
      const holder = judge(evidence.parsed(), known)
      if (typeof holder === 'object') return holder
      const accepted = authBy(holder)
      if (tokenProblem === undefined) return accepted
      const tokensOf = () => memberAt(evidence.parsedWhole(), ['validationTokens']) ?? []
      const problem = tokenProblem(tokensOf, isRich(evidence.parsedWhole()), evidence.now)
      return problem.then((found) => found ?? accepted)
    }
  },
)
