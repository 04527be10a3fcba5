import { bodyOnly } from '../common.mjs'

/** The signed body contains the time of an event. */
const member = (pointer, unit) => ({ member: pointer, unit, of: 'event' })

export default [
  bodyOnly('modern-treasury', 'X-Signature', {
    sdk: 'modern-treasury',
    id: { header: 'X-Webhook-ID', value: '6f1a5b2c-3c4d-4e5f-8a9b-0c1d2e3f4a5b' },
    extra: [['X-Topic', 'payment_order']],
    body: '{"event": "completed", "data": {"id": "c8ea1f21-8c0d-4b0e-9d0f-3f6f4b7a2d11", "object": "payment_order", "live_mode": true, "amount": 1250, "currency": "USD", "status": "completed"}}',
    expect: { type: 'completed' },
  }),
  bodyOnly('commerce-layer', 'X-CommerceLayer-Signature', {
    sdk: '@commercelayer/sdk-utils',
    encoding: 'base64',
    extra: [['X-CommerceLayer-Topic', 'orders.place']],
    typeInHeader: true,
    body: '{"data": {"id": "wBXVhKzrnq", "type": "orders", "attributes": {"number": 1234, "status": "placed", "updated_at": "2025-11-20T11:59:59.000Z"}, "meta": {"mode": "test"}}}',
    expect: { type: 'orders.place' },
  }),
  bodyOnly('tally', 'Tally-Signature', {
    source: 'Tally\u2019s help page on webhooks, whose sample serialises the parsed body again',
    encoding: 'base64',
    time: member('/createdAt', 'rfc3339'),
    body: (time) =>
      `{"eventId": "a4cb511e-d513-4fa5-baee-b815d718dfd1", "eventType": "FORM_RESPONSE", "createdAt": "${time}", "data": {"responseId": "2wgx4n", "formId": "VwbNEw", "fields": []}}`,
    expect: { id: 'a4cb511e-d513-4fa5-baee-b815d718dfd1', type: 'FORM_RESPONSE' },
    without: ['an event of a year ago'],
  }),
  bodyOnly('fireflies', 'X-Hub-Signature', {
    source: 'Fireflies\u2019 documentation of Webhooks V2; its SDK has no verifier',
    prefix: 'sha256=',
    otherPrefix: 'sha1=',
    time: member('/timestamp', 'milliseconds'),
    body: (time) =>
      `{"event": "meeting.transcribed", "timestamp": ${time}, "meeting_id": "ASxwZxCstx", "client_reference_id": "be582c46-4ac9-4565-9ba6-6ab4264496a8"}`,
    expect: { type: 'meeting.transcribed' },
    without: ['an event of a year ago'],
    moreCases: firefliesV1,
  }),
]

/** Webhooks V1 have other members, and no time. */
function firefliesV1() {
  return [
    {
      name: 'a delivery of Webhooks V1',
      change: { body: '{"meetingId": "ASxwZxCstx", "eventType": "Transcription completed"}' },
      sentAt: null,
      expect: { ok: true },
      otherBody: true,
    },
  ]
}
