import {
  emptyReply,
  type SchemeFactory,
  type SecretOptions,
  schemeOf,
  type TopicOptions,
} from './kit/define-scheme.ts'
import { handshakeAnswers } from './kit/handshake-answers.ts'

const PING = /^webhook_id=[0-9]+$/
const LONGEST_PING = 64
/** The core topics. Read in WooCommerce's documentation and source, on 2026-11-24. */
const TOPICS: readonly string[] = /* @__PURE__ */ ['coupon', 'customer', 'order', 'product'].flatMap(
  (resource) => ['created', 'updated', 'deleted', 'restored'].map((event) => `${resource}.${event}`),
)

/**
 * Verifies webhooks from WooCommerce by their `X-WC-Webhook-Signature` header. You choose the secret in the webhook's
 * settings. The headers identify the webhook and the attempt, but not the event. The signature covers only the body. The
 * unsigned ping that WooCommerce sends when you save the webhook is answered for you.
 *
 * A new order can send the same body under `order.created` and `order.updated`, so the body is claimed once per topic. Add
 * custom topics, e.g. `action.wc_invoice_sent`, as `topics`. The topic is not signed: a captured delivery can run once under
 * each topic, and once under all invented ones together. To claim the body alone, give each topic a listener of its own and
 * pass `dedupe: 'signed-bytes'`. If a custom topic repeats its bodies, give it a listener with `dedupe: 'off'`.
 *
 * @example
 * ```ts
 * const auth = woocommerce({ secrets: process.env.WOOCOMMERCE_WEBHOOK_SECRET })
 * ```
 */
export const woocommerce: SchemeFactory<SecretOptions & TopicOptions, 'x-wc-webhook-topic'> = schemeOf(
  {
    name: 'woocommerce',
    sender: 'WooCommerce',
    secretName: 'secret of the webhook',
    secretMadeBy: 'user',
    algorithm: 'hmac-sha256',
    key: 'text',
    signature: { headers: ['x-wc-webhook-signature'], spelling: 'base64' },
    signs: '{body}',
    eventType: { header: 'x-wc-webhook-topic' },
    topics: TOPICS,
    handshake: {
      signed: false,
      answer: ({ method, header, text }) => {
        const isUnsigned = method === 'POST' && header('x-wc-webhook-signature') === undefined
        const isPing = isUnsigned && PING.test(text(LONGEST_PING) ?? '')
        return isPing ? emptyReply(200) : undefined
      },
    },
    maxBodyBytes: 1_048_576,
    facts: { unsigned: 'WooCommerce signs all but the ping that it sends when you save the webhook' },
    limits: 'The time, the URL and the headers are not signed: X-WC-Webhook-Topic can be changed.',
  },
  { handshakes: handshakeAnswers },
)
