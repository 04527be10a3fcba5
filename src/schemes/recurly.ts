import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'

/**
 * Verifies JSON webhooks from Recurly by their `recurly-signature` header: a time in milliseconds, and a signature for each valid
 * key. The secret is that of the endpoint, on its Webhook Endpoints page. After a new one is made, both are valid for 24 hours.
 * XML webhooks are not signed.
 *
 * `id` is that of the account or the subscription, not of the event, so the signed bytes are claimed, and a retry with a new time is a
 * new event. [Read in November 2026](https://docs.recurly.com/v1.3/docs/signature-verification).
 *
 * @example
 * ```ts
 * const auth = recurly({ secrets: process.env.RECURLY_WEBHOOK_SECRET })
 * ```
 */
export const recurly: SchemeFactory<SecretOptions, '/event_type'> = schemeOf({
  name: 'recurly',
  sender: 'Recurly',
  secretName: 'secret key of the webhook endpoint',
  secretMadeBy: 'sender',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['recurly-signature'], separator: ',', spelling: 'hex' },
  signs: '{timestamp}.{body}',
  timestamp: { item: '', unit: 'milliseconds', of: 'attempt', toleranceSeconds: 300 },
  eventType: { member: '/event_type' },
  maxBodyBytes: 1_048_576,
  facts: {
    unsigned: "Recurly does not sign XML webhooks: choose JSON in the endpoint's settings",
    otherFormats: "Recurly sends XML if the endpoint's format says so: choose JSON in its settings",
    otherSecrets: 'each endpoint has its own; it is neither an API key nor the key of HTTP Basic',
  },
  limits: 'The URL and the other headers are not signed.',
})
