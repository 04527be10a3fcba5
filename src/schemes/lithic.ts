import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'
import { keyBytes } from './kit/keys.ts'
import { STANDARD_WEBHOOKS } from './kit/standard-webhooks-row.ts'

/**
 * Verifies webhooks from Lithic, which follow Standard Webhooks. The signing secret belongs to the event subscription. The
 * signature covers the ID, the time and the body (Standard Webhooks v1).
 *
 * @example
 * ```ts
 * const auth = lithic({ secrets: process.env.LITHIC_WEBHOOK_SECRET })
 * ```
 */
export const lithic: SchemeFactory<SecretOptions, '/event_type'> = schemeOf(
  {
    ...STANDARD_WEBHOOKS,
    name: 'lithic',
    sender: 'Lithic',
    secretName: 'signing secret of the subscription, whsec_…',
    eventType: { member: '/event_type' },
  },
  { keys: keyBytes },
)
