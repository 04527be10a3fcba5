import { replaced } from '../deliver.mjs'
import { secretsOf } from '../keys.mjs'
import { token } from '../token-cases.mjs'

const mismatch = { ok: false, status: 401, reason: 'signature_mismatch' }

export default [
  token('gitlab', 'X-Gitlab-Token', {
    source: 'GitLab\u2019s documentation of webhooks',
    id: { header: 'Idempotency-Key', value: 'f5e5f430-f57b-4e6e-9fac-d9128cd7232f' },
    extra: [
      ['X-Gitlab-Event', 'Push Hook'],
      ['X-Gitlab-Webhook-UUID', '5ad2d2a1-1f0c-4b36-8b0c-0d6c1b5c9a10'],
    ],
    typeInHeader: true,
    body: '{"object_kind": "push", "ref": "refs/heads/main"}',
    expect: { type: 'Push Hook' },
  }),
  token('telegram', 'X-Telegram-Bot-Api-Secret-Token', {
    source: 'Telegram\u2019s documentation of setWebhook',
    body: '{"update_id": 874652109, "message": {"message_id": 1, "text": "hello"}}',
    expect: { id: '874652109' },
  }),
  token('okta', 'Authorization', {
    source: 'Okta\u2019s documentation of event hooks',
    body: '{"eventType": "com.okta.event_hook", "eventId": "b5a188b9-5ece-4636-b041-482ffda96311", "eventTime": "2025-11-20T11:59:59.000Z", "data": {"events": []}}',
    expect: { id: 'b5a188b9-5ece-4636-b041-482ffda96311', type: 'com.okta.event_hook' },
  }),
  token('auth0', 'Authorization', {
    source: 'Auth0\u2019s documentation of custom webhooks for log streams',
    body: '[{"log_id": "90020251120115959", "data": {"type": "s", "date": "2025-11-20T11:59:59.000Z"}}]',
    notJson: 'body_malformed',
    moreCases: () => [
      {
        name: 'JSON Lines',
        change: { body: '{"log_id": "1"}\n{"log_id": "2"}\n' },
        expect: { ok: true },
        otherBody: true,
      },
      {
        name: 'JSON Lines under a type of their own',
        change: {
          body: '{"log_id": "1"}\n{"log_id": "2"}',
          headers: replaced('Content-Type', 'application/x-ndjson'),
        },
        expect: { ok: true },
        otherBody: true,
      },
      {
        name: 'JSON Lines of which one is broken',
        change: { body: '{"log_id": "1"}\n{"log_id": ' },
        expect: { ok: false, status: 400, reason: 'body_malformed' },
      },
    ],
  }),
  postmark(),
]

/** `Authorization: Basic`, with the user and password of the configured URL. */
function postmark() {
  const keys = secretsOf('postmark', (bytes) => `hookgate:${bytes.toString('hex').slice(0, 24)}:with a colon`)
  const basic = (pair) => `Basic ${Buffer.from(pair).toString('base64')}`
  const given = (name, value, expect) => ({ name, change: { value: () => value }, expect })
  return {
    ...token('postmark', 'Authorization', {
      source: 'Postmark\u2019s documentation of webhooks and Basic authentication',
      body: '{"RecordType": "Delivery", "MessageID": "883953f4-6105-42a2-a16a-77a8eac79483", "Recipient": "john@example.com"}',
      expect: { type: 'Delivery' },
      without: [
        'the token in upper case',
        'the token in base64',
        'the token as a bearer token',
        'both tokens in one header',
      ],
      moreCases: () => [
        given('the user alone', basic('hookgate:'), mismatch),
        given('the pair without the scheme', Buffer.from(keys.new).toString('base64'), mismatch),
        given('the pair as it is, without base64', `Basic ${keys.new}`, mismatch),
        given('another user', basic(keys.new.replace('hookgate', 'somebody')), mismatch),
        given('the pair under another scheme', basic(keys.new).replace('Basic', 'Bearer'), mismatch),
        given('the scheme in lower case, as RFC 9110 allows', basic(keys.new).replace('Basic', 'basic'), {
          ok: true,
        }),
      ],
    }),
    keys,
    signature: {
      header: 'Authorization',
      encoding: 'utf8',
      sign: ({ secret }) => Buffer.from(basic(secret)),
    },
  }
}
