import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'

/**
 * Verifies webhooks from RevenueCat by their `Authorization` header. Pass the complete value that you entered in the dashboard, under
 * Integrations, Webhooks. Nothing is signed, and anyone who has seen the value can send anything. Deliveries are claimed by the ID of
 * their event.
 *
 * @example
 * ```ts
 * const auth = revenuecat({ secrets: process.env.REVENUECAT_AUTHORIZATION })
 * ```
 */
export const revenuecat: SchemeFactory<SecretOptions, '/event/type'> = schemeOf({
  name: 'revenuecat',
  sender: 'RevenueCat',
  secretName: 'authorization header of the webhook, in full',
  secretMadeBy: 'user',
  algorithm: 'token',
  key: 'text',
  signature: { headers: ['authorization'] },
  signs: '{body}',
  eventId: { member: '/event/id' },
  eventType: { member: '/event/type' },
  maxBodyBytes: 1_048_576,
  facts: {
    unsigned:
      'RevenueCat sends the header only if the webhook has an authorization header: enter one in the dashboard, under Integrations, Webhooks',
  },
  limits:
    'Nothing is signed: the token only identifies the caller, and anyone who has seen it can forge deliveries.',
})
