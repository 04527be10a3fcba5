import { BEARER, type ManagementApi } from './api.ts'

/**
 * Stripe's API. Lists undelivered events for 30 days; delivers none again by itself. An event has the API version of the account, which may
 * not be the endpoint's, and `recover` warns of it. The events of connected accounts (Connect) are not listed.
 *
 * The token: a restricted key that may read Events and Webhook Endpoints.
 *
 * @example
 * ```ts
 * const found = await recover(listener, handle, { api: stripeApi, token, url, since })
 * console.log(found.types)
 * ```
 */
export const stripeApi: ManagementApi = {
  scheme: 'stripe',
  sender: 'Stripe',
  baseUrl: 'https://api.stripe.com',
  parameters: {},
  headers: {},
  // https://docs.stripe.com/keys#limit-access, 2026-11-28
  token: { ...BEARER, reads: 'a restricted key that may read Events and Webhook Endpoints' },
  // https://docs.stripe.com/api/webhook_endpoints/list, 2026-11-29
  endpoints: {
    path: '/v1/webhook_endpoints',
    query: { limit: '100' },
    items: '/data',
    next: { parameter: 'starting_after', lastId: '/id', more: '/has_more' },
    id: '/id',
    url: '/url',
    live: '/livemode',
    version: '/api_version',
    types: '/enabled_events',
    // https://docs.stripe.com/cli/events/resend, 2026-11-29
    elsewhere: {
      at: '/application',
      fix: "gets events of connected accounts (Connect), which the account's list does not have: resend them by `stripe events resend --account`",
    },
    should: [
      {
        finding: 'disabled',
        at: '/status',
        is: 'enabled',
        fix: 'enable it in Workbench, under Webhooks, then recover with all: true, as nothing was tried meanwhile',
      },
    ],
  },
  // https://docs.stripe.com/api/events/list, 2026-11-28. `delivery_success` is of any endpoint of the account, and says nothing of what was
  // never tried.
  missed: {
    ofAccount: true,
    path: '/v1/events',
    query: { limit: '100' },
    undelivered: { delivery_success: 'false' },
    since: { parameter: 'created[gte]', unit: 'seconds' },
    items: '/data',
    next: { parameter: 'starting_after', lastId: '/id', more: '/has_more' },
    id: '/id',
    event: '/id',
    type: '/type',
    time: { at: '/created', unit: 'seconds' },
    live: '/livemode',
    version: '/api_version',
    keepsDays: 30,
    record: { trust: 'fetched' },
  },
}
