import { exactText } from '../lib/options.ts'
import {
  type CodeScheme,
  type CodeSchemeFactory,
  defineCodeScheme,
  SHARED_SECRET_OPTIONS,
  type SharedSecretOptions,
} from './kit/define-scheme.ts'
import { type HashedToken, hashedToken, hashedTokens } from './kit/hashed-token.ts'

/** The options of `livekit`. */
export interface LivekitOptions extends SharedSecretOptions {
  /** The API key that belongs to the secret. LiveKit's configuration names it for webhooks. */
  readonly apiKey: string
}

const tokenOf = (apiKey: string): HashedToken => ({
  header: 'authorization',
  fixed: { iss: apiKey },
  fixedBy: { iss: 'apiKey: another API key of LiveKit has signed' },
  hashClaim: 'sha256',
  spelling: 'base64',
})

const LIVEKIT: CodeScheme = {
  name: 'livekit',
  sender: 'LiveKit',
  secretName: 'API secret of the apiKey that signs webhooks',
  secretMadeBy: 'user',
  keyIdOption: 'apiKey',
  algorithm: 'code',
  signature: { headers: ['authorization'] },
  signs: ['timestamp', 'body'],
  covers: 'body',
  timestamp: { item: 'nbf', unit: 'seconds', of: 'attempt' }, // valid until `exp`
  eventId: { member: '/id' },
  eventType: { member: '/event' },
  maxBodyBytes: 1_048_576,
  async sign(delivery) {
    const token = tokenOf(delivery.need('keyId'))
    return { headers: { authorization: await hashedToken(delivery.need('secret'), delivery, token) } }
  },
  facts: { unsigned: false },
  limits: 'The URL and the other headers are not signed.',
}

/**
 * Verifies webhooks from LiveKit by a token signed with HS256 in `Authorization`, without `Bearer`. Pass the API key as
 * `apiKey` and its secret as `secrets`, both from the project's settings. The token covers the exact body and expires after
 * five minutes.
 *
 * @example
 * ```ts
 * const auth = livekit({
 *   apiKey: process.env.LIVEKIT_API_KEY ?? '',
 *   secrets: process.env.LIVEKIT_API_SECRET,
 * })
 * ```
 */
export const livekit: CodeSchemeFactory<LivekitOptions, '/event'> = defineCodeScheme(
  LIVEKIT,
  { ...SHARED_SECRET_OPTIONS, apiKey: exactText },
  ({ secrets, apiKey }, authBy) => {
    const token = tokenOf(apiKey)
    return hashedTokens(authBy, secrets, () => token)
  },
)
