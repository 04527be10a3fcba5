import { type PublicKeyOptions, type SchemeFactory, schemeOf } from './kit/define-scheme.ts'
import { publicKeyMatcher } from './kit/public-keys.ts'

/**
 * Verifies webhooks from Telnyx by their `Telnyx-Signature-Ed25519` header. The public key is in the Mission Control Portal.
 * The signature covers a timestamp and the body.
 *
 * @example
 * ```ts
 * const auth = telnyx({ publicKeys: process.env.TELNYX_PUBLIC_KEY })
 * ```
 */
export const telnyx: SchemeFactory<PublicKeyOptions, '/data/event_type'> = schemeOf(
  {
    name: 'telnyx',
    sender: 'Telnyx',
    secretName: 'public key of the account, in base64',
    secretMadeBy: 'sender',
    algorithm: 'ed25519',
    key: 'base64',
    signature: { headers: ['telnyx-signature-ed25519'], spelling: 'base64' },
    signs: '{timestamp}|{body}',
    timestamp: { header: 'telnyx-timestamp', unit: 'seconds', of: 'attempt', toleranceSeconds: 300 },
    eventId: { member: '/data/id' },
    eventType: { member: '/data/event_type' },
    maxBodyBytes: 1_048_576,
    facts: {
      unsigned:
        'Telnyx signs the webhooks of its API v1 in another way: choose API v2 in the settings of the application or profile',
      otherFormats: 'Telnyx sends TeXML callbacks as forms: this scheme reads its webhooks in JSON',
    },
    limits: 'The URL and the other headers are not signed.',
  },
  { publicKeys: publicKeyMatcher },
)
