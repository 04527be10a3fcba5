import { type SchemeFactory, schemeOf } from './kit/define-scheme.ts'
import { inEitherFamily } from './kit/header-families.ts'
import { keyBytes } from './kit/keys.ts'
import { SVIX_BY_EITHER_NAME } from './kit/standard-webhooks-row.ts'

// The bodies do not name their events.
const { eventType: _, ...ROW } = SVIX_BY_EITHER_NAME

/**
 * Verifies webhooks from SafeBase, which sends through Svix. The signing secret belongs to the endpoint. The signature
 * covers the ID, the time and the body (Standard Webhooks v1).
 *
 * @example
 * ```ts
 * const auth = safebase({ secrets: process.env.SAFEBASE_WEBHOOK_SECRET })
 * ```
 */
export const safebase: SchemeFactory = schemeOf(
  {
    ...ROW,
    name: 'safebase',
    sender: 'SafeBase',
    secretName: 'signing secret of the endpoint, whsec_…',
  },
  { families: inEitherFamily, keys: keyBytes },
)
