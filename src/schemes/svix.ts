import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'
import { keyBytes } from './kit/keys.ts'
import { SVIX } from './kit/standard-webhooks-row.ts'

/**
 * Verifies webhooks from Svix, and from services that send through it: Standard Webhooks with `Svix-Id`, `Svix-Timestamp` and
 * `Svix-Signature`. The signing secret belongs to the endpoint. The signature covers the ID, the time and the body (Standard
 * Webhooks v1).
 *
 * @example
 * ```ts
 * const auth = svix({ secrets: process.env.SVIX_WEBHOOK_SECRET })
 * ```
 */
export const svix: SchemeFactory<SecretOptions, '/type'> = schemeOf(
  {
    ...SVIX,
    name: 'svix',
    sender: 'Svix',
    secretName: 'signing secret of the endpoint, whsec_…',
    facts: {
      unsigned: false,
      isShared: true,
      otherKeys: {
        ep_: 'the ID of an endpoint',
        app_: 'the ID of an application',
        sk_: 'an API key',
        testsk_: 'an API key',
      },
      otherSecrets: 'each endpoint has its own, in each environment',
    },
  },
  { keys: keyBytes },
)
