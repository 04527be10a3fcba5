import { bodyOnly } from '../common.mjs'
import { replaced } from '../deliver.mjs'

const mismatch = { ok: false, status: 401, reason: 'signature_mismatch' }

/** Digests that the sender publishes, over bodies that are no JSON: they authenticate, and are then refused as bodies. */
const published = (digests) =>
  digests.map(({ secret, body, value }) => ({
    name: `a published digest: ${body}`,
    options: { secrets: secret },
    change: { body, value: () => value },
    expect: { ok: false, status: 400, reason: 'body_not_json' },
  }))

/** The same signature, written in another way. */
const written = (name, value, expect) => ({ name, change: { value }, expect })

export default [
  bodyOnly('jira', 'X-Hub-Signature', {
    source: 'Jira Cloud\u2019s documentation of secure admin webhooks, with its published digest',
    prefix: 'sha256=',
    otherPrefix: 'sha1=',
    id: { header: 'X-Atlassian-Webhook-Identifier', value: '0c1d4a77-5d0f-4d47-9a53-6c9c6f0ce1b5' },
    extra: [['User-Agent', 'Atlassian Webhook HTTP Client']],
    body: '{"timestamp": 1763639999000, "webhookEvent": "jira:issue_updated", "issue_event_type_name": "issue_generic", "issue": {"id": "10002", "key": "ED-1"}}',
    expect: { type: 'jira:issue_updated' },
    moreCases: () =>
      published([
        {
          secret: "It's a Secret to Everybody",
          body: 'Hello World!',
          value: 'sha256=a4771c39fbe90f317c7824e83ddef3caae9cb3d976c214ace1f2937e133263c9',
        },
      ]),
  }),
  bodyOnly('cal-com', 'X-Cal-Signature-256', {
    source: 'Cal.com\u2019s documentation of webhooks, and the code of its server',
    body: '{"triggerEvent": "BOOKING_CREATED", "createdAt": "2025-11-20T11:59:59.538Z", "payload": {"type": "60min", "uid": "bFJeNb2uX8ANpT3JL5EfXw", "status": "ACCEPTED"}}',
    expect: { type: 'BOOKING_CREATED' },
    moreCases: () => [
      written('a webhook without a secret, as Cal.com says it', () => 'no-secret-provided', mismatch),
      {
        name: 'a form, which a payload template may make',
        change: {
          body: 'triggerEvent=BOOKING_CREATED&uid=bFJeNb2uX8ANpT3JL5EfXw',
          headers: replaced('Content-Type', 'application/x-www-form-urlencoded'),
        },
        expect: { ok: true },
        otherBody: true,
      },
    ],
  }),
  bodyOnly('circleci', 'circleci-signature', {
    source: 'CircleCI\u2019s documentation of outbound webhooks, with its published digests',
    prefix: 'v1=',
    otherPrefix: 'v2=',
    list: ',',
    extra: [['circleci-event-type', 'workflow-completed']],
    body: '{"id": "3888f21b-eaa7-38e3-8f3d-75a63bba8895", "type": "workflow-completed", "happened_at": "2025-11-20T11:59:59.317Z", "workflow": {"name": "build-test-deploy", "status": "success"}}',
    expect: { id: '3888f21b-eaa7-38e3-8f3d-75a63bba8895', type: 'workflow-completed' },
    moreCases: () => [
      written('signatures of later versions behind the first', (value) => `${value},v2=00,v3=00`, {
        ok: true,
      }),
      ...published([
        {
          secret: 'secret',
          body: 'hello world',
          value: 'v1=734cc62f32841568f45715aeb9f4d7891324e6d948e4c6c60c0621cdac48623a',
        },
        {
          secret: 'another-secret',
          body: 'lalala',
          value: 'v1=daa220016c8f29a8b214fbfc3671aeec2145cfb1e6790184ffb38b6d0425fa00',
        },
        {
          secret: 'hunter123',
          body: 'an-important-request-payload',
          value: 'v1=9be2242094a9a8c00c64306f382a7f9d691de910b4a266f67bd314ef18ac49fa',
        },
        {
          secret: 'secret',
          body: 'foo',
          value: 'v1=773ba44693c7553d6ee20f61ea5d2757a9a4f4a44d2841ae4e95b52e4cd62db4',
        },
      ]),
    ],
  }),
  bodyOnly('alchemy', 'X-Alchemy-Signature', {
    source: 'Alchemy\u2019s documentation of webhooks, and its public examples',
    body: '{"webhookId": "wh_k63lg72rxda78gce", "id": "whevt_vq499kv7elmlbp2v", "createdAt": "2025-11-20T11:59:59.956Z", "type": "ADDRESS_ACTIVITY", "event": {"network": "ETH_MAINNET", "activity": []}}',
    expect: { id: 'whevt_vq499kv7elmlbp2v', type: 'ADDRESS_ACTIVITY' },
  }),
  bodyOnly('heroku', 'Heroku-Webhook-Hmac-SHA256', {
    source: 'Heroku\u2019s documentation of webhooks, and its demonstration of a receiver',
    encoding: 'base64',
    body: '{"action": "update", "id": "d472a8bb-1a3c-4f78-aad1-995e6d0022ec", "resource": "app", "data": {"name": "sample-app-0301"}, "webhook_metadata": {"attempt": {"id": "8a44f820-2354-489d-9a11-a793cbf49979"}, "event": {"id": "d472a8bb-1a3c-4f78-aad1-995e6d0022ec", "include": "api:app"}}}',
    expect: { id: 'd472a8bb-1a3c-4f78-aad1-995e6d0022ec', type: 'api:app' },
  }),
]
