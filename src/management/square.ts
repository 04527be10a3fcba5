import { aBoolean, checkOptions, optional } from '../lib/options.ts'
import { BEARER, type ManagementApi } from './api.ts'

/** Where a Square application is. */
export interface SquareApplication {
  /** Whether it is the sandbox's, which has a token of its own. Defaults to false. */
  readonly sandbox?: boolean | undefined
}

/**
 * Square's API. Lists the application's events for 28 days, delivered or not, so each is given to the listener, and most are duplicates. It
 * keeps none before you enable them, once: `PUT /v2/events/enable`. Delivers none again.
 *
 * The token: the application's personal access token, as no OAuth token may read events.
 *
 * @example
 * ```ts
 * const api = squareApi()
 * ```
 *
 * @throws ListenerConfigError for an unknown or invalid option.
 */
export function squareApi(of: SquareApplication = {}): ManagementApi {
  checkOptions('squareApi', of, { sandbox: optional(aBoolean) })
  return {
    scheme: 'square',
    sender: 'Square',
    baseUrl: of.sandbox ? 'https://connect.squareupsandbox.com' : 'https://connect.squareup.com',
    parameters: {},
    headers: {},
    // https://developer.squareup.com/docs/events-api/overview, 2026-11-30
    token: { ...BEARER, reads: "the application's personal access token, and no OAuth token" },
    // https://github.com/square/square-nodejs-sdk/tree/c58c6e097af6717e5c728712f79f89f6cd9da12f/src/api/types, 2026-11-29
    endpoints: {
      path: '/v2/webhooks/subscriptions',
      query: { include_disabled: 'true', limit: '100' },
      items: '/subscriptions',
      next: PAGES,
      id: '/id',
      url: '/notification_url',
      version: '/api_version',
      types: '/event_types',
      // https://developer.squareup.com/reference/square/objects/WebhookSubscription, 2026-11-30. Its example of a list has none.
      secret: {
        at: '/subscription/signature_key',
        call: { path: '/v2/webhooks/subscriptions/{hook}' },
      },
      should: [
        {
          finding: 'disabled',
          at: '/enabled',
          is: true,
          fix: 'enable it in the Developer Console, under Webhooks',
        },
      ],
    },
    missed: {
      ofAccount: true,
      method: 'POST',
      path: '/v2/events',
      query: {},
      body: {
        limit: 100,
        cursor: '{cursor}',
        query: { filter: { created_at: { start_at: '{since}' } }, sort: { order: 'DESC' } },
      },
      since: { parameter: 'since', unit: 'rfc3339' },
      items: '/events',
      next: PAGES,
      id: '/event_id',
      event: '/event_id',
      type: '/type',
      time: { at: '/created_at', unit: 'rfc3339' },
      keepsDays: 28,
      record: { trust: 'fetched' },
    },
  }
}

const PAGES = { parameter: 'cursor', cursor: '/cursor' } as const
