import { bodyOnly } from '../common.mjs'

const mismatch = { ok: false, status: 401, reason: 'signature_mismatch' }

export default [
  bodyOnly('mollie', 'X-Mollie-Signature', {
    sdk: 'mollie-api-typescript',
    prefix: 'sha256=',
    otherPrefix: 'sha1=',
    list: ',',
    join: ', ',
    without: ['the signature without its prefix'],
    body: '{"resource": "event", "id": "event_GvJ8WHrp5isUdRub9CJyH", "type": "payment-link.paid", "entityId": "pl_qng5gbbv8NAZ5gpM5ZYgx", "createdAt": "2025-11-20T11:59:59.0Z"}',
    expect: { id: 'event_GvJ8WHrp5isUdRub9CJyH', type: 'payment-link.paid' },
    why: {
      'the signature header twice':
        'Node joins repeated headers with a comma. We read them as a list, but refuse the same line twice.',
    },
    moreCases: () => [
      {
        name: 'the signature without its prefix, as the SDK takes it',
        change: { value: (_, { right }) => right },
        expect: { ok: true },
      },
      {
        name: 'a signature by each secret of a rotation, on a line each',
        change: {
          headers: (list) =>
            list.flatMap(([name, value]) =>
              name === 'X-Mollie-Signature'
                ? [
                    [name, `sha256=${'0'.repeat(64)}`],
                    [name, value],
                  ]
                : [[name, value]],
            ),
        },
        expect: { ok: true },
        notAsked: true,
      },
      {
        name: 'the prefix twice',
        change: { value: (value) => `sha256=${value}` },
        expect: mismatch,
      },
      {
        name: 'a classic webhook, which is not signed',
        change: {
          body: 'id=tr_d0b0E3EA3v',
          headers: (list) => list.filter(([name]) => name !== 'X-Mollie-Signature'),
        },
        expect: { ok: false, status: 401, reason: 'auth_missing' },
      },
    ],
  }),
  bodyOnly('coinbase-commerce', 'X-CC-Webhook-Signature', {
    sdk: 'coinbase-commerce-node',
    body: '{"attempt_number": 1, "id": "9a0a3b8c-5d0f-4d47-9a53-6c9c6f0ce1b5", "scheduled_for": "2025-11-20T12:00:00Z", "event": {"id": "24934862-d980-46cb-9402-43c81b0cdba6", "resource": "event", "type": "charge:confirmed", "api_version": "2018-03-22", "data": {"code": "66BEOV2A"}}}',
    expect: { id: '24934862-d980-46cb-9402-43c81b0cdba6', type: 'charge:confirmed' },
  }),
  bodyOnly('checkout-com', 'Cko-Signature', {
    source: 'Checkout.com\u2019s documentation of webhooks; its SDK has no verifier',
    body: '{"id": "evt_az5sblvku4ge3dwpztvyizgcau", "type": "payment_approved", "version": "1.0.0", "created_on": "2025-11-20T11:59:59.0000000Z", "data": {"id": "pay_mbabizu24mvu3mela5njyhpit4"}}',
    expect: { id: 'evt_az5sblvku4ge3dwpztvyizgcau', type: 'payment_approved' },
  }),
]
