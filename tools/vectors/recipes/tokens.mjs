import { basicToken } from '../basic-cases.mjs'
import { replaced } from '../deliver.mjs'
import { token } from '../token-cases.mjs'

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
  basicToken('postmark', {
    source: 'Postmark\u2019s documentation of webhooks and Basic authentication',
    body: '{"RecordType": "Delivery", "MessageID": "883953f4-6105-42a2-a16a-77a8eac79483", "Recipient": "john@example.com"}',
    expect: { type: 'Delivery' },
  }),
]
