import { memberOf } from '../lib/member-of.ts'
import type { CompiledScheme } from '../protocol.ts'
import { type SchemeFactory, type SecretOptions, schemeOf, type TopicOptions } from './kit/define-scheme.ts'
import { inEitherFamily } from './kit/header-families.ts'

/** The events of each resource. Read in Shopify's documentation of API version 2026-01, on 2026-11-24. */
const EVENTS = {
  app: 'scopes_update uninstalled',
  app_purchases_one_time: 'update',
  app_subscriptions: 'approaching_capped_amount update',
  audit_events: 'admin_api_activity',
  bulk_operations: 'finish',
  carts: 'create update',
  channels: 'delete',
  checkout_and_accounts_configurations: 'update',
  checkouts: 'create delete update',
  collection_listings: 'add remove update',
  collection_publications: 'create delete update',
  collections: 'create delete update',
  companies: 'create delete update',
  company_contact_roles: 'assign revoke',
  company_contacts: 'create delete update',
  company_locations: 'create delete update',
  customer_account_settings: 'update',
  customer_groups: 'create delete update',
  customer_payment_methods: 'create revoke update',
  customers: 'create data_request delete disable enable merge purchasing_summary redact update',
  customers_email_marketing_consent: 'update',
  customers_marketing_consent: 'update',
  delivery_promise_settings: 'update',
  discounts: 'create delete redeemcode_added redeemcode_removed update',
  disputes: 'create update',
  domains: 'create destroy update',
  draft_orders: 'create delete update',
  finance_app_staff_member: 'delete grant revoke update',
  finance_kyc_information: 'update',
  fulfillment_events: 'create delete',
  fulfillment_holds: 'added released',
  fulfillment_orders:
    'cancellation_request_accepted cancellation_request_rejected cancellation_request_submitted cancelled fulfillment_request_accepted fulfillment_request_rejected fulfillment_request_submitted fulfillment_service_failed_to_complete hold_released line_items_prepared_for_local_delivery line_items_prepared_for_pickup merged moved order_routing_complete placed_on_hold rescheduled scheduled_fulfillment_order_ready split',
  fulfillments: 'create update',
  inventory_items: 'create delete update',
  inventory_levels: 'connect disconnect update',
  inventory_shipments:
    'add_items create delete mark_in_transit receive_items remove_items update_item_quantities update_tracking',
  inventory_transfers: 'add_items cancel complete ready_to_ship remove_items update_item_quantities',
  locales: 'create destroy update',
  locations: 'activate create deactivate delete update',
  markets: 'create delete update',
  markets_backup_region: 'update',
  metafield_definitions: 'create delete update',
  metaobjects: 'create delete update',
  order_transactions: 'create',
  orders:
    'cancelled create delete edited fulfilled link_requested paid partially_fulfilled risk_assessment_changed shopify_protect_eligibility_changed updated',
  payment_schedules: 'due',
  payment_terms: 'create delete update',
  product_feeds: 'create full_sync full_sync_finish incremental_sync update',
  product_listings: 'add remove update',
  product_publications: 'create delete update',
  products: 'create delete update',
  profiles: 'create delete update',
  publications: 'delete',
  refunds: 'create',
  returns: 'approve cancel close decline process reopen request update',
  reverse_deliveries: 'attach_deliverable',
  reverse_fulfillment_orders: 'dispose',
  scheduled_product_listings: 'add remove update',
  segments: 'create delete update',
  selling_plan_groups: 'create delete update',
  shipping_addresses: 'create update',
  shop: 'redact update',
  subscription_billing_attempts: 'challenged failure success',
  subscription_billing_cycle_edits: 'create delete update',
  subscription_billing_cycles: 'skip unskip',
  subscription_contracts: 'activate cancel create expire fail pause update',
  tax_partners: 'update',
  tax_services: 'create update',
  tax_summaries: 'create',
  tender_transactions: 'create',
  themes: 'create delete publish update',
  variants: 'in_stock out_of_stock',
}

const DOTTED = [
  'customer.joined_segment',
  'customer.left_segment',
  'customer.tags_added',
  'customer.tags_removed',
]

const listTopics = () =>
  Object.entries(EVENTS)
    .flatMap(([resource, events]) => events.split(' ').map((event) => `${resource}/${event}`))
    .concat(DOTTED)

const DAY_MS = 86_400_000
/** The members of the bodies that ask for a deletion. Read in Shopify's documentation, on 2026-11-26. */
const REDACTIONS: ReadonlyMap<string | undefined, string> = /* @__PURE__ */ new Map([
  ['customers/redact', 'customer orders_to_redact shop_domain shop_id'],
  ['shop/redact', 'shop_domain shop_id'],
])

/**
 * Whether this asks for a deletion. Its body has neither a time nor an ID, so the next one has the same. The topic is not signed:
 * the exact members make sure that no other body is forgotten as early.
 */
