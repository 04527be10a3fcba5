import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'
import { keyBytes } from './kit/keys.ts'
import { STANDARD_WEBHOOKS } from './kit/standard-webhooks-row.ts'

/**
 * Verifies webhooks from Render, which follow Standard Webhooks. The signing secret is on the webhook's page in the
 * dashboard. The signature covers the ID, the time and the body (Standard Webhooks v1).
 *
 * @example
 * ```ts
 * const auth = render({ secrets: process.env.RENDER_WEBHOOK_SECRET })
 * ```
 */
export const render: SchemeFactory<SecretOptions, '/type'> = schemeOf(
  {
    ...STANDARD_WEBHOOKS,
    name: 'render',
    sender: 'Render',
    secretName: 'signing secret of the webhook, whsec_…',
  },
  { keys: keyBytes },
)
