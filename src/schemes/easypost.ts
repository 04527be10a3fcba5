import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'

/**
 * Verifies webhooks from EasyPost by their `X-Hmac-Signature` header. The key is the `webhook_secret` that you chose for the webhook.
 * EasyPost normalizes it (NFKD), which changes no ASCII: choose such a one. The signature covers only the body, which holds the event's ID.
 *
 * @example
 * ```ts
 * const auth = easypost({ secrets: process.env.EASYPOST_WEBHOOK_SECRET })
 * ```
 */
export const easypost: SchemeFactory<SecretOptions, '/description'> = schemeOf({
  name: 'easypost',
  sender: 'EasyPost',
  secretName: 'webhook_secret of the webhook',
  secretMadeBy: 'user',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['x-hmac-signature'], prefix: 'hmac-sha256-hex=', spelling: 'hex' },
  signs: '{body}',
  eventId: { member: '/id' },
  eventType: { member: '/description' },
  maxBodyBytes: 1_048_576,
  facts: {
    unsigned:
      'EasyPost signs only the webhooks with a webhook_secret: set one when you create or update the webhook',
    otherKeys: { EZAK: 'a production API key', EZTK: 'a test API key' },
    mode: { member: '/mode', live: 'production', test: 'test' },
  },
  limits: 'The time, the URL and the headers are not signed.',
})
