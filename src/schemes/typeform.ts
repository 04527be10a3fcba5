import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'

/**
 * Verifies webhooks from Typeform by their `Typeform-Signature` header. You choose the secret in the webhook's settings. The
 * signature covers the body, which holds the event's ID but no time.
 *
 * @example
 * ```ts
 * const auth = typeform({ secrets: process.env.TYPEFORM_WEBHOOK_SECRET })
 * ```
 */
export const typeform: SchemeFactory<SecretOptions, '/event_type'> = schemeOf({
  name: 'typeform',
  sender: 'Typeform',
  secretName: 'secret of the webhook',
  secretMadeBy: 'user',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['typeform-signature'], prefix: 'sha256=', spelling: 'base64' },
  signs: '{body}',
  eventId: { member: '/event_id' },
  eventType: { member: '/event_type' },
  maxBodyBytes: 1_048_576,
  facts: {
    unsigned:
      "Typeform signs only if the webhook has a secret: set one in the form's Connect panel, under Webhooks, or by the API",
  },
  limits: 'The time, the URL and the headers are not signed.',
})
