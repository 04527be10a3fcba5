import { checkOptions, oneOfWords, optional } from '../lib/options.ts'
import { BEARER, type ManagementApi } from './api.ts'

/** Where an account of SendGrid is. */
export interface SendgridAccount {
  /** `eu` for a subuser of the EU. Defaults to `global`. */
  readonly region?: 'global' | 'eu' | undefined
}

/**
 * SendGrid's API, for `inspect` of event webhooks only: it keeps no deliveries. The types are its settings: `delivered`, `spam_report`, …
 *
 * The token: an API key that may read the settings of event webhooks.
 *
 * @example
 * ```ts
 * const api = sendgridApi()
 * ```
 *
 * @throws ListenerConfigError for an unknown or invalid option.
 */
export function sendgridApi(of: SendgridAccount = {}): ManagementApi {
  checkOptions('sendgridApi', of, { region: optional(oneOfWords('global', 'eu')) })
  // https://github.com/twilio/sendgrid-oai/blob/dbe0e0d2e67a0c3c55b222d54df2acda2b9027a7/spec/json/tsg_webhooks_v3.json, 2026-11-29
  return {
    scheme: 'sendgrid',
    sender: 'SendGrid',
    baseUrl: of.region === 'eu' ? 'https://api.eu.sendgrid.com' : 'https://api.sendgrid.com',
    parameters: {},
    headers: {},
    token: { ...BEARER, reads: 'an API key with user.webhooks.event.settings.read' },
    endpoints: {
      path: '/v3/user/webhooks/event/settings/all',
      query: {},
      items: '/webhooks',
      id: '/id',
      url: '/url',
      types: '',
      flags: Object.fromEntries(SETTINGS.map((name) => [name, name])),
      should: [
        {
          finding: 'disabled',
          at: '/enabled',
          is: true,
          fix: 'enable it under Mail Settings, Event Webhooks',
        },
        {
          finding: 'unsigned',
          at: '/public_key',
          is: 'present',
          fix: 'enable Signed Event Webhook in its settings, and give your endpoint its verification key',
        },
      ],
    },
  }
}

const SETTINGS: readonly string[] = [
  ...['processed', 'dropped', 'delivered', 'deferred', 'bounce', 'open', 'click', 'spam_report'],
  ...['unsubscribe', 'group_unsubscribe', 'group_resubscribe', 'account_status_change'],
]
