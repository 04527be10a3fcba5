import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'

/**
 * Verifies webhooks from Paystack by their `X-Paystack-Signature` header; it is an HMAC-SHA512. The key is the account's
 * secret key, as for the API. The signature covers only the body. The signed bytes are claimed, so a captured delivery cannot
 * run again while they are remembered.
 *
 * @example
 * ```ts
 * const auth = paystack({ secrets: process.env.PAYSTACK_WEBHOOK_SECRET })
 * ```
 */
export const paystack: SchemeFactory<SecretOptions, '/event'> = schemeOf({
  name: 'paystack',
  sender: 'Paystack',
  secretName: 'secret key of the account',
  secretMadeBy: 'sender',
  facts: {
    signsWithApiKey: true,
    unsigned: false,
    otherSecrets: 'test and live mode have their own; it is no public key',
    mode: { member: '/data/domain', live: 'live', test: 'test' },
  },
  algorithm: 'hmac-sha512',
  key: 'text',
  signature: { headers: ['x-paystack-signature'], spelling: 'hex' },
  signs: '{body}',
  eventType: { member: '/event' },
  maxBodyBytes: 1_048_576,
  limits: 'The time, the URL and the headers are not signed.',
})
