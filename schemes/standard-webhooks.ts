import { defineScheme, type PublicKeyOptions, type SchemeFactory } from '../src/scheme/index.ts'

/**
 * Standard Webhooks: v1 (HMAC-SHA256) and v1a (Ed25519), with `Webhook-Id`, `Webhook-Timestamp` and `Webhook-Signature`.
 *
 * The secret is `whsec_…` (give it as `secrets`), the public key `whpk_…` (as `publicKeys`). The signature covers the ID, the
 * time and the body.
 */
export const standardWebhooks: SchemeFactory<PublicKeyOptions> = defineScheme({
  name: 'standard-webhooks',
  sender: 'Standard Webhooks',
  secretName: 'signing secret, whsec_…, or public key, whpk_…',
  algorithm: 'hmac-sha256',
  key: { base64After: 'whsec_' },
  publicKey: { algorithm: 'ed25519', key: { base64After: 'whpk_' }, prefix: 'v1a,' },
  signature: { headers: ['webhook-signature'], separator: ' ', prefix: 'v1,', spelling: 'base64' },
  signs: '{id}.{timestamp}.{body}',
  timestamp: { header: 'webhook-timestamp', unit: 'seconds', of: 'attempt', toleranceSeconds: 300 },
  eventId: { header: 'webhook-id' },
  eventType: { member: '/type' },
  maxBodyBytes: 1_048_576,
  limits: 'The URL and the other headers are not signed.',
})
