import { defineScheme, emptyReply, type SchemeFactory } from '../src/scheme/index.ts'

const PING = /^webhook_id=[0-9]+$/
const LONGEST_PING = 64

/**
 * WooCommerce: `X-WC-Webhook-Signature`. You choose the secret in the webhook's settings. The headers identify the
 * webhook and the attempt, but not the event. The signature covers only the body. The signed bytes are claimed, so a
 * captured delivery cannot run again while they are remembered. The unsigned ping that WooCommerce sends when you save
 * the webhook is answered for you. A new order can send the same body under `order.created` and `order.updated`. The
 * second is then a duplicate, so give each topic a route and a listener of its own.
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
  handshake: {
    signed: false,
    answer: ({ method, header, body }) => {
      const isUnsigned = method === 'POST' && header('x-wc-webhook-signature') === undefined
      const isPing = isUnsigned && body.length <= LONGEST_PING && PING.test(new TextDecoder().decode(body))
      return isPing ? emptyReply(200) : undefined
    },
  },
  maxBodyBytes: 1_048_576,
  limits: 'The time, the URL and the headers are not signed: X-WC-Webhook-Topic can be changed.',
})
