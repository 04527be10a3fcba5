import { basicScheme } from './kit/basic-credentials.ts'
import type { CodeSchemeFactory, SharedSecretOptions } from './kit/define-scheme.ts'

/**
 * Verifies webhooks from Chargebee by HTTP Basic authentication, with a user and a password that you choose. Protect the webhook
 * with them in its settings, and pass `user:password` as `secrets`.
 *
 * Nothing is signed, and anyone who has seen the password can send anything, so add `allowedCidrs`, or fetch the event from
 * Chargebee's API. Deliveries are claimed by the event's `id`, which stays the same on retries.
 *
 * @example
 * ```ts
 * const auth = chargebee({ secrets: process.env.CHARGEBEE_USER_AND_PASSWORD })
 * ```
 */
export const chargebee: CodeSchemeFactory<SharedSecretOptions, '/event_type'> = basicScheme({
  name: 'chargebee',
  sender: 'Chargebee',
  secretName: 'user:password, as the webhook has them',
  secretMadeBy: 'user',
  dedupe: 'id',
  eventId: { member: '/id' },
  eventType: { member: '/event_type' },
  maxBodyBytes: 1_048_576,
  facts: {
    unsigned:
      'Chargebee authenticates only if the webhook is protected: turn on basic authentication in its settings, and enter a user and a password',
  },
})
