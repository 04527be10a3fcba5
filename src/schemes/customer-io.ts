import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'

/**
 * Verifies reporting webhooks from Customer.io by their `X-CIO-Signature` header. The signing key is on the webhook's page, under Data
 * & Integrations. The signature covers a timestamp and the body, which holds the event's ID.
 *
 * Customer.io documents no tolerance, and retries for 7 days, so no delivery is refused for its age. An event's type is its `metric`,
 * such as `opened`, which belongs to the `object_type` of the body.
 *
 * @example
 * ```ts
 * const auth = customerIo({ secrets: process.env.CUSTOMER_IO_WEBHOOK_SIGNING_KEY })
 * ```
 */
export const customerIo: SchemeFactory<SecretOptions, '/metric'> = schemeOf({
  name: 'customer-io',
  sender: 'Customer.io',
  secretName: 'signing key of the webhook',
  secretMadeBy: 'sender',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['x-cio-signature'], spelling: 'hex' },
  signs: 'v0:{timestamp}:{body}',
  timestamp: { header: 'x-cio-timestamp', unit: 'seconds', of: 'attempt' },
  eventId: { member: '/event_id' },
  eventType: { member: '/metric' },
  maxBodyBytes: 1_048_576,
  facts: {
    unsigned: false,
    tests:
      'the webhook action of a campaign is signed with a key of Customer.io that you cannot see: only reporting webhooks verify',
  },
  limits: 'The URL and the other headers are not signed.',
})
