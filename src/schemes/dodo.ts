import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'
import { keyBytes } from './kit/keys.ts'
import { STANDARD_WEBHOOKS } from './kit/standard-webhooks-row.ts'

/**
 * Verifies webhooks from Dodo Payments, which follow Standard Webhooks. The signing secret belongs to the webhook's endpoint
 * in the dashboard. The signature covers the ID, the time and the body (Standard Webhooks v1).
 *
 * @example
 * ```ts
 * const auth = dodo({ secrets: process.env.DODO_WEBHOOK_SECRET })
 * ```
 */
export const dodo: SchemeFactory<SecretOptions, '/type'> = schemeOf(
  {
    ...STANDARD_WEBHOOKS,
    name: 'dodo',
    sender: 'Dodo Payments',
    secretName: 'signing secret of the endpoint, whsec_…',
  },
  { keys: keyBytes },
)
