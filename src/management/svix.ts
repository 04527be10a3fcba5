import { checkOptions, oneOfWords, optional, wellFormedText } from '../lib/options.ts'
import { BEARER, type ManagementApi } from './api.ts'
import { checkedUrl } from './given.ts'

/** An application of Svix. */
export interface SvixApplication {
  /** Its ID or UID: `app_…`. */
  readonly app: string
  /** Where its data is: what the API key ends with, after the dot. */
  readonly region?: 'us' | 'eu' | 'in' | 'ca' | 'au' | undefined
  /** The URL of your own Svix server. It gets the API key, so take it from your configuration only. */
  readonly baseUrl?: string | undefined
}

/**
 * Svix's API, for those who have the API key of the environment that sends: usually the sender, not its customers. Lists messages for 90
 * days, if the sender has not made their retention shorter, and sends each again on request.
 *
 * The token: an API key of the environment.
 *
 * @example
 * ```ts
 * const api = svixApi({ app: 'app_Xzx8bQeOB1D1XEYmAJaRGoj0', region: 'eu' })
 * ```
 *
 * @throws ListenerConfigError for a missing, unknown or invalid option.
 */
export function svixApi(of: SvixApplication): ManagementApi {
  checkOptions('svixApi', of, {
    app: wellFormedText,
    region: optional(oneOfWords('us', 'eu', 'in', 'ca', 'au')),
    baseUrl: optional(wellFormedText),
  })
  const { app, region, baseUrl = region ? `https://api.${region}.svix.com` : 'https://api.svix.com' } = of
  // https://github.com/svix/svix-webhooks/blob/4fc0cfb8b426c87ef7e2b937e7d896a71d456a47/codegen/lib-openapi.json, 2026-11-29
  return {
    scheme: 'svix',
    sender: 'Svix',
    baseUrl: checkedUrl(baseUrl),
    parameters: { app },
    headers: {},
    token: { ...BEARER, reads: 'an API key of the environment' },
    endpoints: {
      path: '/api/v1/app/{app}/endpoint',
      query: { limit: '250' },
      items: '/data',
      next: PAGES,
      id: '/id',
      url: '/url',
      types: '/eventTypes',
      allIfNone: true,
      secret: { at: '/key', call: { path: '/api/v1/app/{app}/endpoint/{hook}/secret' } },
      should: [
        {
          finding: 'disabled',
          at: '/disabled',
          is: false,
          fix: 'enable it, then recover what failed meanwhile',
        },
      ],
    },
    missed: {
      ofAccount: false,
      path: '/api/v1/app/{app}/endpoint/{hook}/msg',
      query: { limit: '250', with_content: 'true' },
      since: { parameter: 'after', unit: 'rfc3339' },
      items: '/data',
      next: PAGES,
      id: '/id',
      event: '/id',
      type: '/eventType',
      time: { at: '/timestamp', unit: 'rfc3339' },
      // success, pending, failed, sending
      status: { at: '/status', delivered: ['0'], underway: ['1', '3'] },
      keepsDays: 90, // https://docs.svix.com/retention, 2026-11-29
      // `svix-id` is the message's ID, and a payload that is gone is written so: server/svix-server/src/worker.rs and
      // …/v1/endpoints/message.rs of that commit
      record: { trust: 'fetched', body: '/payload', headers: { 'svix-id': '/id' }, lost: '{"expired":true}' },
    },
    redelivery: { method: 'POST', path: '/api/v1/app/{app}/msg/{id}/endpoint/{hook}/resend', perMinute: 60 },
  }
}

const PAGES = { parameter: 'iterator', cursor: '/iterator', ends: { at: '/done', is: true } } as const
