import { verifySignature } from '#crypto'
import { fetchedKeySet } from '../auth/remote-key-set.ts'
import { REMOTE_OPTIONS, type RemoteOptions } from '../auth/remote-value.ts'
import { readBearerToken, type Token } from '../auth/token.ts'
import { type Delivery, headerOf } from '../delivery.ts'
import { textAt } from '../lib/json.ts'
import { exactText } from '../lib/options.ts'
import { type Failure, fail } from '../reason.ts'
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
const ISSUERS: readonly unknown[] = ['https://accounts.google.com', 'accounts.google.com']
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
  limits:
    'The body is not signed: the token only identifies the caller, and for an hour anyone who has seen it can forge deliveries.',
}

function claimsProblem(
  { iss, aud, email, email_verified: isVerified, iat, exp }: Token['claims'],
  expected: PubsubOptions,
  now: number,
): Failure<'token_invalid' | 'token_expired'> | undefined {
  const invalid = (detail: string) => fail('token_invalid', detail)
  if (!ISSUERS.includes(iss)) return invalid('iss is not Google')
  if (aud !== expected.audience) return invalid('aud is not the audience')
  if (email !== expected.email || isVerified !== true) return invalid('email is not the verified account')
  if (typeof iat !== 'number' || !(iat <= now + AHEAD_SECONDS)) return invalid('iat is not in the past')
  if (typeof exp !== 'number' || !(exp <= now + LONGEST_LIFE_SECONDS))
    return invalid('exp is not within a day')
  return exp > now ? undefined : fail('token_expired', `the token expired ${now - exp} s ago`)
}

/** Checks the claims, and drops them while the key is awaited: 8 KB of them can take 200 KB when parsed. */
function checkedToken(
  delivery: Delivery,
  expected: PubsubOptions,
  now: number,
): Omit<Token, 'claims'> | Failure<'auth_missing' | 'token_invalid' | 'token_expired'> {
  const header = headerOf(delivery, 'authorization')
  if (header === undefined) return fail('auth_missing', 'no Authorization')
  const token = typeof header === 'string' ? readBearerToken(header) : 'more than one Authorization'
  if (typeof token === 'string') return fail('token_invalid', token)
  const { claims, ...rest } = token
  if (rest.algorithm !== 'RS256') return fail('token_invalid', 'alg is not RS256')
  return claimsProblem(claims, expected, now) ?? rest
}

/**
 * Google Pub/Sub push with authentication: `Authorization: Bearer`, an OpenID Connect token. There is no secret. Pass
 * the audience and the service account of the push subscription. Google's public keys are fetched.
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
  (options, vouchedBy) => {
    const keys = fetchedKeySet(KEYS_URL, KEYS_URL, options)
    return async (evidence) => {
      const { delivery, now } = evidence
      const token = checkedToken(delivery, options, now)
      if ('reason' in token) return token
      const { algorithm, keyId, signature, signingInput } = token
      const key = await keys.find(keyId, algorithm)
      if (typeof key === 'string') return fail('token_invalid', key)
      if (!(await verifySignature(algorithm, key, signature, signingInput))) {
        return fail('token_invalid', 'the signature does not verify')
      }
      evidence.eventIdText ||= textAt(evidence.keepParsed(), ['message', 'messageId']) ?? ''
      return vouchedBy(keyId)
    }
  },
)
