import { BEARER, type ManagementApi } from './api.ts'

const TEAMS = /^\/?(?:teams|chats)\b|\/chats\b|\/installedToChats\b/i
const OUTLOOK = /^\/?(?:me|users\/[^/]+)\/(?:.*\/)?(?:messages|events|contacts)(?:[/(?]|$)/i

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
  token: { ...BEARER, reads: 'the permission that has created the subscriptions, e.g. Mail.Read' },
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
  // https://learn.microsoft.com/graph/api/subscription-update, 2026-11-29, and https://github.com/microsoftgraph/microsoft-graph-docs-contrib:
  // concepts/includes/change-notifications-subscription-lifetime.md and …-supported-resources-expanded.md, 2026-11-30
  renewal: {
    expires: '/expirationDateTime',
    renewed: '/expirationDateTime',
    call: { method: 'PATCH', path: '/subscriptions/{hook}', body: { expirationDateTime: '{until}' } },
    lives: [
      { fits: { '/resource': /^\/?communications\/presences/i }, minutes: 60 },
      // Without a URL for lifecycle notifications, an hour: https://learn.microsoft.com/graph/teams-changenotifications-chatmessage,
      // 2026-11-30
      { fits: { '/resource': TEAMS, '/lifecycleNotificationUrl': /./ }, minutes: 4320 },
      { fits: { '/resource': TEAMS }, minutes: 60 },
      { fits: { '/resource': /^\/?communications\/callRecords/i }, minutes: 4230 },
      { fits: { '/resource': /^\/?print\//i }, minutes: 4230 },
      { fits: { '/resource': /^\/?security\/alerts/i }, minutes: 43_200 },
      { fits: { '/resource': /(?:^|\/)drives?(?:\/|$)|^\/?sites\/.*\/lists\b/i }, minutes: 42_300 },
      { fits: { '/resource': OUTLOOK, '/includeResourceData': /^true$/ }, minutes: 1440 },
      { fits: { '/resource': OUTLOOK }, minutes: 10_080 },
      { fits: { '/resource': /^\/?groups\/[^/]+\/conversations$/i }, minutes: 4230 },
      { fits: { '/resource': /^\/?me\/todo\/lists\b/i }, minutes: 4230 },
      { fits: { '/resource': /^\/?(?:users|groups)(?:\/[^/]+)?$/i }, minutes: 41_760 },
      { fits: { '/resource': /^\/?groups\/[^/]+\/(?:members|owners)$/i }, minutes: 41_760 },
    ],
  },
}
