import { fetchedKeySet } from '../auth/remote-key-set.ts'
import { REMOTE_OPTIONS, type RemoteOptions } from '../auth/remote-value.ts'
import { type TokenRules, verifyToken } from '../auth/token.ts'
import { headerOf } from '../delivery.ts'
import { textAt } from '../lib/json.ts'
import { exactText } from '../lib/options.ts'
import { ANY_BODY } from './kit/body-formats.ts'
import {
  COMMON_OPTIONS,
  type CodeScheme,
  type CodeSchemeFactory,
  type CommonOptions,
  defineCodeScheme,
} from './kit/define-scheme.ts'

/** The options of `pubsub`. Google's keys are fetched with `fetch`. */
export interface PubsubOptions extends CommonOptions, RemoteOptions {
  /** The audience of the push subscription. Google's default is the endpoint's URL. */
  readonly audience: string
  /** The service account of the push subscription, e.g. `push@project.iam.gserviceaccount.com`. */
  readonly email: string
}

const KEYS_URL = 'https://www.googleapis.com/oauth2/v3/certs'
const ISSUERS: readonly string[] = ['https://accounts.google.com', 'accounts.google.com']
/** Both are set on unwrapped messages with metadata. */
const MESSAGE_ID = 'x-goog-pubsub-message-id'
const SUBSCRIPTION = 'x-goog-pubsub-subscription-name'
const LONGEST_LIFE_SECONDS = 86_400
/** How far ahead Google's clock may be. */
const AHEAD_SECONDS = 300

const PUBSUB: CodeScheme = {
  name: 'pubsub',
  sender: 'Google Pub/Sub',
  secretName: 'none; pass the audience and the email of the push subscription',
  algorithm: 'code',
  signature: { headers: ['authorization'] },
  signs: [],
  covers: 'token',
  dedupe: 'id',
  eventId: { header: MESSAGE_ID },
  // An ID is unique only within its topic, which the subscription stands for.
  claimedId: (id, { payload, delivery }) =>
    id && `${headerOf(delivery, SUBSCRIPTION) ?? textAt(payload, ['subscription'])}\n${id}`,
  bodiesRepeat: true,
  content: [ANY_BODY],
  maxBodyBytes: 14_680_064, // 10 MB in base64
  facts: {
    keyHost: 'one set',
    unsigned:
      'Pub/Sub sends a token only if authentication is enabled: enable it in the push subscription, and choose a service account',
  },
  limits:
    'The body is not signed: the token only identifies the caller, and for an hour anyone who has seen it can forge deliveries.',
}

function tokenRules({ audience, email }: PubsubOptions): TokenRules<'RS256'> {
  const claims = [
    { claim: 'iss', is: ISSUERS, problem: 'iss is not Google' },
    { claim: 'aud', is: audience, problem: 'aud is not the audience' },
    { claim: 'email', is: email, problem: 'email is not the account' },
    { claim: 'email_verified', is: true, problem: 'email_verified is not true' },
  ] as const
  return {
    header: 'Authorization',
    isBearer: true,
    algorithms: ['RS256'],
    claims: () => claims,
    times: { iat: { ahead: AHEAD_SECONDS }, exp: { ahead: LONGEST_LIFE_SECONDS } },
  }
}

/**
 * Verifies pushes from Google Pub/Sub by their `Authorization: Bearer`, an OpenID Connect token. There is no secret. Pass the
 * audience and the service account of the push subscription. Google's public keys are fetched.
 *
 * The token is valid for an hour and does not cover the body. Messages are claimed by their subscription and
 * `messageId`, which stay the same on redelivery. `event.payload` is Pub/Sub's envelope, whose `message.data` is base64.
 * If your subscription unwraps payloads, `event.payload` is the message itself: parsed JSON, or else the text, or null
 * for bytes that are not UTF-8. Then let the subscription write metadata, which puts the ID in a header. Without
 * metadata, nothing is claimed, a redelivered message runs again, and equal messages share their `event.id`.
 *
 * @example
 * ```ts
 * const auth = pubsub({
 *   audience: 'https://example.com/hooks',
 *   email: 'push@project.iam.gserviceaccount.com',
 * })
 * ```
 */
export const pubsub: CodeSchemeFactory<PubsubOptions> = defineCodeScheme(
  PUBSUB,
  { ...COMMON_OPTIONS, ...REMOTE_OPTIONS, audience: exactText, email: exactText },
  (options, authBy) => {
    const keys = fetchedKeySet(KEYS_URL, KEYS_URL, options)
    const rules = tokenRules(options)
    return async (evidence) => {
      const token = await verifyToken(evidence, rules, keys.find)
      if ('reason' in token) return token
      evidence.eventIdText ||= textAt(evidence.keepParsed(), ['message', 'messageId']) ?? ''
      return authBy(token.keyId)
    }
  },
)
