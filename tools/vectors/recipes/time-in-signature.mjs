import { bodyOnly, NOW } from '../common.mjs'
import { without } from '../deliver.mjs'

/** `Header: t=…,v1=…`, where the time is part of the signature header. */
const itemised = (scheme, header, { item = 't=', unit = 'seconds', tolerance, between = '.', ...rest }) =>
  bodyOnly(scheme, header, {
    list: ',',
    prefix: 'v1=',
    otherPrefix: 'v0=',
    parts: ['{time}', between, '{body}'],
    time: { item, unit, of: 'attempt', tolerance },
    ...rest,
  })

export default [
  itemised('stripe', 'Stripe-Signature', {
    sdk: 'stripe',
    tolerance: 300,
    body: '{\n  "id": "evt_1SVa2bCZ6qsJgndJ8sMvqvXZ",\n  "object": "event",\n  "created": 1763639998,\n  "type": "invoice.paid",\n  "data": { "object": { "id": "in_1", "amount_paid": 1250 } }\n}',
    expect: { id: 'evt_1SVa2bCZ6qsJgndJ8sMvqvXZ', type: 'invoice.paid' },
    moreCases: stripeCases,
    why: { 'a top-level array': 'The SDK wants an object with an `object` member.' },
  }),
  itemised('mux', 'Mux-Signature', {
    sdk: '@mux/mux-node',
    tolerance: 300,
    body: '{"type": "video.asset.ready", "id": "3a56ac3d-33da-4366-855b-f592d898409d", "data": {"id": "0201p02fGKPE7MrbC269XRD7LpcHhrmbu0002"}}',
    expect: { id: '3a56ac3d-33da-4366-855b-f592d898409d', type: 'video.asset.ready' },
  }),
  itemised('buildkite', 'X-Buildkite-Signature', {
    source: 'Buildkite\u2019s documentation of webhook signatures, and the signature check of its Go client',
    item: 'timestamp=',
    prefix: 'signature=',
    otherPrefix: 'v1=',
    tolerance: 300,
    body: '{"event": "build.finished", "build": {"id": "0191e23a-4bc8-7683-bfa4-5f73bc9b7c44", "number": 42, "state": "passed"}, "pipeline": {"slug": "my-pipeline"}, "sender": {"id": "8a7693f8-dbae-4783-9137-84090fce9045", "name": "Some Person"}}',
    expect: { type: 'build.finished' },
  }),
  itemised('revenuecat', 'X-RevenueCat-Webhook-Signature', {
    source: 'RevenueCat\u2019s documentation of webhooks',
    tolerance: 300,
    body: '{"api_version": "1.0", "event": {"id": "12345678-1234-1234-1234-123456789012", "type": "INITIAL_PURCHASE", "event_timestamp_ms": 1763639999000, "app_user_id": "1234567890"}}',
    expect: { id: '12345678-1234-1234-1234-123456789012', type: 'INITIAL_PURCHASE' },
    moreCases: revenuecatCases,
  }),
  itemised('calendly', 'Calendly-Webhook-Signature', {
    source: 'Calendly\u2019s documentation of webhook signatures, and a public catalogue of senders',
    tolerance: 180,
    body: '{"event": "invitee.created", "created_at": "2025-11-20T12:00:00.000000Z", "payload": {"uri": "https://api.calendly.com/x"}}',
    expect: { type: 'invitee.created' },
  }),
  itemised('elevenlabs', 'ElevenLabs-Signature', {
    sdk: '@elevenlabs/elevenlabs-js',
    prefix: 'v0=',
    otherPrefix: 'v1=',
    tolerance: 1800,
    body: '{"type": "post_call_transcription", "event_timestamp": 1763639990, "data": {"conversation_id": "conv_1"}}',
    expect: { type: 'post_call_transcription' },
  }),
  itemised('workos', 'WorkOS-Signature', {
    sdk: '@workos-inc/node',
    unit: 'milliseconds',
    tolerance: 180,
    join: ', ',
    body: '{"id": "event_01FKJ843CVE8F7BXQSPFH0M53V", "event": "user.created", "data": {"id": "user_1"}, "created_at": "2025-11-20T12:00:00.000Z"}',
    expect: { id: 'event_01FKJ843CVE8F7BXQSPFH0M53V', type: 'user.created' },
  }),
  itemised('sanity', 'Sanity-Webhook-Signature', {
    sdk: '@sanity/webhook',
    unit: 'milliseconds',
    encoding: 'base64url',
    id: { header: 'Idempotency-Key', value: '1e2d3c4b-0000-4000-8000-5a6978879605' },
    body: '{"_id": "drafts.1", "_type": "post", "title": "A title"}',
  }),
  itemised('paddle', 'Paddle-Signature', {
    sdk: '@paddle/paddle-node-sdk',
    item: 'ts=',
    prefix: 'h1=',
    otherPrefix: 'h2=',
    list: ';',
    between: ':',
    tolerance: 5,
    body: '{"event_id": "evt_01hv8x29kz0t586xy6zn1a62ny", "event_type": "transaction.completed", "occurred_at": "2025-11-20T11:59:59.000Z", "notification_id": "ntf_01hv8x2axhtdb1s6h7n8k8jzmy", "data": {"id": "txn_1"}}',
    expect: { id: 'evt_01hv8x29kz0t586xy6zn1a62ny', type: 'transaction.completed' },
  }),
  itemised('recurly', 'recurly-signature', {
    source: 'Recurly\u2019s documentation of webhook signatures, and its client for Ruby',
    item: '',
    prefix: '',
    unit: 'milliseconds',
    tolerance: 300,
    body: '{"id": "ra8foq26o2dt", "object_type": "subscription", "site_id": "qc326l1hl8k9", "event_type": "created", "event_time": "2025-11-20T11:59:59Z", "uuid": "63ab531e1d5b1d47eaf1ef44eeb853c3"}',
    expect: { type: 'created' },
  }),
]

