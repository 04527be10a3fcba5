import { ListenerConfigError } from '../errors.ts'
import { checkOptions, wellFormedText } from '../lib/options.ts'
import type { ManagementApi } from './api.ts'

/** A shop on Shopify. */
export interface ShopifyShop {
  /** What its address begins with: `my-shop` of `my-shop.myshopify.com`. */
  readonly shop: string
}

/**
 * Shopify's Admin API, for `inspect` only: it keeps no deliveries. Lists the subscriptions that the app has made in this shop, one for each
 * topic, and none of those in the app's configuration file.
 *
 * The token: an Admin API access token of the app.
 *
 * @example
 * ```ts
 * const api = shopifyApi({ shop: 'my-shop' })
 * ```
 *
 * @throws ListenerConfigError for a missing, unknown or invalid option.
 */
export function shopifyApi(of: ShopifyShop): ManagementApi {
  checkOptions('shopifyApi', of, { shop: wellFormedText })
  if (!/^[a-z0-9][a-z0-9-]*$/.test(of.shop))
    throw new ListenerConfigError('shop', 'must be the name before .myshopify.com, in lower case')
  return {
    scheme: 'shopify',
    sender: 'Shopify',
    baseUrl: `https://${of.shop}.myshopify.com`,
    parameters: {},
    headers: {},
    token: { header: 'x-shopify-access-token', before: '', reads: 'an Admin API access token of the app' },
    // https://shopify.dev/docs/api/admin-graphql/latest/queries/webhookSubscriptions and …/objects/WebhookSubscription, 2026-11-29
    endpoints: {
      method: 'POST',
      path: '/admin/api/2026-10/graphql.json',
      query: {},
      body: {
        query:
          'query ($after: String) { webhookSubscriptions(first: 250, after: $after) { nodes { id topic uri apiVersion { handle } } pageInfo { hasNextPage endCursor } } }',
        variables: { after: '{after}' },
      },
      items: '/data/webhookSubscriptions/nodes',
      next: {
        parameter: 'after',
        cursor: '/data/webhookSubscriptions/pageInfo/endCursor',
        ends: { at: '/data/webhookSubscriptions/pageInfo/hasNextPage', is: false },
      },
      id: '/id',
      url: '/uri',
      version: '/apiVersion/handle',
      types: '/topic',
      onePerType: true,
      spelt: (topic) => topic.toUpperCase().replaceAll(/[/.]/g, '_'),
      everywhere: ['customers/data_request', 'customers/redact', 'shop/redact'],
      should: [],
    },
  }
}
