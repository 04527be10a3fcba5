import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'

/**
 * Verifies webhooks of apps and add-ons from Heroku by their `Heroku-Webhook-Hmac-SHA256` header. You choose the secret when you create
 * the webhook; if you do not, Heroku makes one and shows it once. The signature covers the body, which holds the event's ID and its time.
 * Each attempt has another body. An event's type is the entity that it is about, such as `api:release`; the `action` is beside it.
 *
 * @example
 * ```ts
 * const auth = heroku({ secrets: process.env.HEROKU_WEBHOOK_SECRET })
 * ```
 */
export const heroku: SchemeFactory<SecretOptions, '/webhook_metadata/event/include'> = schemeOf({
  name: 'heroku',
  sender: 'Heroku',
  secretName: 'secret of the webhook',
  secretMadeBy: 'user',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['heroku-webhook-hmac-sha256'], spelling: 'base64' },
  signs: '{body}',
  eventId: { member: '/id' },
  eventType: { member: '/webhook_metadata/event/include' },
  maxBodyBytes: 1_048_576,
  facts: {
    unsigned: false,
    otherSecrets: "the webhook's authorization is another text: Heroku sends it, and signs nothing with it",
  },
  limits: 'The URL and the headers are not signed.',
})
