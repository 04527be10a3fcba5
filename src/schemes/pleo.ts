import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'
import { STANDARD_BY_EITHER_NAME } from './kit/either-name-row.ts'
import { inEitherFamily } from './kit/header-families.ts'
import { keyBytes } from './kit/keys.ts'

/**
 * Verifies webhooks from Pleo, which follow Standard Webhooks if the subscription has the HMAC method. Svix lists Pleo among the senders
 * that its library verifies, so the headers may also begin with `svix-`. The signature covers the ID, the time and the body (Standard
 * Webhooks v1).
 *
 * @example
 * ```ts
 * const auth = pleo({ secrets: process.env.PLEO_WEBHOOK_SECRET })
 * ```
 */
export const pleo: SchemeFactory<SecretOptions, '/eventType'> = schemeOf(
  {
    ...STANDARD_BY_EITHER_NAME,
    name: 'pleo',
    sender: 'Pleo',
    secretName: 'signing secret of the subscription, whsec_…',
    eventType: { member: '/eventType' },
    facts: {
      unsigned:
        'Pleo signs only the subscriptions with the HMAC method; the others carry a password or a header that you chose',
    },
  },
  { families: inEitherFamily, keys: keyBytes },
)