function isRedaction(type: string | undefined, payload: unknown): boolean {
  if (membersOf(payload) !== REDACTIONS.get(type)) return false
  const isOfShop =
    Number.isInteger(memberOf(payload, 'shop_id')) && typeof memberOf(payload, 'shop_domain') === 'string'
  if (type === 'shop/redact') return isOfShop
  const isOfCustomer = membersOf(memberOf(payload, 'customer')) !== ''
  return isOfShop && isOfCustomer && Array.isArray(memberOf(payload, 'orders_to_redact'))
}

/**
 * A request to delete the same data again has the same body, so the first is remembered for a day, which is longer than Shopify retries.
 * If you set `dedupe`, it is remembered like any other event.
 */
const forgetsRedactions = ({ options, typeOf }: CompiledScheme): Partial<CompiledScheme> =>
  options.dedupe === undefined
    ? { retentionOf: (evidence) => (isRedaction(typeOf(evidence), evidence.payload) ? DAY_MS : undefined) }
    : {}

/** The names of an object's members, sorted. Empty for anything else. */
const membersOf = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.keys(value).sort().join(' ')
    : ''

/**
 * Verifies webhooks from Shopify by their `X-Shopify-Hmac-Sha256` header, and for
 * [Events](https://shopify.dev/docs/apps/build/events) `Shopify-Hmac-Sha256`. A delivery has the headers of webhooks or those
 * of Events. One that mixes them is refused. The key is the app's client secret. Webhooks created in a shop's admin use the
 * secret shown there. The signature covers only the body.
 *
 * One change can send the same body under two topics, e.g. `orders/create` and `orders/paid`, so the body is claimed once
 * per topic. Add topics that Shopify has published since 2026-01 as `topics`. The topic is not signed: a captured delivery
 * can run once under each topic, and once under all invented ones together. To claim the body alone, give each topic a
 * listener of its own and pass `dedupe: 'signed-bytes'`.
 *
 * `event.id` is Shopify's event ID, which two topics may share, so identify your own records and jobs by `event.id` and
 * `event.type` together. A few topics repeat their bodies, e.g. `product_listings/remove` for a product that is listed and
 * removed again. The second is a duplicate. For these, pass `dedupe: 'id'`, which claims the unsigned ID and the topic. Events
 * repeat their bodies too, unless their query asks for something that changes each time, e.g. `updatedAt`.
 *
 * `shop/redact` and `customers/redact` repeat their bodies as well, whenever an app is uninstalled or a customer's data is to be
 * deleted again. They are remembered for 24 hours, longer than Shopify retries, so that the next request runs. A captured one can run
 * again after that, so check that the shop has not come back before you delete its data. If you set `dedupe`, they are remembered for
 * as long as everything else.
 *
 * An Events delivery has the resource in `event.type`, e.g. `Product`, and the `Shopify-Webhook-Id` in `event.id`. Its body names the
 * topic and action too, and there they are signed.
 *
 * @example
 * ```ts
 * const auth = shopify({ secrets: process.env.SHOPIFY_WEBHOOK_SECRET })
 * ```
 */
export const shopify: SchemeFactory<SecretOptions & TopicOptions, 'x-shopify-topic'> = schemeOf(
  {
    name: 'shopify',
    sender: 'Shopify',
    secretName: 'client secret of the app',
    secretMadeBy: 'sender',
    algorithm: 'hmac-sha256',
    key: 'text',
    signature: { headers: ['x-shopify-hmac-sha256'], spelling: 'base64' },
    signs: '{body}',
    eventId: { header: 'x-shopify-event-id' },
    eventType: { header: 'x-shopify-topic' },
    topics: /* @__PURE__ */ listTopics(),
    // The headers of Events: shopify.dev/docs/apps/build/events, and shopify-app-js 3028 and 3129. Read on 2026-11-26. The ID of a delivery
    // stays the same on retries, and Shopify will no longer send that of the event (shopify-app-js 3362).
    otherHeaders: {
      'x-shopify-hmac-sha256': 'shopify-hmac-sha256',
      'x-shopify-topic': 'shopify-topic',
      'x-shopify-event-id': 'shopify-webhook-id',
      'x-shopify-webhook-id': 'shopify-event-id',
    },
    maxBodyBytes: 1_048_576,
    facts: {
      unsigned: false,
      otherFormats: "Shopify sends XML if the subscription's format is XML: set its format to JSON",
      usualPrefix: 'shpss_',
      otherKeys: { shpat_: 'an access token', shpca_: 'an access token', shppa_: 'an access token' },
      otherSecrets:
        "webhooks made in a shop's admin sign with the secret shown there, not with the client secret of the app",
    },
    limits: 'The time, the URL and the headers are not signed: the event ID, topic and shop can be changed.',
  },
  { families: inEitherFamily, differs: forgetsRedactions },
)
