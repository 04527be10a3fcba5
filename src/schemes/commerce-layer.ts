import { type SchemeFactory, type SecretOptions, schemeOf, type TopicOptions } from './kit/define-scheme.ts'

/** The events of each resource. Read in Commerce Layer's own app for webhooks and its documentation, on 2026-11-27. */
const EVENTS = {
  addresses: 'tagged',
  authorizations: 'create failed succeeded',
  bundles: 'tagged',
  buy_x_pay_y_promotions: 'create destroy tagged',
  captures: 'create failed succeeded',
  cleanups: 'complete create destroy interrupt start',
  coupons: 'tagged',
  customer_addresses: 'create destroy',
  customer_password_resets: 'create destroy reset_password',
  customer_subscriptions: 'create destroy',
  customers: 'acquired create create_password destroy metadata_update repeat tagged',
  exports: 'complete create destroy interrupt start',
  external_promotions: 'create destroy tagged',
  fixed_amount_promotions: 'create destroy tagged',
  fixed_price_promotions: 'create destroy tagged',
  free_gift_promotions: 'create destroy tagged',
  free_shipping_promotions: 'create destroy tagged',
  gift_cards: 'activate create deactivate destroy purchase redeem tagged use',
  imports: 'complete create destroy interrupt start',
  in_stock_subscriptions: 'activate create deactivate destroy notify',
  line_item_options: 'tagged',
  line_items: 'tagged',
  order_copies: 'complete create destroy fail start',
  order_subscriptions: 'activate cancel create deactivate destroy last_run_failed last_run_succeeded renewal',
  orders:
    'approve authorize cancel cancel_fulfilling cancel_subscriptions create create_subscriptions destroy draft fulfill pay pending place placing rebuild_shipments refund start_editing start_fulfilling stop_editing tagged void',
  parcels:
    'available_for_pickup booked cancelled create delivered destroy failure in_transit out_for_delivery pre_transit return_to_sender shipped',
  percentage_discount_promotions: 'create destroy tagged',
  price_frequency_tiers: 'create destroy',
  price_volume_tiers: 'create destroy',
  promotions: 'create destroy tagged',
  recurring_order_copies: 'complete create destroy fail start',
  refunds: 'create failed succeeded',
  returns: 'approve create destroy pending receive reject request restock ship tagged',
  shipments: 'cancel create destroy on_hold packing picking ready_to_ship ship tagged upcoming',
  shipping_weight_tiers: 'create destroy',
  sku_options: 'tagged',
  skus: 'tagged',
  stock_transfers: 'cancel complete create destroy in_transit on_hold picking upcoming',
  transaction: 'create',
  voids: 'create failed succeeded',
}

const listTopics = () =>
  Object.entries(EVENTS).flatMap(([resource, events]) =>
    events.split(' ').map((event) => `${resource}.${event}`),
  )

/**
 * Verifies webhooks from Commerce Layer by their `X-CommerceLayer-Signature` header. The key is the webhook's shared secret, in the
 * response when you create it and in the dashboard. The signature covers only the body, which is the resource.
 *
 * One change can send the same resource under two topics, e.g. `orders.place` and `orders.approve`, so the body is claimed once per
 * topic. Add topics that this version does not know as `topics`. The topic is not signed: a captured delivery can run once under each
 * topic, and once under all invented ones together. To claim the body alone, give each topic a listener of its own and pass
 * `dedupe: 'signed-bytes'`. Callbacks of external gateways, taxes and prices are signed alike, but ask for an answer of their own
 * each time: give them a listener with `dedupe: 'off'`.
 *
 * @example
 * ```ts
 * const auth = commerceLayer({ secrets: process.env.COMMERCE_LAYER_WEBHOOK_SECRET })
 * ```
 */
export const commerceLayer: SchemeFactory<SecretOptions & TopicOptions, 'x-commercelayer-topic'> = schemeOf({
  name: 'commerce-layer',
  sender: 'Commerce Layer',
  secretName: 'shared secret of the webhook',
  secretMadeBy: 'sender',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['x-commercelayer-signature'], spelling: 'base64' },
  signs: '{body}',
  eventType: { header: 'x-commercelayer-topic' },
  topics: /* @__PURE__ */ listTopics(),
  maxBodyBytes: 5_242_880, // as in the example of commercelayer/examples
  facts: {
    unsigned: false,
    otherSecrets: 'each webhook has its own',
    mode: { member: '/data/meta/mode', live: 'live', test: 'test' },
  },
  limits: 'The time, the URL and the headers are not signed: X-CommerceLayer-Topic can be changed.',
})
