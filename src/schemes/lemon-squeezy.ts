import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'

/**
 * Verifies webhooks from Lemon Squeezy by their `X-Signature` header. You choose the signing secret in the webhook's settings.
 * The signature covers only the body. The signed bytes are claimed, so a captured delivery cannot run again while they are
 * remembered.
 *
 * @example
 * ```ts
 * const auth = lemonSqueezy({ secrets: process.env.LEMON_SQUEEZY_WEBHOOK_SECRET })
 * ```
 */
export const lemonSqueezy: SchemeFactory<SecretOptions, '/meta/event_name'> = schemeOf({
  name: 'lemon-squeezy',
  sender: 'Lemon Squeezy',
  secretName: 'signing secret of the webhook',
  secretMadeBy: 'user',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['x-signature'], spelling: 'hex' },
  signs: '{body}',
  eventType: { member: '/meta/event_name' },
  maxBodyBytes: 1_048_576,
  maxRunSeconds: 95, // and a lease: Lemon Squeezy sends its last attempt after 155 s
  facts: {
    unsigned: false,
    mode: { member: '/data/attributes/test_mode', live: false, test: true },
  },
  limits: 'The time, the URL and the headers are not signed.',
})
