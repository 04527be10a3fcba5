import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'

/**
 * Verifies webhooks from Calendly by their `Calendly-Webhook-Signature` header. The signing key is the one that you set when
 * you created the webhook subscription through the API. The signature covers a timestamp and the body. Deliveries have no ID,
 * so the signed bytes are claimed.
 *
 * @example
 * ```ts
 * const auth = calendly({ secrets: process.env.CALENDLY_WEBHOOK_SECRET })
 * ```
 */
export const calendly: SchemeFactory<SecretOptions, '/event'> = schemeOf({
  name: 'calendly',
  sender: 'Calendly',
  secretName: 'signing key of the webhook subscription',
  secretMadeBy: 'user',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['calendly-webhook-signature'], separator: ',', prefix: 'v1=', spelling: 'hex' },
  signs: '{timestamp}.{body}',
  timestamp: { item: 't=', unit: 'seconds', of: 'attempt', toleranceSeconds: 180 },
  eventType: { member: '/event' },
  maxBodyBytes: 1_048_576,
  facts: {
    unsigned:
      'Calendly signs only if the subscription has a signing key: pass signing_key when you create it, or create it by an OAuth app',
  },
  limits: 'The URL and the other headers are not signed.',
})
