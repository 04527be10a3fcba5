import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'
import { keyBytes } from './kit/keys.ts'
import { SVIX } from './kit/standard-webhooks-row.ts'

/**
 * Verifies webhooks from Resend, which sends through Svix. The signing secret is on the webhook's page in the dashboard. The
 * signature covers the ID, the time and the body (Standard Webhooks v1).
 *
 * @example
 * ```ts
 * const auth = resend({ secrets: process.env.RESEND_WEBHOOK_SECRET })
 * ```
 */
export const resend: SchemeFactory<SecretOptions, '/type'> = schemeOf(
  {
    ...SVIX,
    name: 'resend',
    sender: 'Resend',
    secretName: 'signing secret of the webhook, whsec_…',
  },
  { keys: keyBytes },
)
