import { basicScheme } from './kit/basic-credentials.ts'
import type { CodeSchemeFactory, SharedSecretOptions } from './kit/define-scheme.ts'

/**
 * Verifies webhooks from Postmark by HTTP Basic authentication, with a user and a password that you choose. Write them into
 * the webhook's URL, `https://user:password@example.com/hooks`, and pass `user:password` as `secrets`, without
 * percent-encoding.
 *
 * Nothing is signed, and anyone who has seen the password can send anything. Postmark publishes its addresses, so add
 * `allowedCidrs`. Deliveries are claimed by their bodies, because all events of a message share its `MessageID`. Raise
 * `maxBodyBytes` for inbound mail with attachments. Never answer 403, because Postmark then gives up.
 *
 * @example
 * ```ts
 * const auth = postmark({ secrets: process.env.POSTMARK_USER_AND_PASSWORD })
 * ```
 */
export const postmark: CodeSchemeFactory<SharedSecretOptions, '/RecordType'> = basicScheme({
  name: 'postmark',
  sender: 'Postmark',
  secretName: 'user:password, as the webhook’s URL has them',
  secretMadeBy: 'user',
  eventType: { member: '/RecordType' },
  maxBodyBytes: 1_048_576,
  facts: {
    unsigned:
      'Postmark authenticates only if the webhook has credentials: write them into its URL, https://user:password@…',
  },
})
