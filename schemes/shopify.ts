import { defineScheme, type SchemeFactory } from '../src/scheme/index.ts'

/**
 * Shopify: `X-Shopify-Hmac-Sha256`. The key is the app's client secret. Webhooks created in a shop's admin use the
 * secret shown there. The signature covers only the body. The signed bytes are claimed, so a captured delivery cannot
 * run again while they are remembered. One change can send the same body under two topics, e.g. `orders/create` and
 * `orders/paid`. The second is then a duplicate, so give each topic a route and a listener of its own.
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
  limits: 'The time, the URL and the headers are not signed: the event ID, topic and shop can be changed.',
})
