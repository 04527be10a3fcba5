import { basicToken } from '../basic-cases.mjs'
import { without } from '../deliver.mjs'
import { token } from '../token-cases.mjs'

const CHANNEL = ['X-Goog-Channel-ID', '01234567-89ab-cdef-0123456789ab']

export default [
  basicToken('chargebee', {
    source: 'Chargebee\u2019s documentation of webhook settings and of events',
    password: 'p\u00e4ss w\u00f6rd:',
    body: '{"id": "ev_16BHbhF4s42tO2lK", "occurred_at": 1763639999, "source": "admin_console", "object": "event", "api_version": "v2", "event_type": "subscription_activated", "content": {"subscription": {"id": "8avVGOkx8U1MX"}}}',
    expect: { id: 'ev_16BHbhF4s42tO2lK', type: 'subscription_activated' },
  }),
  basicToken('deepgram', {
    source: 'Deepgram\u2019s documentation of callbacks and its changelog of 2026-10-27',
    body: '{"metadata": {"request_id": "6cf1c9f1-7d1d-4f0b-bf0a-08c9ce7eac6a", "duration": 25.9, "channels": 1}, "results": {"channels": [{"alternatives": [{"transcript": "yeah", "confidence": 0.99}]}]}}',
    without: ['a body that is not JSON'],
    moreCases: () => [
      {
        name: 'speech, which is not JSON',
        change: { body: Buffer.from('fffb9064', 'hex') },
        expect: { ok: true },
        otherBody: true,
      },
      {
        name: 'the header dg-token, which Deepgram no longer supports for this',
        change: { headers: (list) => [...without('Authorization')(list), ['dg-token', 'hookgate']] },
        expect: { ok: false, status: 401, reason: 'auth_missing' },
      },
    ],
  }),
  basicToken('pipedrive', {
    source: 'Pipedrive\u2019s guide for webhooks v2',
    body: '{"meta": {"action": "create", "entity": "deal", "company_id": "1", "correlation_id": "5f0c1a52-54a1-4f36-9a1c-0a2b6f2a7c11", "entity_id": "7", "id": "0bf1d4a8-2f6e-4c22-8d0c-6f3f0c0f1a55", "is_bulk_edit": false, "timestamp": "2025-11-20T11:59:59.000Z", "type": "general", "user_id": "2", "version": "2.0", "webhook_id": "3", "webhook_owner_id": "2", "change_source": "app", "attempt": 1, "host": "company.pipedrive.com", "permitted_user_ids": ["2"]}, "data": {"id": 7, "title": "a deal"}, "previous": null}',
    expect: { id: '0bf1d4a8-2f6e-4c22-8d0c-6f3f0c0f1a55', type: 'create.deal' },
  }),
  token('google-channels', 'X-Goog-Channel-Token', {
    source: 'Google\u2019s guides of push notifications for Calendar and Drive',
    contentType: null,
    id: { header: 'X-Goog-Message-Number', value: '10' },
    extra: [
      CHANNEL,
      ['X-Goog-Channel-Expiration', 'Fri, 21 Nov 2025 12:00:00 GMT'],
      ['X-Goog-Resource-ID', 'ret08u3rv24htgh289g'],
      [
        'X-Goog-Resource-URI',
        'https://www.googleapis.com/calendar/v3/calendars/my_calendar%40gmail.com/events',
      ],
      ['X-Goog-Resource-State', 'exists'],
    ],
    typeInHeader: true,
    body: '',
    expect: { type: 'exists' },
    without: ['a body that is not JSON'],
    moreCases: () => [
      {
        name: 'no channel, whose numbers are then its own',
        change: { headers: without('X-Goog-Channel-ID') },
        expect: { ok: true },
      },
      {
        name: 'the message number twice',
        change: { headers: (list) => [...list, ['X-Goog-Message-Number', '11']] },
        expect: { ok: false, status: 400, reason: 'header_repeated' },
      },
    ],
  }),
  token('ringcentral', 'Verification-Token', {
    source: 'RingCentral\u2019s guides of creating and receiving webhooks',
    body: '{"uuid": "6024437273425919021", "event": "/restapi/v1.0/account/1/extension/2/message-store", "timestamp": "2025-11-20T11:59:59.000Z", "subscriptionId": "1423e408-e25c-4421-8dd1-5f754e2f5648", "ownerId": "2", "body": {"extensionId": 2, "changes": [{"type": "SMS", "newCount": 1, "updatedCount": 0}]}}',
    expect: { id: '6024437273425919021', type: '/restapi/v1.0/account/1/extension/2/message-store' },
    moreCases: () => [
      {
        name: 'a Validation-Token beside the right token, which makes it no handshake',
        change: { headers: (list) => [...list, ['Validation-Token', 'any']] },
        expect: { ok: true },
      },
    ],
  }),
]
