import type { ManagementApi } from './api.ts'

/**
 * Linear's API, for `inspect` only: it keeps no bodies of deliveries.
 *
 * The token: a personal API key of an admin. Of an OAuth app, `Bearer ` and the token.
 *
 * @example
 * ```ts
 * const findings = await inspect({ api: linearApi, token, url: 'https://example.com/webhooks/linear', types: ['Issue'] })
 * console.log(findings)
 * ```
 */
export const linearApi: ManagementApi = {
  scheme: 'linear',
  sender: 'Linear',
  baseUrl: 'https://api.linear.app',
  parameters: {},
  headers: {},
  token: { header: 'authorization', before: '', reads: 'a personal API key of an admin' },
  // https://linear.app/docs/api-and-webhooks, and the schema as https://docs.rs/lineark-sdk/3.0.2/lineark_sdk/generated has it, 2026-11-29
  endpoints: {
    method: 'POST',
    path: '/graphql',
    query: {},
    body: {
      query:
        'query ($after: String) { webhooks(first: 250, after: $after) { nodes { id url enabled resourceTypes } pageInfo { hasNextPage endCursor } } }',
      variables: { after: '{after}' },
    },
    items: '/data/webhooks/nodes',
    next: {
      parameter: 'after',
      cursor: '/data/webhooks/pageInfo/endCursor',
      ends: { at: '/data/webhooks/pageInfo/hasNextPage', is: false },
    },
    id: '/id',
    url: '/url',
    types: '/resourceTypes',
    // Webhook.secret, and Query.webhook: https://github.com/linear/linear, the types of @linear/sdk 98.0.0, 2026-11-30
    secret: {
      at: '/data/webhook/secret',
      call: {
        method: 'POST',
        path: '/graphql',
        body: {
          query: 'query ($hook: String!) { webhook(id: $hook) { secret } }',
          variables: { hook: '{hook}' },
        },
      },
    },
    should: [{ finding: 'disabled', at: '/enabled', is: true, fix: 'enable it in the settings, under API' }],
  },
}
