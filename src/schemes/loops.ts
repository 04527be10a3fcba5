import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'
import { keyBytes } from './kit/keys.ts'
import { STANDARD_WEBHOOKS } from './kit/standard-webhooks-row.ts'

/**
 * Verifies webhooks from Loops, which follow Standard Webhooks. The signing secret is under Settings, Webhooks. The
 * signature covers the ID, the time and the body (Standard Webhooks v1).
 *
 * @example
 * ```ts
 * const auth = loops({ secrets: process.env.LOOPS_WEBHOOK_SECRET })
 * ```
 */
export const loops: SchemeFactory<SecretOptions, '/eventName'> = schemeOf(
  {
    ...STANDARD_WEBHOOKS,
    name: 'loops',
    sender: 'Loops',
    secretName: 'signing secret of the webhook, whsec_…',
    eventType: { member: '/eventName' },
  },
  { keys: keyBytes },
)
