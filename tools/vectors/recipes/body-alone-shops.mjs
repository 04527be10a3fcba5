import { bodyOnly } from '../common.mjs'

/** Senders of shops and parcels, that sign the body alone. */
export default [
  bodyOnly('klarna', 'Klarna-Signature', {
    source: 'Klarna\u2019s documentation of webhooks, and its plugin for WooCommerce',
    extra: [['Klarna-Signing-Key-Id', 'krn:partner:global:notification:signing-key:1']],
    body: '{"metadata": {"event_type": "payment.request.state-change.completed", "event_id": "d9f9b1a0-5b1a-4b0e-9b0a-9e9b1a0d5b1a", "event_version": "v2", "occurred_at": "2025-11-20T11:59:59Z"}, "payload": {"state": "COMPLETED"}}',
    expect: { id: 'd9f9b1a0-5b1a-4b0e-9b0a-9e9b1a0d5b1a', type: 'payment.request.state-change.completed' },
  }),
  bodyOnly('aftership', 'aftership-hmac-sha256', {
    source: 'AfterShip\u2019s documentation of webhook signatures, of Tracking and of Returns',
    encoding: 'base64',
    body: '{"event": "tracking_update", "event_id": "fec2e1c2-6b0e-4f0e-9c7b-3d4f5a6b7c8d", "msg": {"id": "53aa94fc55ece21582000004", "tag": "Delivered"}, "ts": 1763639999}',
    expect: { id: 'fec2e1c2-6b0e-4f0e-9c7b-3d4f5a6b7c8d', type: 'tracking_update' },
    moreCases: ({ signature }) => [
      {
        name: 'the header of Returns',
        change: {
          headers: (list) =>
            list.map(([name, value]) => [
              name === signature.header ? 'as-signature-hmac-sha256' : name,
              value,
            ]),
        },
        expect: { ok: true },
      },
    ],
  }),
  bodyOnly('easypost', 'X-Hmac-Signature', {
    sdk: '@easypost/api',
    prefix: 'hmac-sha256-hex=',
    otherPrefix: 'hmac-sha512-hex=',
    body: '{"id": "evt_5a0bd3c61e9a11f0a9d6", "object": "Event", "description": "tracker.updated", "mode": "test", "created_at": "2025-11-20T11:59:59Z", "status": "completed"}',
    expect: { id: 'evt_5a0bd3c61e9a11f0a9d6', type: 'tracker.updated' },
  }),
]
