import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'

/**
 * Verifies webhooks from Linear by their `Linear-Signature` header. The signing secret is on the webhook's page in the
 * settings. The signature covers the body, whose `webhookTimestamp` may differ from your clock by 60 seconds. The ID is in an
 * unsigned header, so the ID and the signed bytes are both claimed.
 *
 * @example
 * ```ts
 * const auth = linear({ secrets: process.env.LINEAR_WEBHOOK_SECRET })
 * ```
 */
export const linear: SchemeFactory<SecretOptions, '/type'> = schemeOf({
  name: 'linear',
  sender: 'Linear',
  secretName: 'signing secret of the webhook',
  secretMadeBy: 'user',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['linear-signature'], spelling: 'hex' },
  signs: '{body}',
  timestamp: { member: '/webhookTimestamp', unit: 'milliseconds', of: 'attempt', toleranceSeconds: 60 },
  eventId: { header: 'linear-delivery' },
  eventType: { member: '/type' },
  maxBodyBytes: 5_242_880,
  facts: {
    unsigned: false,
    usualPrefix: 'lin_wh_',
    otherKeys: { lin_api_: 'an API key', lin_oauth_: 'an OAuth token' },
    otherSecrets: 'each webhook has its own, and an OAuth app has another one',
  },
  limits: 'The URL and the headers are not signed: Linear-Delivery can be changed.',
})
