import { parseTime } from '../lib/time.ts'
import { type SchemeFactory, type SecretOptions, schemeOf, type UrlOptions } from './kit/define-scheme.ts'
import { signedUrlText } from './kit/signed-url.ts'

/**
 * Verifies webhooks from Square by their `X-Square-HmacSha256-Signature` header. The signature key belongs to the webhook
 * subscription. Pass the subscription's notification URL as `publicUrl`, exactly as written there. The signature covers the
 * URL and the body, which holds the event's ID and time.
 *
 * @example
 * ```ts
 * const auth = square({
 *   secrets: process.env.SQUARE_SIGNATURE_KEY,
 *   publicUrl: 'https://example.com/hooks',
 * })
 * ```
 */
export const square: SchemeFactory<SecretOptions & UrlOptions, '/type'> = schemeOf(
  {
    name: 'square',
    sender: 'Square',
    secretName: 'signature key of the subscription',
    secretMadeBy: 'sender',
    algorithm: 'hmac-sha256',
    key: 'text',
    signature: { headers: ['x-square-hmacsha256-signature'], spelling: 'base64' },
    signs: '{url}{body}',
    timestamp: { member: '/created_at', unit: 'rfc3339', of: 'event', toleranceSeconds: 345_600 },
    eventId: { member: '/event_id' },
    eventType: { member: '/type' },
    maxBodyBytes: 1_048_576,
    facts: {
      unsigned: false,
      otherSecrets: 'each subscription has its own, in the sandbox too; it is no access token',
    },
    limits: 'The other headers are not signed.',
  },
  { url: signedUrlText, dates: parseTime },
)
