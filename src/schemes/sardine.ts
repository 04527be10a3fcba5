import { type SchemeFactory, schemeOf } from './kit/define-scheme.ts'
import { STANDARD_BY_EITHER_NAME } from './kit/either-name-row.ts'
import { inEitherFamily } from './kit/header-families.ts'
import { keyBytes } from './kit/keys.ts'

// The pages do not say where a body names its event.
const { eventType: _, ...ROW } = STANDARD_BY_EITHER_NAME

/**
 * Verifies webhooks from Sardine's payments, which follow Standard Webhooks. Svix lists Sardine among the senders that its library
 * verifies, so the headers may also begin with `svix-`. Your integration manager gives you the signing secret. The signature covers the ID, the time and the body (Standard Webhooks v1). No page that could be read
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
  { families: inEitherFamily, keys: keyBytes },
)
