import { defineScheme, type SchemeFactory } from '../src/scheme/index.ts'

/**
 * Lemon Squeezy: `X-Signature`. You choose the signing secret in the webhook's settings. The signature covers the body
 * alone, so the signed bytes are claimed: no captured delivery runs again while they are remembered.
 *
 * @example
 * ```ts
 * const auth = lemonSqueezy({ secrets: process.env.LEMON_SQUEEZY_WEBHOOK_SECRET })
 * ```
 */
export const lemonSqueezy: SchemeFactory = defineScheme({
  name: 'lemon-squeezy',
  sender: 'Lemon Squeezy',
  secretName: 'signing secret of the webhook',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['x-signature'], spelling: 'hex' },
  signs: '{body}',
  eventType: { member: '/meta/event_name' },
  maxBodyBytes: 1_048_576,
  limits: 'No time is signed, nor the URL, nor the headers.',
})
