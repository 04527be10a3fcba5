import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'
import { keyBytes } from './kit/keys.ts'
import { STANDARD_WEBHOOKS } from './kit/standard-webhooks-row.ts'

/**
 * Verifies webhooks from BigCommerce, which follow Standard Webhooks with a different key. The key is the text of the
 * client secret of the API account that made the webhook: BigCommerce's pages encode it in base64 only because the
 * libraries decode it again. The signature covers the ID, the time and the body (Standard Webhooks v1).
 *
 * @example
 * ```ts
 * const auth = bigcommerce({ secrets: process.env.BIGCOMMERCE_CLIENT_SECRET })
 * ```
 */
export const bigcommerce: SchemeFactory<SecretOptions, '/scope'> = schemeOf(
  {
    ...STANDARD_WEBHOOKS,
    name: 'bigcommerce',
    sender: 'BigCommerce',
    secretName: 'client secret of the API account, as it is shown',
    key: 'text',
    eventType: { member: '/scope' },
  },
  { keys: keyBytes },
)
