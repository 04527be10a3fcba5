import { type SchemeFactory, schemeOf } from './kit/define-scheme.ts'
import { keyBytes } from './kit/keys.ts'
import { STANDARD_WEBHOOKS } from './kit/standard-webhooks-row.ts'

// The pages do not say where a body names its event.
const { eventType: _, ...ROW } = STANDARD_WEBHOOKS

/**
 * Verifies webhooks from Sardine's payments, which follow Standard Webhooks. Your integration manager gives you the
 * signing secret. The signature covers the ID, the time and the body (Standard Webhooks v1). No page that could be read
 * says how Sardine's other products sign.
 *
 * @example
 * ```ts
 * const auth = sardine({ secrets: process.env.SARDINE_WEBHOOK_SECRET })
 * ```
 */
export const sardine: SchemeFactory = schemeOf(
  {
    ...ROW,
    name: 'sardine',
    sender: 'Sardine',
    secretName: 'signing_secret, whsec_…',
  },
  { keys: keyBytes },
)
