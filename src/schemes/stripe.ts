import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'

/**
 * Verifies webhooks from Stripe by their `Stripe-Signature` header. The secret is the endpoint's signing secret, `whsec_…`, in
 * Workbench under Webhooks. While you roll it, Stripe signs with both. The signature covers a timestamp and the body, which
 * holds the event's `id` and `type`.
 *
 * `stripe<Stripe.Event>({ … })` types the events.
 *
 * @example
 * ```ts
 * const auth = stripe({ secrets: process.env.STRIPE_WEBHOOK_SECRET })
 * ```
 */
export const stripe: SchemeFactory<SecretOptions, '/type'> = schemeOf({
  name: 'stripe',
  sender: 'Stripe',
  secretName: 'signing secret of the endpoint, whsec_…',
  secretMadeBy: 'sender',
  secretPrefix: 'whsec_',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['stripe-signature'], separator: ',', prefix: 'v1=', spelling: 'hex' },
  signs: '{timestamp}.{body}',
  timestamp: { item: 't=', unit: 'seconds', of: 'attempt', toleranceSeconds: 300 },
  eventId: { member: '/id' },
  eventType: { member: '/type' },
  maxBodyBytes: 1_048_576,
  facts: {
    unsigned: false,
    otherKeys: { we_: 'the ID of an endpoint' },
    otherSecrets: 'each endpoint has its own, and `stripe listen` another',
    mode: { member: '/livemode', live: true, test: false },
  },
  limits: 'The URL and the other headers are not signed.',
})
