import { bodyOnly } from '../common.mjs'
import { without } from '../deliver.mjs'
import { secretsOf } from '../keys.mjs'

const mismatch = { ok: false, status: 401, reason: 'signature_mismatch' }

/** Senders of tools for work and code, that sign the body alone. */
export default [
  bodyOnly('clickup', 'X-Signature', {
    source: 'ClickUp\u2019s documentation of webhook signatures',
    body: '{"webhook_id": "7689a169-a000-4985-8676-6902b96d6627", "event": "taskCreated", "task_id": "c0j", "history_items": [{"id": "2800763136717140857", "date": "1763639999000"}]}',
    expect: { id: '2800763136717140857', type: 'taskCreated' },
    moreCases: () => [
      {
        name: 'an update of a space, whose body repeats',
        otherBody: true,
        change: {
          body: '{"event": "spaceUpdated", "space_id": "54650507", "webhook_id": "7689a169-a000-4985-8676-6902b96d6627"}',
        },
        expect: { ok: true },
      },
    ],
  }),
  bodyOnly('help-scout', 'X-HelpScout-Signature', {
    source: 'Help Scout\u2019s documentation of webhooks: HMAC-SHA1',
    hash: 'sha1',
    encoding: 'base64',
    extra: [['X-HelpScout-Event', 'convo.created']],
    typeInHeader: true,
    body: '{"id": 10, "number": 12, "type": "email", "status": "active", "subject": "Help"}',
    expect: { type: 'convo.created' },
  }),
  bodyOnly('todoist', 'X-Todoist-Hmac-SHA256', {
    sdk: '@doist/todoist-sdk',
    encoding: 'base64',
    id: { header: 'X-Todoist-Delivery-ID', value: '2e3a4f6e-6f5b-4d37-9d3c-0b1f2a4c8e11' },
    body: '{"event_name": "item:added", "user_id": "2671355", "event_data": {"id": "2995104339", "content": "Buy Milk"}, "version": "10", "triggered_at": "2025-11-20T11:59:59.000000Z"}',
    expect: { type: 'item:added' },
  }),
  bodyOnly('launchdarkly', 'X-LD-Signature', {
    source: 'LaunchDarkly\u2019s documentation of webhooks',
    body: '{"_id": "57c0a8e29969090743529965", "date": 1763639999000, "kind": "environment", "name": "Testing", "accesses": [{"action": "updateName", "resource": "proj/alexis:env/test"}]}',
    expect: { id: '57c0a8e29969090743529965', type: 'environment' },
  }),
  bodyOnly('hcp-terraform', 'X-TFE-Notification-Signature', {
    source: 'HashiCorp\u2019s documentation of notification authenticity: HMAC-SHA512',
    hash: 'sha512',
    body: '{"payload_version": 1, "notification_configuration_id": "nc-AeUQ2zfKZzW9TiGZ", "run_id": "run-FwnENkvDnrpyFC7M", "notifications": [{"message": "Run Created", "trigger": "run:created", "run_status": "pending", "run_updated_at": "2025-11-20T11:59:59.000Z"}]}',
    expect: { type: 'run:created' },
  }),
  bodyOnly('gitea', 'X-Gitea-Signature', {
    source: 'the code of Gitea and of Gogs',
    id: { header: 'X-Gogs-Delivery', value: 'f6266f16-1bf3-46a5-9ea4-602e06ead473' },
    extra: [['X-Gogs-Event', 'push']],
    typeInHeader: true,
    body: '{"ref": "refs/heads/develop", "before": "28e1879d029cb852e4844d9c718537df08844e03", "after": "bffeb74224043ba2feb48d137756c8a9331c449a", "commits": []}',
    expect: { type: 'push' },
    moreCases: ({ signature }) => [
      {
        name: 'the signature of Gogs alone',
        change: {
          headers: (list) =>
            list.map(([name, value]) => [name === signature.header ? 'X-Gogs-Signature' : name, value]),
        },
        expect: { ok: true },
      },
      {
        name: 'the same signature under both names, as Gitea sends it',
        change: {
          headers: (list) => [
            ...list,
            ...list.flatMap(([name, value]) =>
              name === signature.header ? [['X-Gogs-Signature', value]] : [],
            ),
          ],
        },
        expect: { ok: true },
      },
      {
        name: 'an empty signature, as without a secret',
        change: { value: () => '', headers: without('X-Gogs-Signature') },
        expect: { ok: false, status: 401, reason: 'auth_missing' },
      },
    ],
  }),
  bodyOnly('surveymonkey', 'Sm-Signature', {
    source: 'SurveyMonkey\u2019s documentation of webhook callbacks: HMAC-SHA1',
    hash: 'sha1',
    encoding: 'base64',
    keys: secretsOf('surveymonkey', (bytes) => `a-client_id&${bytes.toString('hex')}`),
    body: '{"name": "My Webhook", "filter_type": "survey", "filter_id": "123456789", "event_type": "response_completed", "event_id": "123456789", "object_type": "response", "object_id": "123456", "event_datetime": "2025-11-20T11:59:59.182613+00:00"}',
    expect: { id: '123456789', type: 'response_completed' },
    moreCases: ({ keys }) => [
      {
        name: 'signed with the client secret alone',
        change: { secret: keys.new.split('&')[1] },
        expect: mismatch,
      },
    ],
  }),
]
