import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'
import { keyBytes } from './kit/keys.ts'
import { STANDARD_WEBHOOKS } from './kit/standard-webhooks-row.ts'

/**
 * Verifies webhooks from Anthropic, which follow Standard Webhooks. Pass the webhook's signing secret, `whsec_…`. The
 * signature covers the ID, the time and the body (Standard Webhooks v1).
 *
 * @example
 * ```ts
 * const auth = anthropic({ secrets: process.env.ANTHROPIC_WEBHOOK_SECRET })
 * ```
 */
export const anthropic: SchemeFactory<SecretOptions, '/data/type'> = schemeOf(
  {
    ...STANDARD_WEBHOOKS,
    name: 'anthropic',
    sender: 'Anthropic',
    secretName: 'signing secret of the webhook, whsec_…',
    eventType: { member: '/data/type' }, // `/type` is always `event`
  },
  { keys: keyBytes },
)
