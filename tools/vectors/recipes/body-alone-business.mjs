import { gzipSync } from 'node:zlib'
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
    without: ['an event of a year ago', 'the signature without its prefix'],
    moreCases: firefliesV1,
  }),
  bodyOnly('nylas', 'X-Nylas-Signature', {
    source: 'Nylas\u2019 documentation of webhook signatures; its SDK has no verifier for v3',
    time: member('/time', 'seconds'),
    body: (time) =>
      `{"specversion": "1.0", "type": "message.created", "source": "/google/emails/realtime", "id": "5Gz1X7mPq2", "time": ${time}, "webhook_delivery_attempt": 1, "data": {"application_id": "a", "object": {"id": "19155dc7a43e7a4a", "grant_id": "g", "object": "message"}}}`,
    expect: { id: '5Gz1X7mPq2', type: 'message.created' },
    without: ['an event of a year ago'],
    moreCases: nylasCompressed,
  }),
  bodyOnly('front-rules', 'X-Front-Signature', {
    source: 'Front\u2019s documentation of rule webhooks: HMAC-SHA1',
    hash: 'sha1',
    encoding: 'base64',
    body: '{"_links": {"self": "https://api2.frontapp.com/events/evt_55c8c149"}, "id": "evt_55c8c149", "type": "assign", "emitted_at": 1763639999.123, "conversation": {"id": "cnv_55c8c149"}}',
    expect: { id: 'evt_55c8c149', type: 'assign' },
  }),
  bodyOnly('acuity', 'X-Acuity-Signature', {
    sdk: 'acuityscheduling',
    encoding: 'base64',
    contentType: 'application/x-www-form-urlencoded',
    ownBodies: true,
    salt: (text, count) => `${text}&salt=${count}`,
    body: 'action=scheduled&id=1234567&calendarID=89&appointmentTypeID=4321',
    expect: { type: 'scheduled' },
    moreCases: acuityForms,
  }),
  bodyOnly('segment', 'X-Signature', {
    source: 'the code of Segment\u2019s destination, @segment/action-destinations 3.497.0, which signs',
    hash: 'sha1',
    body: '{"messageId": "ajs-next-1763639999000-6f1a5b2c", "type": "track", "event": "Order Completed", "userId": "u1", "timestamp": "2025-11-20T11:59:59.000Z", "properties": {"total": 12.5}}',
    expect: { id: 'ajs-next-1763639999000-6f1a5b2c', type: 'track' },
    moreCases: segmentBatches,
  }),
  bodyOnly('webex', 'X-Spark-Signature', {
    source: 'Webex\u2019 documentation of webhooks and their secret: HMAC-SHA1',
    hash: 'sha1',
    body: '{"id": "Y2lzY29zcGFyazovL3VzL1dFQkhPT0svZjRl", "name": "New message", "resource": "messages", "event": "created", "orgId": "OTZhYmMyYWEt", "status": "active", "actorId": "Y2lzY29zcGFyazovL3VzL1BFT1BMRS9m", "data": {"id": "Y2lzY29zcGFyazovL3VzL01FU1NBR0Uv", "roomId": "Y2lzY29zcGFyazovL3VzL1JPT00v", "created": "2025-11-20T11:59:59.000Z"}}',
    expect: { type: 'created' },
  }),
  bodyOnly('fastspring', 'X-FS-Signature', {
    source: 'FastSpring\u2019s documentation of message security',
    encoding: 'base64',
    body: '{"events": [{"id": "uI9lUdCVQvGGJqgJWvSJ8w", "live": true, "processed": false, "type": "order.completed", "created": 1763639999000, "data": {"order": "h7d1yPaUSp"}}]}',
  }),
]

const mismatch = { ok: false, status: 401, reason: 'signature_mismatch' }

function nylasCompressed() {
  const gzip = (list) => [...list, ['Content-Encoding', 'gzip']]
  return [
    {
      name: 'a compressed body, signed as sent',
      change: { body: gzipSync('{"id":"1","type":"message.created"}', { level: 9 }), headers: gzip },
      expect: { ok: false, status: 400, reason: 'content_encoding_not_identity' },
      otherBody: true,
    },
  ]
}

function acuityForms() {
  const form = (name, body, expect, more) => ({ name, change: { body, ...more }, otherBody: true, expect })
  return [
    form('an order', 'action=order.completed&id=1234567', { ok: true }),
    form('a form with one byte changed', 'action=canceled&id=1234567', mismatch, {
      sentBody: () => 'action=canceled&id=1234568',
    }),
    form('the fields in another order', 'action=canceled&id=1234567', mismatch, {
      sentBody: () => 'id=1234567&action=canceled',
    }),
    form('a field added after signing', 'action=canceled&id=1234567', mismatch, {
      sentBody: (body) => `${body}&calendarID=1`,
    }),
  ]
}

/** The destination signs the first event of a batch alone, so nothing proves that the others are Segment\u2019s. */
function segmentBatches() {
  const first = '{"messageId":"1","type":"track"}'
  const batch = (name, body) => ({
    name,
    change: { body: first, sentBody: () => body },
    expect: mismatch,
    otherBody: true,
  })
  return [
    batch('a batch of one event, signed as its first event', `[${first}]`),
    batch('a batch with an event that nobody signed', `[${first},{"messageId":"2","type":"track"}]`),
  ]
}

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
    {
      name: 'the digest alone, as the page of Webhooks V1 compares it',
      change: {
        body: '{"meetingId": "ASxwZxCstx", "eventType": "Transcription completed"}',
        value: (_, { right }) => right,
      },
      sentAt: null,
      expect: { ok: true },
      otherBody: true,
    },
  ]
}
