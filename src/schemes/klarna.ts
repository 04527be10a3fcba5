import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'

/**
 * Verifies webhooks from Klarna Network by their `Klarna-Signature` header. The key is the signing key that Klarna's API or portal showed
 * once. `Klarna-Signing-Key-Id`, which is not signed, names it, and every one that you pass is tried. The signature covers only the body,
 * which holds the event's ID.
 *
 * @example
 * ```ts
 * const auth = klarna({ secrets: process.env.KLARNA_SIGNING_KEY })
 * ```
 */
export const klarna: SchemeFactory<SecretOptions, '/metadata/event_type'> = schemeOf({
  name: 'klarna',
  sender: 'Klarna',
  secretName: 'signing key of the webhook',
  secretMadeBy: 'sender',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['klarna-signature'], spelling: 'hex' },
  signs: '{body}',
  eventId: { member: '/metadata/event_id' },
  eventType: { member: '/metadata/event_type' },
  maxBodyBytes: 1_048_576,
  facts: {
    unsigned:
      'Klarna signs the webhooks of Klarna Network, not the push notifications of Klarna Payments and Checkout: fetch the order instead',
    otherSecrets: 'an account has up to 50 signing keys, and the webhook names one',
  },
  limits: 'The time, the URL and the headers are not signed: Klarna-Signing-Key-Id can be changed.',
})
