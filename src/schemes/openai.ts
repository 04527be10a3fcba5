import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'
import { keyBytes } from './kit/keys.ts'
import { STANDARD_WEBHOOKS } from './kit/standard-webhooks-row.ts'

/**
 * Verifies webhooks from OpenAI, which follow Standard Webhooks. The signing secret is shown once, when you create the webhook
 * in the project's settings. The signature covers the ID, the time and the body (Standard Webhooks v1).
 *
 * @example
 * ```ts
 * const auth = openai({ secrets: process.env.OPENAI_WEBHOOK_SECRET })
 * ```
 */
export const openai: SchemeFactory<SecretOptions, '/type'> = schemeOf(
  {
    ...STANDARD_WEBHOOKS,
    name: 'openai',
    sender: 'OpenAI',
    secretName: 'signing secret of the webhook, whsec_…',
  },
  { keys: keyBytes },
)
