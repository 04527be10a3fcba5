import { BEARER, type ManagementApi } from './api.ts'

/**
 * Resend's API. Lists events for 30 days, and sends each again on request.
 *
 * The token: an API key with full access, because one that may only send emails may read nothing.
 *
 * @example
 * ```ts
 * const recovery = await recover(listener, handle, { api: resendApi, token, url, since })
 * console.log(recovery.types)
 * ```
 */
export const resendApi: ManagementApi = {
  scheme: 'resend',
  sender: 'Resend',
  baseUrl: 'https://api.resend.com',
  parameters: {},
  headers: {},
  // https://resend.com/docs/api-reference/api-keys/create-api-key, 2026-11-29
  token: { ...BEARER, reads: 'an API key with full access' },
  // https://github.com/resend/resend-openapi/blob/fd6f395f2114e13806025f0c330921c901d62bb1/resend.yaml, 2026-11-30
  endpoints: {
    path: '/webhooks',
    query: { limit: '100' },
    items: '/data',
    next: { parameter: 'after', lastId: '/id', more: '/has_more' },
    id: '/id',
    url: '/endpoint',
    types: '/events',
    allIfNone: true,
    secret: { at: '/signing_secret', call: { path: '/webhooks/{hook}' } },
    should: [
      {
        finding: 'disabled',
        at: '/status',
        is: 'enabled',
        fix: 'enable it in the dashboard, under Webhooks',
      },
    ],
  },
  // https://resend.com/docs/api-reference/webhooks/list-events and …/get-event, 2026-11-30
  missed: {
    ofAccount: false,
    path: '/webhooks/{hook}/events',
    query: { limit: '100' },
    items: '/data',
    next: { parameter: 'after', lastId: '/id', more: '/has_more' },
    id: '/id',
    event: '/id',
    type: '/type',
    time: { at: '/created_at', unit: 'rfc3339' },
    status: { at: '/status', delivered: ['success'], underway: ['attempting', 'pending'] },
    // Of "email data", "across all plans": https://resend.com/docs/dashboard/webhooks/how-to-store-webhooks-data, 2026-11-30
    keepsDays: 30,
    record: {
      trust: 'fetched',
      call: { path: '/webhooks/{hook}/events/{id}' },
      body: '/payload',
      headers: { 'svix-id': '/id' }, // Resend sends through Svix, whose ID of a message it is
    },
  },
  // https://resend.com/docs/api-reference/webhooks/replay-event, 2026-11-29
  redelivery: { method: 'POST', path: '/webhooks/{hook}/events/{id}/replay', perMinute: 60 },
}
