import { type PublicKeyOptions, type SchemeFactory, schemeOf } from './kit/define-scheme.ts'
import { rsaKeyMatcher } from './kit/rsa-keys.ts'

/**
 * Verifies webhooks from Wise by their `X-Signature-SHA256` header, a signature by RSA. The public keys of the sandbox and of production are
 * on Wise's page: pass that of your environment, as PEM or its base64. The signature covers only the body. `X-Delivery-Id` is not
 * signed, so the signed bytes are claimed.
 *
 * @example
 * ```ts
 * const auth = wise({ publicKeys: process.env.WISE_PUBLIC_KEY })
 * ```
 */
export const wise: SchemeFactory<PublicKeyOptions, '/event_type'> = schemeOf(
  {
    name: 'wise',
    sender: 'Wise',
    secretName: "public key of the sandbox or of production, on Wise's page of event handling",
    algorithm: 'rsa-v1_5-sha256',
    key: 'base64',
    signature: { headers: ['x-signature-sha256'], spelling: 'base64' },
    signs: '{body}',
    eventId: { header: 'x-delivery-id' },
    eventType: { member: '/event_type' },
    maxBodyBytes: 1_048_576,
    facts: {
      unsigned: false,
      otherSecrets: 'the sandbox and production have different keys',
      otherVersions: { 'x-signature': { is: "Wise's older signature, by SHA-1" } },
    },
    limits: 'The time, the URL and the headers are not signed: X-Delivery-Id can be changed.',
  },
  { publicKeys: rsaKeyMatcher },
)
