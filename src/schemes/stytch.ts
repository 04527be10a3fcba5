import { type SchemeFactory, schemeOf } from './kit/define-scheme.ts'
import { inEitherFamily } from './kit/header-families.ts'
import { keyBytes } from './kit/keys.ts'
import { SVIX_BY_EITHER_NAME } from './kit/standard-webhooks-row.ts'

// No single member names the event.
const { eventType: _, ...ROW } = SVIX_BY_EITHER_NAME

/**
 * Verifies webhooks from Stytch, which sends through Svix. The signing secret belongs to the endpoint. The signature
 * covers the ID, the time and the body (Standard Webhooks v1). The event's name is made of three members: `source`,
 * `object_type` and `action`.
 *
 * @example
 * ```ts
 * const auth = stytch({ secrets: process.env.STYTCH_WEBHOOK_SECRET })
 * ```
 */
export const stytch: SchemeFactory = schemeOf(
  {
    ...ROW,
    name: 'stytch',
    sender: 'Stytch',
    secretName: 'signing secret of the endpoint, whsec_…',
  },
  { families: inEitherFamily, keys: keyBytes },
)
