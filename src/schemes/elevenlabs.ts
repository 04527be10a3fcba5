import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'

/**
 * Verifies webhooks from ElevenLabs by their `ElevenLabs-Signature` header, version `v0`. The secret is shown when you create
 * the webhook. The signature covers a timestamp and the body. The tolerance is 30 minutes, as in its own SDK. Deliveries have
 * no ID, so the signed bytes are claimed.
 *
 * @example
 * ```ts
 * const auth = elevenlabs({ secrets: process.env.ELEVENLABS_WEBHOOK_SECRET })
 * ```
 */
export const elevenlabs: SchemeFactory<SecretOptions, '/type'> = schemeOf({
  name: 'elevenlabs',
  sender: 'ElevenLabs',
  secretName: 'secret of the webhook',
  secretMadeBy: 'sender',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['elevenlabs-signature'], separator: ',', prefix: 'v0=', spelling: 'hex' },
  signs: '{timestamp}.{body}',
  timestamp: { item: 't=', unit: 'seconds', of: 'attempt', toleranceSeconds: 1_800 },
  eventType: { member: '/type' },
  maxBodyBytes: 1_048_576,
  facts: { unsigned: false },
  limits: 'The URL and the other headers are not signed.',
})
