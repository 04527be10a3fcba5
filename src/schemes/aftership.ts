import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'

/**
 * Verifies webhooks from AfterShip: those of Tracking by their `aftership-hmac-sha256` header, and those of Returns and Warranty by
 * `as-signature-hmac-sha256`. The key is the webhook secret of the product, in its settings. The signature covers only the body, of which
 * Tracking's holds the event's ID. The older `am-webhook-signature` is not verified.
 *
 * @example
 * ```ts
 * const auth = aftership({ secrets: process.env.AFTERSHIP_WEBHOOK_SECRET })
 * ```
 */
export const aftership: SchemeFactory<SecretOptions, '/event'> = schemeOf({
  name: 'aftership',
  sender: 'AfterShip',
  secretName: 'webhook secret of the product',
  secretMadeBy: 'sender',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['aftership-hmac-sha256', 'as-signature-hmac-sha256'], spelling: 'base64' },
  signs: '{body}',
  eventId: { member: '/event_id' },
  eventType: { member: '/event' },
  maxBodyBytes: 1_048_576,
  facts: {
    unsigned: false,
    otherSecrets: 'each product has its own; it is no API key',
    otherVersions: {
      'am-webhook-signature': {
        begins: 'hmac-sha256=',
        is: 'the signature of Shipping, and of older organizations',
      },
    },
  },
  limits: 'The time, the URL and the headers are not signed.',
})
