import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'

/**
 * Verifies webhooks from Checkout.com by their `Cko-Signature` header. You choose the signature key in the webhook's settings, or in the
 * webhook action of a workflow. The signature covers the body, which holds the event's ID and its time.
 *
 * @example
 * ```ts
 * const auth = checkoutCom({ secrets: process.env.CHECKOUT_COM_SIGNATURE_KEY })
 * ```
 */
export const checkoutCom: SchemeFactory<SecretOptions, '/type'> = schemeOf({
  name: 'checkout-com',
  sender: 'Checkout.com',
  secretName: 'signature key of the webhook',
  secretMadeBy: 'user',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['cko-signature'], spelling: 'hex' },
  signs: '{body}',
  eventId: { member: '/id' },
  eventType: { member: '/type' },
  maxBodyBytes: 1_048_576,
  facts: {
    unsigned:
      "Checkout.com signs only if the webhook has a signature key: enter one in the Dashboard, under Developers, Webhooks, or in the workflow's webhook action",
    otherSecrets: "the webhook's Authorization header key is another text, and signs nothing",
  },
  limits: 'The URL and the headers are not signed.',
})
