import type { TokenRules } from '../auth/token.ts'
import { memberAt, textAt } from '../lib/json.ts'
import {
  type CodeScheme,
  type CodeSchemeFactory,
  defineCodeScheme,
  fullUrl,
  type HandshakeForm,
  jsonReply,
  SHARED_SECRET_OPTIONS,
  type SharedSecretOptions,
} from './kit/define-scheme.ts'
import { HS256, sharedToken, sharedTokens } from './kit/shared-token.ts'

/** The options of `monday`. */
export interface MondayOptions extends SharedSecretOptions {
  /** The full URL of the endpoint, exactly as monday.com knows it: the token's `aud`. */
  readonly publicUrl: string
}

/** In bytes. monday.com's example has 66. */
const LONGEST_CHALLENGE = 1024
const LONGEST_LIFE_SECONDS = 86_400
const LIFE_SECONDS = 300

/** Answers the POST that verifies the URL. */
const CHALLENGES: HandshakeForm = {
  signed: false,
  answer({ method, body, payload }) {
    if (method !== 'POST' || body.length > LONGEST_CHALLENGE) return undefined
    const message = payload()
    const challenge = memberAt(message, ['challenge'])
    const isOnly = typeof message === 'object' && message !== null && Object.keys(message).length === 1
    return isOnly && typeof challenge === 'string' ? jsonReply({ challenge }) : undefined
  },
}

const MONDAY: CodeScheme = {
  name: 'monday',
  sender: 'monday.com',
  secretName: 'signing secret of the app, or for lifecycle events its client secret',
  secretMadeBy: 'sender',
  algorithm: 'code',
  signature: { headers: ['authorization'] },
  signs: ['url'],
  covers: 'token',
  dedupe: 'signed-bytes',
  eventId: { member: '/event/triggerUuid' },
  eventType: { member: '/event/type' },
  handshake: CHALLENGES,
  maxBodyBytes: 1_048_576,
  async sign({ need, timestampText }) {
    const iat = Number(timestampText)
    const claims = { aud: need('publicUrl'), iat, exp: iat + LIFE_SECONDS }
    return { headers: { authorization: await sharedToken(need('secret'), claims) } }
  },
  facts: {
    otherSecrets:
      'the app signs webhooks of boards with its signing secret, and lifecycle events with its client secret',
    unsigned:
      "monday.com sends a token only if an app has created the webhook: create it with the app's OAuth token, because those of a personal token, or of the board's integrations, have none",
  },
  limits:
    'The body is not signed: the token only identifies the app and the URL, and until it expires anyone who has seen it can forge deliveries.',
}

/** Those of an app feature's lifecycle have no `aud`, so that any of them would pass for any body. */
const NOT_FOR_URL =
  'aud is not publicUrl; tokens of feature lifecycle events have no aud and cover no body, so they are never accepted'

function tokenRules({ publicUrl }: MondayOptions): TokenRules<'HS256'> {
  const claims = [{ claim: 'aud', is: publicUrl, problem: NOT_FOR_URL }]
  return {
    header: 'Authorization',
    algorithms: HS256,
    claims: () => claims,
    times: { exp: { ahead: LONGEST_LIFE_SECONDS } },
  }
}

/**
 * Verifies webhooks from monday.com by their `Authorization` header, a token signed with HS256, without `Bearer`. Pass the app's
 * signing secret, or for lifecycle events its client secret, and the endpoint's URL as `publicUrl`.
 *
 * The token names the URL and expires after five minutes. It does not cover the body: until then, anyone who has seen it can send
 * anything, so fetch what has changed from monday.com's API. Deliveries are claimed by their bodies. The `challenge` that verifies
 * the URL is answered for you.
 *
 * Lifecycle events of an app's features are refused: their token has no `aud`, so that anyone who has seen one could send any body to any
 * URL. Take from such a request only what its verified token says, with a JWT library.
 *
 * @example
 * ```ts
 * const auth = monday({
 *   secrets: process.env.MONDAY_SIGNING_SECRET,
 *   publicUrl: 'https://example.com/hooks',
 * })
 * ```
 */
export const monday: CodeSchemeFactory<MondayOptions, '/event/type'> = defineCodeScheme(
  MONDAY,
  { ...SHARED_SECRET_OPTIONS, publicUrl: fullUrl },
  (options, authBy) => {
    const verify = sharedTokens(options.secrets)
    const rules = tokenRules(options)
    return async (evidence) => {
      const token = await verify(evidence, rules)
      if ('reason' in token) return token
      const payload = evidence.keepParsed()
      // Lifecycle events have no `event`.
      evidence.eventTypeText = textAt(payload, ['event', 'type']) ?? textAt(payload, ['type']) ?? ''
      return authBy(token.secretId)
    }
  },
)
