import { ListenerConfigError } from '../errors.ts'
import { checkOptions, wellFormedText } from '../lib/options.ts'
import { BEARER, type ManagementApi } from './api.ts'

/** A site of Jira Cloud. */
export interface JiraSite {
  /** Its ID, as `https://api.atlassian.com/oauth/token/accessible-resources` lists it. */
  readonly cloudId: string
}

/**
 * Jira Cloud's API, for `renew`: the webhooks that an OAuth app has registered end after 30 days. Lists those of the token's app alone. An
 * administrator's webhooks do not end.
 *
 * The token: of OAuth 2.0, with `manage:jira-webhook` and `read:jira-work`.
 *
 * @example
 * ```ts
 * await renew({ api: jiraApi({ cloudId: '11223344-a1b2-3b33-c444-def123456789' }), token, url, run: true })
 * ```
 *
 * @throws ListenerConfigError for a missing, unknown or invalid option.
 */
export function jiraApi(of: JiraSite): ManagementApi {
  checkOptions('jiraApi', of, { cloudId: wellFormedText })
  if (/^\.{0,2}$/.test(of.cloudId)) throw new ListenerConfigError('cloudId', 'must be the ID of a site')
  return {
    scheme: 'jira',
    sender: 'Jira',
    baseUrl: 'https://api.atlassian.com',
    parameters: { cloudId: of.cloudId },
    headers: {},
    token: { ...BEARER, reads: 'the scopes manage:jira-webhook and read:jira-work of OAuth 2.0' },
    // https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-webhooks/, 2026-11-29. An app has at most 100 for a site.
    endpoints: {
      path: '/ex/jira/{cloudId}/rest/api/3/webhook',
      query: { maxResults: '100' },
      items: '/values',
      id: '/id',
      url: '/url',
      types: '/events',
      should: [],
    },
    renewal: {
      expires: '/expirationDate',
      renewed: '/expirationDate',
      call: {
        method: 'PUT',
        path: '/ex/jira/{cloudId}/rest/api/3/webhook/refresh',
        body: { webhookIds: ['{hook:number}'] },
      },
      lives: [{ fits: {}, minutes: 43_200 }],
    },
  }
}

/** A site of Jira Cloud, by its address. */
export interface JiraAdminSite {
  /** What its address begins with: `my-team` of `my-team.atlassian.net`. */
  readonly site: string
}

/**
 * Jira Cloud's API for an administrator's webhooks, which a secret signs. For `inspect` only: it keeps no deliveries of these.
 *
 * The token: `email:API token` of an administrator, in base64.
 *
 * @example
 * ```ts
 * const api = jiraAdminApi({ site: 'my-team' })
 * ```
 *
 * @throws ListenerConfigError for a missing, unknown or invalid option.
 */
export function jiraAdminApi(of: JiraAdminSite): ManagementApi {
  checkOptions('jiraAdminApi', of, { site: wellFormedText })
  if (!/^[a-z0-9][a-z0-9-]*$/.test(of.site))
    throw new ListenerConfigError('site', 'must be the name before .atlassian.net, in lower case')
  return {
    scheme: 'jira',
    sender: 'Jira',
    baseUrl: `https://${of.site}.atlassian.net`,
    parameters: {},
    headers: {},
    // https://developer.atlassian.com/cloud/jira/platform/basic-auth-for-rest-apis, 2026-11-29
    token: {
      header: 'authorization',
      before: 'Basic ',
      reads: "an administrator's email and API token, joined by a colon, in base64",
    },
    // https://developer.atlassian.com/cloud/jira/platform/webhooks, 2026-11-29
    endpoints: {
      path: '/rest/webhooks/1.0/webhook',
      query: {},
      items: '',
      id: '/self',
      url: '/url',
      types: '/events',
      should: [{ finding: 'disabled', at: '/enabled', is: true, fix: 'enable it under System, WebHooks' }],
    },
  }
}
