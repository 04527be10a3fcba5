import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'
import { keyBytes } from './kit/keys.ts'
import { SVIX } from './kit/standard-webhooks-row.ts'

/**
 * Verifies webhooks from Clerk, which sends through Svix. The signing secret is on the endpoint's page in the dashboard. The
 * signature covers the ID, the time and the body (Standard Webhooks v1).
 *
 * @example
 * ```ts
 * const auth = clerk({ secrets: process.env.CLERK_WEBHOOK_SECRET })
 * ```
 */
export const clerk: SchemeFactory<SecretOptions, '/type'> = schemeOf(
  {
    ...SVIX,
    name: 'clerk',
    sender: 'Clerk',
    secretName: 'signing secret of the endpoint, whsec_…',
  },
  { keys: keyBytes },
)
