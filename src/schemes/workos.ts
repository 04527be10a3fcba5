import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'

/**
 * Verifies webhooks from WorkOS by their `WorkOS-Signature` header, with a timestamp in milliseconds. The signing secret is on
 * the endpoint's page in the dashboard. The signature covers the timestamp and the body.
 *
 * @example
 * ```ts
 * const auth = workos({ secrets: process.env.WORKOS_WEBHOOK_SECRET })
 * ```
 */
export const workos: SchemeFactory<SecretOptions, '/event'> = schemeOf({
  name: 'workos',
  sender: 'WorkOS',
  secretName: 'signing secret of the endpoint',
  secretMadeBy: 'sender',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['workos-signature'], separator: ', ', prefix: 'v1=', spelling: 'hex' },
  signs: '{timestamp}.{body}',
  timestamp: { item: 't=', unit: 'milliseconds', of: 'attempt', toleranceSeconds: 180 },
  eventId: { member: '/id' },
  eventType: { member: '/event' },
  maxBodyBytes: 1_048_576,
  facts: {
    unsigned: false,
    otherSecrets: 'each endpoint has its own, in each environment; it is no API key',
  },
  limits: 'The URL and the other headers are not signed.',
})
