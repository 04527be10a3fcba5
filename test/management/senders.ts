import { adyenApi } from '../../src/management/adyen.ts'
import { gitlabGroupApi, gitlabProjectApi } from '../../src/management/gitlab.ts'
import type { ManagementApi } from '../../src/management/index.ts'
import { jiraAdminApi } from '../../src/management/jira.ts'
import { linearApi } from '../../src/management/linear.ts'
import { paddleApi } from '../../src/management/paddle.ts'
import { resendApi } from '../../src/management/resend.ts'
import { sendgridApi } from '../../src/management/sendgrid.ts'
import { shopifyApi } from '../../src/management/shopify.ts'
import { squareApi } from '../../src/management/square.ts'
import { svixApi } from '../../src/management/svix.ts'
import { adyen } from '../../src/schemes/adyen.ts'
import { gitlab } from '../../src/schemes/gitlab.ts'
import { gitlabSigning } from '../../src/schemes/gitlab-signing.ts'
import { jira } from '../../src/schemes/jira.ts'
import { linear } from '../../src/schemes/linear.ts'
import { paddle } from '../../src/schemes/paddle.ts'
import { resend } from '../../src/schemes/resend.ts'
import { sendgrid } from '../../src/schemes/sendgrid.ts'
import { shopify } from '../../src/schemes/shopify.ts'
import { square } from '../../src/schemes/square.ts'
import { svix } from '../../src/schemes/svix.ts'
import { type FakeForm, type Sent, URL_HERE } from './fake-sender.ts'

const PUBLIC_KEY =
  'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE83T4O/n84iotIvIW4mdBgQ/7dAfSmpqIM8kF9mN1flpVKS3GRqe62gw+2fNNRaINXvVpiglSI8eNEc6wEA3F+g=='
const WHSEC = `whsec_${Buffer.alloc(24, 'hookgate').toString('base64')}`
const KEY = 'signature key of these tests'
const ADYEN_PAGES = 'https://management-live.adyen.com/v3/merchants/M1/webhooks?pageSize=100&pageNumber='
/** A next page has the query of the first: https://developer.paddle.com/api-reference/about/pagination, 2026-11-30 */
const PADDLE_LISTS = {
  endpoints: 'notification-settings?',
  events: 'notifications?notification_setting_id=ntfset_1&',
}
const PADDLE_SECRET = 'pdl_ntfset_of_these_tests'
const signedBy = (
  scheme: FakeForm['scheme'] & ((options: { secrets: string }) => FakeForm['auth']),
  secret: string,
) => ({ scheme, secret, auth: scheme({ secrets: secret }) })
const padded = (number: number, length: number) => `${number}`.padStart(length, '0')
const messageId = (number: number) => `msg_${padded(number, 27)}`
const statusOf = ({ delivered }: Sent, words: readonly [string | number, string | number]) =>
  words[delivered ? 1 : 0]

/** A connection of GraphQL. */
const graphql = (name: string): Pick<FakeForm, 'place' | 'envelope'> => ({
  place: ({ body }) => JSON.parse(body).variables.after,
  envelope: ({ items, next }) => ({
    json: {
      data: {
        [name]: { nodes: items, pageInfo: { hasNextPage: next !== undefined, endCursor: next ?? null } },
      },
    },
  }),
})

/** The webhooks of a project or a group of GitLab. */
const gitlabHooks = (api: ManagementApi, hooks: string): Omit<FakeForm, 'auth' | 'scheme' | 'secret'> => ({
  api,
  types: ['Push Hook', 'Issue Hook'],
  eventId: (number) => `3a427872-00df-429c-9bc9-${padded(number, 12)}`,
  endpointsPath: hooks,
  endpoint: ({ url = URL_HERE, disabled, types = ['Push Hook', 'Issue Hook'] }) => ({
    ...{ id: 7, url, name: '', description: '', project_id: 3, enable_ssl_verification: true },
    ...{ alert_status: disabled ? 'disabled' : 'executable', disabled_until: null },
    ...{ push_events: types.includes('Push Hook'), issues_events: types.includes('Issue Hook') },
    ...{ tag_push_events: types.includes('Tag Push Hook'), job_events: false, releases_events: false },
    ...{ token_present: true, signing_token_present: true },
  }),
  eventsPath: `${hooks}/7/events`,
  event: (sent) => ({
    ...{ id: sent.number, url: URL_HERE, trigger: 'push_hooks', created_at: sent.at.toISOString() },
    request_headers: {
      ...{
        'Content-Type': 'application/json',
        'User-Agent': 'GitLab/19.5.0-pre',
        'X-Gitlab-Token': '[REDACTED]',
      },
      ...{ 'Idempotency-Key': sent.id, 'X-Gitlab-Event': sent.type },
    },
    request_data: { number: sent.number, user_email: '[REDACTED]' },
    ...{ response_headers: {}, response_body: '', execution_duration: 0.1 },
    response_status: statusOf(sent, ['internal error', '200']),
  }),
  payload: ({ number }) => ({ number, user_email: 'a@b.example' }),
  headers: ({ type }) => ({ 'x-gitlab-event': type }),
  place: ({ query }) => query.get('page') ?? undefined,
  envelope: ({ items, next }, of) => ({
    json: items,
    ...(next !== undefined && { link: `<https://gitlab.com/api/v4/${of}?page=${next}>; rel="next"` }),
  }),
  resend: new RegExp(`^${hooks}/7/events/(\\d+)/resend$`),
})

