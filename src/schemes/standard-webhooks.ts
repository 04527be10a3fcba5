import { type PublicKeyOptions, type SchemeFactory, schemeOf } from './kit/define-scheme.ts'
import { keyBytes } from './kit/keys.ts'
import { publicKeyMatcher } from './kit/public-keys.ts'
import { STANDARD_WEBHOOKS } from './kit/standard-webhooks-row.ts'

/**
 * Verifies Standard Webhooks: v1 (HMAC-SHA256) and v1a (Ed25519), with `Webhook-Id`, `Webhook-Timestamp` and
 * `Webhook-Signature`.
 *
 * Pass the secret `whsec_…` as `secrets`, or the public key `whpk_…` as `publicKeys`. The signature covers the ID, the
 * time and the body.
 *
 * @example
 * ```ts
 * const auth = standardWebhooks({ secrets: process.env.WEBHOOK_SECRET })
 * ```
 */
export const standardWebhooks: SchemeFactory<PublicKeyOptions, '/type'> = schemeOf(
  {
    ...STANDARD_WEBHOOKS,
    name: 'standard-webhooks',
    sender: 'Standard Webhooks',
    secretName: 'signing secret, whsec_…, or public key, whpk_…',
    facts: {
      unsigned:
        'some senders, such as Supabase, sign only if there is a secret: generate one in the settings of the sender',
      isShared: true,
      otherKeys: { whsk_: 'a private key' },
      otherSecrets: 'each endpoint has its own',
    },
    publicKey: { algorithm: 'ed25519', key: { base64After: 'whpk_' }, prefix: 'v1a,' },
  },
  { publicKeys: publicKeyMatcher, keys: keyBytes },
)
