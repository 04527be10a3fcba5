import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'
import { keyBytes } from './kit/keys.ts'
import { STANDARD_WEBHOOKS } from './kit/standard-webhooks-row.ts'

/**
 * Verifies the auth hooks of Supabase, which follow Standard Webhooks. Pass the hook's secret as the dashboard shows it,
 * `v1,whsec_…`. The signature covers the ID, the time and the body (Standard Webhooks v1). Supabase waits for your
 * answer, and each attempt has an ID of its own.
 *
 * @example
 * ```ts
 * const auth = supabase({ secrets: process.env.SUPABASE_AUTH_HOOK_SECRET })
 * ```
 */
export const supabase: SchemeFactory<SecretOptions, '/metadata/name'> = schemeOf(
  {
    ...STANDARD_WEBHOOKS,
    name: 'supabase',
    sender: 'Supabase',
    secretName: 'secret of the auth hook, v1,whsec_…',
    leaseSeconds: 2, // Supabase waits for 5 seconds in all, and tries again within them
    maxRunSeconds: 3,
    eventType: { member: '/metadata/name' },
    facts: {
      unsigned: 'Supabase signs only if the hook has a secret: generate one in its settings',
    },
  },
  { keys: keyBytes },
)