/** The fakes by the name of the sender. The members of their answers: `facts.ts`. */
export const SENDERS: { readonly [sender: string]: FakeForm } = {
  Svix: {
    api: svixApi({ app: 'app_1' }),
    ...signedBy(svix, WHSEC),
    types: ['user.created', 'user.deleted'],
    eventId: messageId,
    endpointsPath: '/api/v1/app/app_1/endpoint',
    endpoint: ({ url = URL_HERE, disabled = false, types = ['user.created', 'user.deleted'] }) => ({
      ...{ id: 'ep_1', url, disabled, eventTypes: types, channels: null, metadata: {}, description: '' },
      ...{ createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-01T00:00:00Z' },
    }),
    shows: { path: '/api/v1/app/app_1/endpoint/ep_1/secret', json: (key) => ({ key }) },
    eventsPath: '/api/v1/app/app_1/endpoint/ep_1/msg',
    event: (sent) => ({
      ...{ id: sent.id, eventId: null, eventType: sent.type, timestamp: sent.at.toISOString() },
      ...{
        status: statusOf(sent, [2, 0]),
        statusText: statusOf(sent, ['fail', 'success']),
        nextAttempt: null,
      },
      payload: { type: sent.type, number: sent.number },
    }),
    payload: ({ type, number }) => ({ number, type }),
    place: ({ query }) => query.get('iterator') ?? undefined,
    since: ({ query }) => query.get('after') ?? undefined,
    envelope: ({ items, next }) => ({
      json: { data: items, iterator: next ?? 'end', prevIterator: null, done: next === undefined },
    }),
    resend: /^\/api\/v1\/app\/app_1\/msg\/(\w+)\/endpoint\/ep_1\/resend$/,
  },
  Resend: {
    api: resendApi,
    ...signedBy(resend, WHSEC),
    types: ['email.sent', 'email.bounced'],
    eventId: messageId,
    endpointsPath: '/webhooks',
    endpoint: ({ url = URL_HERE, disabled, types = ['email.sent', 'email.bounced'] }) => ({
      ...{ id: '4dd369bc-aa82-4ff3-97de-514ae3000ee0', endpoint: url, events: types },
      ...{ status: disabled ? 'disabled' : 'enabled', created_at: '2026-01-01 00:00:00.678+00' },
    }),
    shows: {
      path: '/webhooks/4dd369bc-aa82-4ff3-97de-514ae3000ee0',
      json: (secret) => ({
        ...{ object: 'webhook', id: '4dd369bc-aa82-4ff3-97de-514ae3000ee0', endpoint: URL_HERE },
        ...{ events: ['email.sent', 'email.bounced'], created_at: '2026-01-01 00:00:00.678+00' },
        ...{ status: 'enabled', signing_secret: secret },
      }),
    },
    eventsPath: '/webhooks/4dd369bc-aa82-4ff3-97de-514ae3000ee0/events',
    event: (sent) => ({
      ...{ id: sent.id, type: sent.type, created_at: sent.at.toISOString() },
      status: statusOf(sent, ['failed', 'success']),
    }),
    detail: {
      path: /^\/webhooks\/4dd369bc-aa82-4ff3-97de-514ae3000ee0\/events\/(\w+)$/,
      json: (sent) => ({
        ...{ object: 'webhook_event', id: sent.id, type: sent.type, created_at: sent.at.toISOString() },
        ...{ status: statusOf(sent, ['failed', 'success']), next_attempt_at: null },
        payload: { type: sent.type, data: { number: sent.number } },
      }),
    },
    payload: ({ type, number }) => ({ data: { number }, type }),
    byId: true,
    place: ({ query }) => query.get('after') ?? undefined,
    envelope: ({ items, next }) => ({
      json: { object: 'list', has_more: next !== undefined, data: items },
    }),
    resend: /^\/webhooks\/4dd369bc-aa82-4ff3-97de-514ae3000ee0\/events\/(\w+)\/replay$/,
  },
  Paddle: {
    api: paddleApi(),
    ...signedBy(paddle, PADDLE_SECRET),
    types: ['transaction.paid', 'transaction.completed'],
    eventId: (number) => `evt_${padded(number, 26)}`,
    endpointsPath: '/notification-settings',
    endpoint: ({
      url = URL_HERE,
      disabled,
      types = ['transaction.paid', 'transaction.completed'],
      secret = PADDLE_SECRET,
    }) => ({
      ...{
        id: 'ntfset_1',
        description: '',
        type: 'url',
        destination: url,
        active: !disabled,
        api_version: 1,
      },
      ...{ include_sensitive_fields: false, traffic_source: 'platform', endpoint_secret_key: secret },
      subscribed_events: types.map((name) => ({
        ...{ name, description: '', group: 'Transaction', available_versions: [1] },
      })),
    }),
    eventsPath: '/notifications',
    event: (sent) => ({
      ...{ id: `ntf_${sent.number}`, type: sent.type, status: statusOf(sent, ['failed', 'delivered']) },
      ...{ occurred_at: sent.at.toISOString(), origin: 'event', times_attempted: 60 },
      ...{ notification_setting_id: 'ntfset_1', delivered_at: null, replayed_at: null, retry_at: null },
      payload: {
        ...{ event_id: sent.id, event_type: sent.type, occurred_at: sent.at.toISOString() },
        ...{ notification_id: `ntf_${sent.number}`, data: { number: sent.number } },
      },
    }),
    payload: (sent) => ({
      ...{ data: { number: sent.number }, event_id: sent.id, event_type: sent.type },
      ...{ occurred_at: sent.at.toISOString(), notification_id: `ntf_replayed_${sent.number}` },
    }),
    byId: true,
    place: ({ query }) => query.get('after') ?? undefined,
    since: ({ query }) =>
      query.get('notification_setting_id') === 'ntfset_1' ? (query.get('from') ?? undefined) : '9999-01-01',
    envelope: ({ items, next }, of) => ({
      json: {
        data: items,
        meta: {
          request_id: '1',
          pagination: {
            ...{ per_page: 200, has_more: next !== undefined, estimated_total: 1 },
            next: `https://api.paddle.com/${PADDLE_LISTS[of]}after=${next}`,
          },
        },
      },
    }),
    resend: /^\/notifications\/ntf_(\d+)\/replay$/,
    resent: ({ number }) => ({
      data: { notification_id: `ntf_replayed_${number}` },
      meta: { request_id: '2' },
    }),
  },
  Square: {
    api: squareApi(),
    ...{
      scheme: square,
      secret: KEY,
      publicUrl: URL_HERE,
      auth: square({ secrets: KEY, publicUrl: URL_HERE }),
    },
    types: ['payment.created', 'payment.updated'],
    eventId: (number) => `6a8f5f28-54a1-4eb0-a98a-${padded(number, 12)}`,
    endpointsPath: '/v2/webhooks/subscriptions',
    endpoint: ({ url = URL_HERE, disabled, types = ['payment.created', 'payment.updated'] }) => ({
      ...{ id: 'wbhk_1', name: '', enabled: !disabled, event_types: types, notification_url: url },
      ...{ api_version: '2026-10-21', created_at: '2026-01-01 00:00:00 +0000 UTC' },
    }),
    shows: {
      path: '/v2/webhooks/subscriptions/wbhk_1',
      json: (key) => ({ subscription: { id: 'wbhk_1', notification_url: URL_HERE, signature_key: key } }),
    },
    eventsPath: '/v2/events',
    event: (sent) => ({
      ...{ merchant_id: 'M1', location_id: 'L1', type: sent.type, event_id: sent.id },
      ...{ created_at: sent.at.toISOString(), data: { type: 'payment', id: `${sent.number}`, object: {} } },
    }),
    payload: (sent) => ({
      ...{ merchant_id: 'M1', type: sent.type, event_id: sent.id, created_at: sent.at.toISOString() },
      data: { id: `${sent.number}`, object: {}, type: 'payment' },
    }),
    place: ({ body, query }) => (body === '' ? query.get('cursor') : JSON.parse(body).cursor) ?? undefined,
    since: ({ body }) => JSON.parse(body).query.filter.created_at.start_at,
    envelope: ({ items, next }, of) => ({
      json: { [of === 'endpoints' ? 'subscriptions' : 'events']: items, cursor: next },
    }),
  },
  GitLab: {
    ...signedBy(gitlab, 'secret token of these tests'),
    ...gitlabHooks(gitlabProjectApi({ project: 'group/project' }), '/projects/group/project/hooks'),
  },
  'GitLab, of a group, signed': {
    ...signedBy(gitlabSigning, WHSEC),
    ...gitlabHooks(gitlabGroupApi({ group: 'group/subgroup', signed: true }), '/groups/group/subgroup/hooks'),
  },
  Shopify: {
    api: shopifyApi({ shop: 'my-shop' }),
    ...signedBy(shopify, 'secret of these tests'),
    types: ['orders/create', 'products/update'],
    endpointsPath: '/admin/api/2026-10/graphql.json',
    endpoint: ({ url = URL_HERE, types = ['orders/create', 'products/update'] }) =>
      types.map((type) => ({
        ...{ id: `gid://shopify/WebhookSubscription/${type}`, uri: url, apiVersion: { handle: '2026-10' } },
        topic: type === 'orders/create' ? 'ORDERS_CREATE' : 'PRODUCTS_UPDATE',
      })),
    ...graphql('webhookSubscriptions'),
  },
  Linear: {
    api: linearApi,
    ...signedBy(linear, 'secret of these tests'),
    types: ['Issue', 'Comment'],
    endpointsPath: '/graphql',
    endpoint: ({ url = URL_HERE, disabled, types = ['Issue', 'Comment'] }) => ({
      ...{ id: '1', url, enabled: !disabled, resourceTypes: types },
    }),
    ...graphql('webhooks'),
    shows: {
      path: '/graphql',
      says: 'webhook(id: $hook) { secret }',
      json: (secret) => ({ data: { webhook: { secret } } }),
    },
  },
  Adyen: {
    api: adyenApi({ merchant: 'M1' }),
    ...signedBy(adyen, '44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056'),
    types: ['AUTHORISATION', 'REFUND'],
    endpointsPath: '/merchants/M1/webhooks',
    endpoint: ({ url = URL_HERE, disabled, types = ['AUTHORISATION', 'REFUND'] }) => ({
      ...{ id: 'WBHK1', type: 'standard', url, active: !disabled, communicationFormat: 'json' },
      ...{
        acceptsSelfSignedCertificate: false,
        hasError: false,
        hmacKeyCheckValue: '4A7F3B',
        additionalSettings: { includeEventCodes: types },
      },
    }),
    place: ({ query }) => query.get('pageNumber') ?? undefined,
    envelope: ({ items, next }) => ({
      json: {
        ...{ itemsTotal: 1, pagesTotal: 1, data: items },
        _links: {
          ...Object.fromEntries(['first', 'last', 'self'].map((name) => [name, { href: ADYEN_PAGES + 1 }])),
          ...(next !== undefined && { next: { href: ADYEN_PAGES + next } }),
        },
      },
    }),
  },
  SendGrid: {
    api: sendgridApi(),
    ...{ scheme: sendgrid, secret: '', auth: sendgrid({ publicKeys: PUBLIC_KEY }) },
    types: ['delivered', 'bounce'],
    endpointsPath: '/v3/user/webhooks/event/settings/all',
    endpoint: ({ url = URL_HERE, disabled, types = ['delivered', 'bounce'] }) => ({
      ...{ id: '1', url, enabled: !disabled, public_key: PUBLIC_KEY, open: false, click: false },
      ...{ delivered: types.includes('delivered'), bounce: types.includes('bounce') },
    }),
    place: () => undefined,
    envelope: ({ items }) => ({ json: { max_allowed: 5, webhooks: items } }),
  },
  Jira: {
    api: jiraAdminApi({ site: 'my-team' }),
    ...signedBy(jira, 'secret of these tests'),
    types: ['jira:issue_created', 'jira:issue_updated'],
    endpointsPath: '/rest/webhooks/1.0/webhook',
    endpoint: ({ url = URL_HERE, disabled, types = ['jira:issue_created', 'jira:issue_updated'] }) => ({
      ...{ name: '', url, events: types, filters: {}, enabled: !disabled },
      self: 'https://my-team.atlassian.net/rest/webhooks/1.0/webhook/1',
    }),
    place: () => undefined,
    envelope: ({ items }) => ({ json: items }),
  },
}
