import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'

/**
 * Verifies webhooks from Paddle Billing by their `Paddle-Signature` header. The secret key belongs to the notification
 * destination. The signature covers a timestamp and the body. Paddle's own tolerance is 5 seconds. Set `toleranceSeconds` to
 * 30 if a queue or your clock needs it.
 *
 * @example
 * ```ts
 * const auth = paddle({ secrets: process.env.PADDLE_WEBHOOK_SECRET })
 * ```
 */
export const paddle: SchemeFactory<SecretOptions, '/event_type'> = schemeOf({
  name: 'paddle',
  sender: 'Paddle',
  secretName: 'secret key of the notification destination, pdl_ntfset_…',
  secretMadeBy: 'sender',
  secretPrefix: 'pdl_ntfset_',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['paddle-signature'], separator: ';', prefix: 'h1=', spelling: 'hex' },
  signs: '{timestamp}:{body}',
  timestamp: { item: 'ts=', unit: 'seconds', of: 'attempt', toleranceSeconds: 5 },
  eventId: { member: '/event_id' },
  eventType: { member: '/event_type' },
  maxBodyBytes: 1_048_576,
  facts: {
    unsigned: false,
    otherFormats:
      'Paddle Classic sends forms, which are signed in another way: this scheme is for Paddle Billing',
    otherKeys: {
      pdl_live_apikey_: 'an API key',
      pdl_sdbx_apikey_: 'an API key',
      ntfset_: 'the ID of a notification destination',
      live_: 'a client-side token',
      test_: 'a client-side token',
    },
    otherSecrets: 'each notification destination has its own, sandbox and live ones too',
  },
  limits: 'The URL and the other headers are not signed.',
})