function stripeCases({ now }) {
  const zeros = '0'.repeat(64)
  return [
    {
      name: 'a v0 signature, which test mode adds, behind the right one',
      change: { value: (value) => `${value},v0=${zeros}` },
      expect: { ok: true },
    },
    {
      name: 'an item of an unknown name in the header',
      change: { value: (value) => `${value},v2=${zeros}` },
      expect: { ok: true },
    },
    {
      name: 'the right signature under v0 only',
      change: { value: (_, { right }) => `t=${now},v0=${right}` },
      expect: { ok: false, status: 401, reason: 'signature_mismatch' },
    },
  ]
}

/** Without a signature, the authorization header that the receiver has entered at RevenueCat. */
function revenuecatCases({ keys, signature: { header } }) {
  const mismatch = { ok: false, status: 401, reason: 'signature_mismatch' }
  const given = (name, write, expect, { change, ...more } = {}) => ({
    name,
    change: { headers: (list) => write(without(header)(list)), ...change },
    expect,
    ...more,
  })
  const tokenOnly = { sentAt: null }
  const token = (text) => (list) => [...list, ['Authorization', text]]
  return [
    given('the authorization header without a signature', token(keys.new), { ok: true }, tokenOnly),
    given(
      'the second of two authorization headers',
      token(keys.old),
      { ok: true, secretId: 'old' },
      tokenOnly,
    ),
    given(
      'another body under the authorization header, which covers none',
      token(keys.new),
      { ok: true },
      {
        ...tokenOnly,
        otherBody: true,
        change: { sentBody: () => '{}' },
      },
    ),
    given('another authorization header without a signature', token(keys.foreign), mismatch),
    given('the authorization header as a bearer token', token(`Bearer ${keys.new}`), mismatch),
    given('an empty authorization header', token(''), {
      ok: false,
      status: 401,
      reason: 'auth_missing',
    }),
    {
      name: 'the authorization header beside a wrong signature',
      change: {
        value: (all) => all.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
        headers: token(keys.new),
      },
      expect: mismatch,
    },
    {
      name: 'the authorization header beside a stale signature',
      change: { time: String(NOW - 301), headers: token(keys.new) },
      expect: { ok: false, status: 400, reason: 'timestamp_out_of_range' },
    },
  ]
}
