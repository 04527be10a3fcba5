import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'

/**
 * Verifies webhooks from TikTok for Developers by their `TikTok-Signature` header. The key is the app's client secret, in the
 * developer portal. The signature covers a timestamp and the body. TikTok documents no tolerance, so set `toleranceSeconds` to
 * refuse old deliveries. Deliveries have no ID, so the signed bytes are claimed, and a retry with a new time is a new event.
 * TikTok Shop signs in another way, which this scheme does not verify.
 *
 * @example
 * ```ts
 * const auth = tiktok({ secrets: process.env.TIKTOK_WEBHOOK_SECRET })
 * ```
 */
export const tiktok: SchemeFactory<SecretOptions, '/event'> = schemeOf({
  name: 'tiktok',
  sender: 'TikTok',
  secretName: 'client secret of the app',
  secretMadeBy: 'sender',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['tiktok-signature'], separator: ',', prefix: 's=', spelling: 'hex' },
  signs: '{timestamp}.{body}',
  timestamp: { item: 't=', unit: 'seconds', of: 'attempt' },
  eventType: { member: '/event' },
  maxBodyBytes: 1_048_576,
  facts: {
    unsigned: false,
    otherSecrets: 'each app has its own; it is neither the client key nor an app secret of TikTok Shop',
  },
  limits: 'The URL and the other headers are not signed.',
})
