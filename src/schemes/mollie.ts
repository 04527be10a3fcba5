import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'

/**
 * Verifies Mollie's next-gen webhooks by their `X-Mollie-Signature` header, with or without `sha256=`, as Mollie's SDKs do. The signing
 * secret is shown when you create the webhook in the dashboard or by the Webhooks API. The signature covers the body, which holds the
 * event's ID and its time.
 *
 * Classic webhooks, which a payment's `webhookUrl` receives, are not signed and hold only an ID. They are refused: give them a URL of
 * their own, and fetch the payment.
 *
 * @example
 * ```ts
 * const auth = mollie({ secrets: process.env.MOLLIE_WEBHOOK_SECRET })
 * ```
 */
export const mollie: SchemeFactory<SecretOptions, '/type'> = schemeOf({
  name: 'mollie',
  sender: 'Mollie',
  secretName: 'signing secret of the webhook',
  secretMadeBy: 'sender',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: {
    headers: ['x-mollie-signature'],
    separator: ', ',
    prefix: 'sha256=',
    prefixOptional: true,
    spelling: 'hex',
  },
  signs: '{body}',
  eventId: { member: '/id' },
  eventType: { member: '/type' },
  maxBodyBytes: 1_048_576,
  facts: {
    otherKeys: { live_: 'an API key', test_: 'an API key', access_: 'an access token' },
    unsigned:
      'Mollie does not sign classic webhooks, which the webhookUrl of a payment receives: create a webhook in the dashboard, under Developers, Webhooks, or by the Webhooks API',
  },
  limits: 'The URL and the headers are not signed.',
})
