import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'

/**
 * Verifies webhooks from Mux by their `Mux-Signature` header. The signing secret is in the dashboard under Settings, Webhooks.
 * The signature covers a timestamp and the body.
 *
 * @example
 * ```ts
 * const auth = mux({ secrets: process.env.MUX_WEBHOOK_SECRET })
 * ```
 */
export const mux: SchemeFactory<SecretOptions, '/type'> = schemeOf({
  name: 'mux',
  sender: 'Mux',
  secretName: 'signing secret of the webhook',
  secretMadeBy: 'sender',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['mux-signature'], separator: ',', prefix: 'v1=', spelling: 'hex' },
  signs: '{timestamp}.{body}',
  timestamp: { item: 't=', unit: 'seconds', of: 'attempt', toleranceSeconds: 300 },
  eventId: { member: '/id' },
  eventType: { member: '/type' },
  maxBodyBytes: 1_048_576,
  facts: { unsigned: false },
  limits: 'The URL and the other headers are not signed.',
})
