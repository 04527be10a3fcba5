import { defineScheme, type SchemeFactory } from '../src/scheme/index.ts'

/**
 * WooCommerce: `X-WC-Webhook-Signature`. You choose the secret in the webhook's settings. Its headers hold an ID of
 * the webhook and one of the attempt, neither of the event. The signature covers the body alone, so the signed bytes
 * are claimed: no captured delivery runs again while they are remembered.
 *
 * @example
 * ```ts
 * const auth = woocommerce({ secrets: process.env.WOOCOMMERCE_WEBHOOK_SECRET })
 * ```
 */
export const woocommerce: SchemeFactory = defineScheme({
  name: 'woocommerce',
  sender: 'WooCommerce',
  secretName: 'secret of the webhook',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['x-wc-webhook-signature'], spelling: 'base64' },
  signs: '{body}',
  eventType: { header: 'x-wc-webhook-topic' },
  maxBodyBytes: 1_048_576,
  limits: 'No time is signed, nor the URL, nor the headers: X-WC-Webhook-Topic can be changed.',
})
