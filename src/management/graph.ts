import type { ManagementApi } from './api.ts'

/**
 * Microsoft Graph's API, for `renew`. A subscription lasts for an hour to a month, by its resource. Graph keeps no notifications: after an
 * outage, ask it what has changed, by a delta query.
 *
 * The token: one with the permission that has created the subscriptions, e.g. `Mail.Read`.
 *
 * @example
 * ```ts
 * await renew({ api: graphApi, token, url, run: true })
 * ```
 */
export const graphApi: ManagementApi = {
  scheme: 'graph',
  sender: 'Microsoft Graph',
  baseUrl: 'https://graph.microsoft.com/v1.0',
  parameters: {},
  headers: {},
  token: {
    header: 'authorization',
    before: 'Bearer ',
    reads: 'the permission that has created the subscriptions, e.g. Mail.Read',
  },
  // https://learn.microsoft.com/graph/api/subscription-list, 2026-11-29. Lists active ones.
  endpoints: {
    path: '/subscriptions',
    query: {},
    items: '/value',
    next: { linked: '$skiptoken', at: '/@odata.nextLink' },
    id: '/id',
    url: '/notificationUrl',
    types: '/none', // changes of resources, which no type names
    allIfNone: true,
    onePerType: true,
    should: [],
  },
  // https://learn.microsoft.com/graph/api/subscription-update and …/resources/subscription, 2026-11-29
  renewal: {
    expires: '/expirationDateTime',
    renewed: '/expirationDateTime',
    call: { method: 'PATCH', path: '/subscriptions/{hook}', body: { expirationDateTime: '{until}' } },
    lives: [
      { at: '/resource', fits: /^\/?communications\/presences/i, minutes: 60 },
      { at: '/resource', fits: /^\/?(?:teams|chats)\b|\/chats\b/i, minutes: 60 },
      { at: '/resource', fits: /^\/?communications\/callRecords/i, minutes: 4230 },
      { at: '/resource', fits: /^\/?print\//i, minutes: 4230 },
      { at: '/resource', fits: /^\/?security\/alerts/i, minutes: 43_200 },
      { at: '/resource', fits: /(?:^|\/)drives?(?:\/|$)|^\/?sites\/.*\/lists\b/i, minutes: 42_300 },
      {
        at: '/resource',
        fits: /(?:^|\/)(?:messages|events|contacts|conversations)(?:[/(?]|$)/i,
        minutes: 4230,
      },
      { at: '/resource', fits: /^\/?(?:users|groups)(?:\/[^/]+)?$/i, minutes: 41_760 },
    ],
  },
}
