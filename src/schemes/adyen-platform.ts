import { parseTime } from '../lib/time.ts'
import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'
import { keyBytes } from './kit/keys.ts'

/**
 * Verifies Adyen's balance platform and management webhooks by their `HmacSignature` header. The HMAC key is generated on the
 * webhook's page in the Customer Area, as hex. The signature covers the body. For payment webhooks, import
 * `hookgate/schemes/adyen`.
 *
 * @example
 * ```ts
 * const auth = adyenPlatform({ secrets: process.env.ADYEN_HMAC_KEY })
 * ```
 */
export const adyenPlatform: SchemeFactory<SecretOptions, '/type'> = schemeOf(
  {
    name: 'adyen-platform',
    sender: 'Adyen for Platforms',
    secretName: 'HMAC key of the webhook, in hex',
    secretMadeBy: 'sender',
    algorithm: 'hmac-sha256',
    key: 'hex',
    signature: { headers: ['hmacsignature'], spelling: 'base64' },
    signs: '{body}',
    timestamp: { member: '/timestamp', unit: 'rfc3339', of: 'event', toleranceSeconds: 2_592_000 },
    eventType: { member: '/type' },
    maxBodyBytes: 1_048_576,
    facts: {
      unsigned:
        'Adyen signs only if the webhook has an HMAC key: generate one in the Customer Area, under Developers, Webhooks, Security',
      mode: { member: '/environment', live: 'live', test: 'test' },
    },
    limits: 'The URL and the other headers are not signed.',
  },
  { dates: parseTime, keys: keyBytes },
)
