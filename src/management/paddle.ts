import { aBoolean, checkOptions, optional } from '../lib/options.ts'
import { BEARER, type ManagementApi } from './api.ts'

/** Where a Paddle account is. */
export interface PaddleAccount {
  /** Whether it is of the sandbox, which has keys of its own. Defaults to false. */
  readonly sandbox?: boolean | undefined
}

/**
 * The API of Paddle Billing. Lists notifications for 90 days, and sends each again on request, with a `notification_id` of its own and the
 * same `event_id`.
 *
 * The token: an API key with the permissions `notification.read` and `notification_setting.read`, and `notification.write` so that Paddle
 * can be asked to send again.
 *
 * @example
 * ```ts
 * const api = paddleApi()
 * ```
 *
 * @throws ListenerConfigError for an unknown or invalid option.
 */
export function paddleApi(of: PaddleAccount = {}): ManagementApi {
  checkOptions('paddleApi', of, { sandbox: optional(aBoolean) })
  return {
    scheme: 'paddle',
    sender: 'Paddle',
    // https://developer.paddle.com/api-reference/about/authentication, 2026-11-29
    baseUrl: of.sandbox ? 'https://sandbox-api.paddle.com' : 'https://api.paddle.com',
    parameters: {},
    headers: { 'paddle-version': '1' },
    token: {
      ...BEARER,
      reads: 'the permissions notification.read and notification_setting.read',
      redelivers: 'the permission notification.write, to ask for redelivery',
    },
    // https://developer.paddle.com/api-reference/notification-settings/list-notification-settings, 2026-11-30
    endpoints: {
      path: '/notification-settings',
      query: { per_page: '200' },
      items: '/data',
      next: PAGES,
      id: '/id',
      url: '/destination',
      version: '/api_version',
      secret: { at: '/endpoint_secret_key' },
      types: '/subscribed_events/*/name',
      should: [
        {
          finding: 'disabled',
          at: '/active',
          is: true,
          fix: 'activate it in the dashboard, under Developer Tools, Notifications',
        },
        {
          // https://developer.paddle.com/webhooks/about/notification-destinations, 2026-11-30
          finding: 'mode',
          at: '/traffic_source',
          is: ['platform', 'all'],
          fix: 'let it get platform events in the dashboard, under Developer Tools, Notifications: it gets simulations only',
        },
      ],
    },
    // https://developer.paddle.com/api-reference/notifications/list-notifications, 2026-11-29
    missed: {
      ofAccount: false,
      path: '/notifications',
      query: { per_page: '200', notification_setting_id: '{hook}' },
      since: { parameter: 'from', unit: 'rfc3339' },
      items: '/data',
      next: PAGES,
      id: '/id',
      event: '/payload/event_id',
      type: '/type',
      time: { at: '/occurred_at', unit: 'rfc3339' },
      status: { at: '/status', delivered: ['delivered'], underway: ['not_attempted'] },
      keepsDays: 90,
      record: { trust: 'fetched', body: '/payload' },
    },
    // Only what was delivered, or has failed for good: https://developer.paddle.com/api-reference/notifications/replay-notification, 2026-11-29
    redelivery: { method: 'POST', path: '/notifications/{id}/replay', perMinute: 60 },
  }
}

const PAGES = { parameter: 'after', lastId: '/id', more: '/meta/pagination/has_more' } as const
