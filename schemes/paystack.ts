import { defineScheme, type SchemeFactory } from '../src/scheme/index.ts'

/**
 * Paystack: `X-Paystack-Signature`, an HMAC-SHA512. The key is the account's secret key, the one its API takes. The
 * signature covers the body alone, so the signed bytes are claimed: no captured delivery runs again while they are
 * remembered.
 *
 * @example
 * ```ts
 * const auth = paystack({ secrets: process.env.PAYSTACK_WEBHOOK_SECRET })
 * ```
 */
export const paystack: SchemeFactory = defineScheme({
  name: 'paystack',
  sender: 'Paystack',
  secretName: 'secret key of the account',
  algorithm: 'hmac-sha512',
  key: 'text',
  signature: { headers: ['x-paystack-signature'], spelling: 'hex' },
  signs: '{body}',
  eventType: { member: '/event' },
  maxBodyBytes: 1_048_576,
  limits: 'No time is signed, nor the URL, nor the headers.',
})
