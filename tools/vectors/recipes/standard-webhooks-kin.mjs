import { macOver } from '../common.mjs'
import { decoded, secretsOf, whsec } from '../keys.mjs'
import { SIGNED, standard } from './standard-webhooks.mjs'

/** Senders that tell you to verify with the library of Standard Webhooks or of Svix. The bodies are those of their pages, with spaces. */

const mismatch = { ok: false, status: 401, reason: 'signature_mismatch' }

const renamed = (family, other, wanted) => (list) =>
  list.map(([name, value]) => [wanted(name) ? name.replace(`${family}-`, `${other}-`) : name, value])

const LAX =
  'The SDK takes each header by either name. The sender writes all of them by one, so we refuse both at once.'

/** Svix by either name of its headers: those of the sender's pages, and the others. */
const either = (scheme, { family = 'Svix', other = 'Webhook', ...rest }) =>
  standard(scheme, 'svix', {
    family,
    ...rest,
    moreCases: () => [
      {
        name: 'the other names of the headers',
        change: { headers: renamed(family, other, () => true) },
        expect: { ok: true },
      },
      {
        name: 'the ID by one name, and the rest by the other',
        change: { headers: renamed(family, other, (name) => name !== `${family}-Id`) },
        expect: { ok: false, status: 400, reason: 'header_missing' },
        lax: LAX,
      },
      {
        name: 'the signature by one name, and the rest by the other',
        change: { headers: renamed(family, other, (name) => name === `${family}-Signature`) },
        expect: mismatch,
        lax: LAX,
      },
      {
        name: 'a second ID by the other name, which nothing signs',
        change: { also: () => [`${other}-Id`, 'msg_of_a_stranger'] },
        expect: mismatch,
        lax: LAX,
      },
    ],
  })

const recipes = [
  standard('bigcommerce', 'standardwebhooks', {
    keys: secretsOf('bigcommerce'),
    body: '{"store_id": "11111", "producer": "stores/abcde", "scope": "store/order/statusUpdated", "data": {"type": "order", "id": 173331}, "hash": "3f9ea420af83450d7ef9f78b08c8af25b2213637"}',
    expect: { type: 'store/order/statusUpdated' },
    signature: {
      header: 'Webhook-Signature',
      encoding: 'base64',
      prefix: 'v1,',
      otherPrefix: 'v2,',
      list: ' ',
      plainKey: true,
      sign: macOver('sha256', SIGNED),
    },
  }),
  standard('gemini', 'standardwebhooks', {
    body: '{"type": "batch.succeeded", "version": "v1", "timestamp": "2026-01-22T12:00:00Z", "data": {"id": "batch_123456", "output_file_uri": "gs://my-bucket/results.jsonl"}}',
    expect: { type: 'batch.succeeded' },
  }),
  standard('incident-io', 'svix', {
    body: '{"event_type": "public_incident.incident_created_v2", "public_incident.incident_created_v2": {"id": "01FDAG4SAP5TYPT98WGR2N7W91", "name": "Our database is sad"}}',
    expect: { type: 'public_incident.incident_created_v2' },
  }),
  standard('mcp-events', 'standardwebhooks', {
    extra: [['X-MCP-Subscription-Id', 'sub_a3f1c8e2b0d49f7e']],
    id: { header: 'Webhook-Id', signed: true, divider: '.', value: 'evt_001' },
    body: '{"eventId": "evt_001", "name": "email.received", "timestamp": "2025-11-20T11:59:58Z", "data": {"messageId": "msg_xyz", "subject": "MCP spec review"}, "cursor": "historyId_99842"}',
    expect: { type: 'email.received' },
    moreCases: () => [
      {
        name: 'another message about the subscription, which has no eventId',
        change: { body: '{"type": "gap", "cursor": "historyId_99850"}' },
        otherBody: true,
        expect: { ok: true },
      },
      {
        name: 'another subscription, which nothing signs',
        change: {
          headers: (list) =>
            list.map(([name, value]) => [name, name.startsWith('X-MCP') ? 'sub_of_a_stranger' : value]),
        },
        expect: { ok: true },
      },
    ],
  }),
  standard('loops', 'standardwebhooks', {
    body: '{"eventName": "testing.testEvent", "eventTime": 1763640000, "message": "test", "webhookSchemaVersion": "1.0.0"}',
    expect: { type: 'testing.testEvent' },
  }),
  either('pleo', {
    family: 'Webhook',
    other: 'Svix',
    body: '{"data": {"id": "b4c4d068-ebbe-45b7-b562-2f16f0deb8b9", "status": "pending"}, "eventId": "a257a31e-e8a6-4c36-a98d-451250e5b5c4", "eventType": "v1.export-job.created"}',
    expect: { type: 'v1.export-job.created' },
  }),
  either('recall-ai', {
    body: '{"event": "recording.done", "data": {"data": {"code": "done", "sub_code": null, "updated_at": "2025-11-20 12:00:00"}, "recording": {"id": "rec_1", "metadata": {}}}}',
    expect: { type: 'recording.done' },
  }),
  standard('render', 'standardwebhooks', {
    id: { header: 'Webhook-Id', signed: true, divider: '.', value: 'evt-cv4cjhnnoe9s73c9l7s0' },
    body: '{"type": "deploy_ended", "timestamp": "2025-02-25T16:22:19.979294509Z", "data": {"id": "evt-cv4cjhnnoe9s73c9l7s0", "serviceId": "srv-cukouhrtq21c73e9scng", "serviceName": "my-service", "status": "succeeded"}}',
    expect: { type: 'deploy_ended' },
  }),
  either('safebase', {
    body: '{"message": "Something happened while processing", "request": {"company": "Other Company", "id": "f34e7aa6-798f-4ec4-acb6-5e40e160da41", "status": "pending"}}',
  }),
  either('sardine', {
    family: 'Webhook',
    other: 'Svix',
    body: '{"id": "ord_1", "status": "processed", "made": "by these tests: the page shows a picture of its sample"}',
  }),
  standard('shipbob', 'standardwebhooks', {
    extra: [['X-Webhook-Topic', 'order.shipped']],
    typeInHeader: true,
    body: '{"id": 100000001, "order_number": "made up", "status": "Completed"}',
    expect: { type: 'order.shipped' },
  }),
  either('stytch', {
    body: '{"project_id": "project-live-123", "event_id": "event-live-123", "action": "CREATE", "object_type": "organization", "source": "DASHBOARD", "id": "organization-live-123", "timestamp": "2025-11-20T12:00:00Z"}',
  }),
  standard('supabase', 'standardwebhooks', {
    keys: secretsOf('supabase', (bytes) => `v1,${whsec(bytes)}`),
    signature: {
      header: 'Webhook-Signature',
      encoding: 'base64',
      prefix: 'v1,',
      otherPrefix: 'v2,',
      list: ' ',
      sign: macOver('sha256', SIGNED, (secret) => decoded(secret.replace('v1,', ''))),
    },
    body: '{"metadata": {"uuid": "8b31ac9f-1c4a-4b8f-9f0c-2f7e6a3a9f10", "time": "2025-11-20T12:00:00Z", "name": "before-user-created", "ip_address": "127.0.0.1"}, "user": {"id": "ff7fc9ae-3b1b-4642-9241-64adb9848a03", "email": "someone@example.com"}}',
    expect: { type: 'before-user-created' },
    moreCases: () => [
      {
        name: 'two signatures with a comma and a space between, as Supabase joins them',
        change: { value: (value) => `v1,${Buffer.alloc(32, 7).toString('base64')}, ${value}` },
        expect: { ok: true },
      },
    ],
  }),
]

export default recipes
