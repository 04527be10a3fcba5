import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'
import { keyBytes } from './kit/keys.ts'
import { STANDARD_WEBHOOKS } from './kit/standard-webhooks-row.ts'

/**
 * Verifies webhooks of a project from the Gemini API, which follow Standard Webhooks. The signing secret is shown once,
 * when you create the webhook. The signature covers the ID, the time and the body (Standard Webhooks v1). Dynamic
 * webhooks, which a single request configures, have another signature and are not read.
 *
 * @example
 * ```ts
 * const auth = gemini({ secrets: process.env.GEMINI_WEBHOOK_SECRET })
 * ```
 */
export const gemini: SchemeFactory<SecretOptions, '/type'> = schemeOf(
  {
    ...STANDARD_WEBHOOKS,
    name: 'gemini',
    sender: 'Gemini',
    secretName: 'signing secret of the webhook, whsec_…',
    facts: {
      unsigned: false,
      tests:
        'Dynamic webhooks, which one request configures (webhook_config), carry a token of Google in Webhook-Signature and do not verify',
    },
  },
  { keys: keyBytes },
)
