import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'
import { keyBytes } from './kit/keys.ts'
import { STANDARD_WEBHOOKS } from './kit/standard-webhooks-row.ts'

/**
 * Verifies webhooks from Polar, which follow Standard Webhooks with a different key. The key is the text of the endpoint's
 * secret, not the bytes that its base64 encodes. The signature covers the ID, the time and the body (Standard Webhooks v1).
 *
 * @example
 * ```ts
 * const auth = polar({ secrets: process.env.POLAR_WEBHOOK_SECRET })
 * ```
 */
export const polar: SchemeFactory<SecretOptions, '/type'> = schemeOf(
  {
    ...STANDARD_WEBHOOKS,
    name: 'polar',
    sender: 'Polar',
    secretName: 'secret of the endpoint, as it is written',
    secretMadeBy: 'user',
    key: 'text',
  },
  { keys: keyBytes },
)
