import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'

/**
 * Verifies webhooks from Coinbase Commerce by their `X-CC-Webhook-Signature` header. The shared secret is under Settings,
 * Notifications. The signature covers the body, which holds the event. Each attempt has another body, so deliveries are claimed by the
 * ID of the event. Coinbase moves its merchants to Coinbase Business, whose webhooks are those of the Coinbase Developer Platform: for
 * them, use `hookgate/schemes/coinbase-cdp`.
 *
 * @example
 * ```ts
 * const auth = coinbaseCommerce({ secrets: process.env.COINBASE_COMMERCE_WEBHOOK_SECRET })
 * ```
 */
export const coinbaseCommerce: SchemeFactory<SecretOptions, '/event/type'> = schemeOf({
  name: 'coinbase-commerce',
  sender: 'Coinbase Commerce',
  secretName: 'webhook shared secret of the account',
  secretMadeBy: 'sender',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['x-cc-webhook-signature'], spelling: 'hex' },
  signs: '{body}',
  eventId: { member: '/event/id' },
  eventType: { member: '/event/type' },
  maxBodyBytes: 1_048_576,
  facts: { unsigned: false },
  limits: 'The URL and the headers are not signed.',
})
