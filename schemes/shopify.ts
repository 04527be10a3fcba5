import { defineScheme, type SchemeFactory } from '../src/scheme/index.ts'

/**
 * Shopify: `X-Shopify-Hmac-Sha256`. The key is the app's client secret; webhooks made in a shop's admin have the
 * secret that is shown there. The signature covers the body alone, so the signed bytes are claimed: no captured
 * delivery runs again while they are remembered.
 *
 * @example
 * ```ts
 * const auth = shopify({ secrets: process.env.SHOPIFY_WEBHOOK_SECRET })
 * ```
 */
export const shopify: SchemeFactory = defineScheme({
  name: 'shopify',
  sender: 'Shopify',
  secretName: 'client secret of the app',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['x-shopify-hmac-sha256'], spelling: 'base64' },
  signs: '{body}',
  eventId: { header: 'x-shopify-event-id' },
  eventType: { header: 'x-shopify-topic' },
  maxBodyBytes: 1_048_576,
  limits: 'No time is signed, nor the URL, nor the headers: the event ID, topic and shop can be changed.',
})
