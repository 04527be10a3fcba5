import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'
import { keyBytes } from './kit/keys.ts'
import { STANDARD_WEBHOOKS } from './kit/standard-webhooks-row.ts'

/**
 * Verifies webhooks from Replicate, which follow Standard Webhooks. Fetch the signing secret of your account from the API
 * (`webhooks.default.secret`) and keep it. The signature covers the ID, the time and the body (Standard Webhooks v1).
 *
 * @example
 * ```ts
 * const auth = replicate({ secrets: process.env.REPLICATE_WEBHOOK_SECRET })
 * ```
 */
export const replicate: SchemeFactory<SecretOptions, '/type'> = schemeOf(
  {
    ...STANDARD_WEBHOOKS,
    name: 'replicate',
    sender: 'Replicate',
    leaseSeconds: 30, // half of the minute during which Replicate retries
    maxRunSeconds: 30,
    secretName: 'signing secret, whsec_…',
  },
  { keys: keyBytes },
)
