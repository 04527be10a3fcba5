import { bodyOnly } from '../common.mjs'
import { secretsOf } from '../keys.mjs'
import { docusignCases, linearCases } from '../own-cases.mjs'

/** The signed body contains the time of an attempt or of an event. */
const member = (pointer, unit, more = {}) => ({ member: pointer, unit, of: 'event', ...more })

export default [
  bodyOnly('linear', 'Linear-Signature', {
    sdk: '@linear/sdk',
    id: { header: 'Linear-Delivery', value: '234d1a4e-b617-4388-90fe-adc3633d6b72' },
    time: member('/webhookTimestamp', 'milliseconds', { of: 'attempt', tolerance: 60 }),
    extra: [
      ['Linear-Event', 'Issue'],
      ['Linear-Timestamp', '1763640000000'],
    ],
    body: (time) =>
      `{"action": "create", "type": "Issue", "data": {"id": "2174add1"}, "webhookTimestamp": ${time}, "webhookId": "000042e3"}`,
    expect: { type: 'Issue' },
    moreCases: linearCases,
  }),
  bodyOnly('lemon-squeezy', 'X-Signature', {
    source: 'Lemon Squeezy\u2019s documentation of signed requests; its SDK has no verifier',
    extra: [['X-Event-Name', 'order_created']],
    body: '{"meta": {"event_name": "order_created", "webhook_id": "6f1a5b2c"}, "data": {"type": "orders", "id": "1"}}',
    expect: { type: 'order_created' },
  }),
  bodyOnly('sentry', 'Sentry-Hook-Signature', {
    source:
      'Sentry\u2019s documentation of the integration platform; its sample serialises the parsed body again',
    id: { header: 'Request-ID', value: '4d0c7f2e9b5a4c0f8f4a2a7d7d3b6a11' },
    extra: [
      ['Sentry-Hook-Resource', 'issue'],
      ['Sentry-Hook-Timestamp', '1763640000'],
    ],
    typeInHeader: true,
    body: '{"action": "created", "installation": {"uuid": "a8e5d37a"}, "data": {"issue": {"id": "1"}}}',
    expect: { type: 'issue' },
  }),
  bodyOnly('pagerduty', 'X-PagerDuty-Signature', {
    source: 'PagerDuty\u2019s documentation of webhook signatures, version 3',
    prefix: 'v1=',
    otherPrefix: 'v0=',
    list: ',',
    time: member('/event/occurred_at', 'rfc3339'),
    body: (time) =>
      `{"event": {"id": "01DFKPNQN5K8Z8RJ9QZ4T2B7N5", "event_type": "incident.triggered", "occurred_at": "${time}", "data": {"id": "PGR0VU2"}}}`,
    expect: { id: '01DFKPNQN5K8Z8RJ9QZ4T2B7N5', type: 'incident.triggered' },
  }),
  bodyOnly('dropbox', 'X-Dropbox-Signature', {
    source: 'Dropbox\u2019s documentation of webhooks; its SDK has no verifier',
    body: '{"list_folder": {"accounts": ["dbid:AAH4f99T0taONIb-OurWxbNQ6ywGRopQngc"]}, "delta": {"users": [12345678]}}',
  }),
  bodyOnly('xero', 'X-Xero-Signature', {
    source: 'Xero\u2019s documentation of webhooks; its SDK has no verifier',
    encoding: 'base64',
    body: '{"events": [{"resourceId": "717f2bfc", "eventType": "UPDATE", "eventCategory": "CONTACT"}], "firstEventSequence": 1, "lastEventSequence": 1, "entropy": "S0m3r4Nd0mt3xt"}',
  }),
  bodyOnly('docusign', 'X-DocuSign-Signature-1', {
    source: 'DocuSign\u2019s documentation of Connect with HMAC; its SDK has no verifier',
    encoding: 'base64',
    body: '{"event": "envelope-completed", "apiVersion": "v2.1", "data": {"accountId": "a", "envelopeId": "e"}, "generatedDateTime": "2025-11-20T11:59:59.000Z"}',
    expect: { type: 'envelope-completed' },
    without: ['a content type that the sender does not send'],
    moreCases: docusignCases,
  }),
  bodyOnly('gocardless', 'Webhook-Signature', {
    sdk: 'gocardless-nodejs',
    body: '{"events": [{"id": "EV123", "created_at": "2025-11-20T11:59:59.000Z", "resource_type": "payments", "action": "confirmed"}], "meta": {"webhook_id": "WB123"}}',
    expect: { id: 'WB123' },
  }),
  bodyOnly('woocommerce', 'X-WC-Webhook-Signature', {
    source: 'WooCommerce\u2019s documentation of webhooks',
    encoding: 'base64',
    extra: [
      ['X-WC-Webhook-Topic', 'order.created'],
      ['X-WC-Webhook-ID', '142'],
      ['X-WC-Webhook-Delivery-ID', '5f0c2b1d'],
    ],
    typeInHeader: true,
    body: '{"id": 727, "status": "processing", "total": "29.35"}',
    expect: { type: 'order.created' },
  }),
  bodyOnly('paystack', 'X-Paystack-Signature', {
    source: 'Paystack\u2019s documentation of webhooks: HMAC-SHA512',
    hash: 'sha512',
    body: '{"event": "charge.success", "data": {"id": 302961, "reference": "qTPrJoy9Bx", "amount": 10000}}',
    expect: { type: 'charge.success' },
  }),
  bodyOnly('asana', 'X-Hook-Signature', {
    source: 'Asana\u2019s documentation of webhook security',
    body: '{"events": [{"action": "changed", "resource": {"gid": "1337", "resource_type": "task"}, "created_at": "2025-11-20T11:59:59.000Z"}]}',
  }),
  bodyOnly('adyen-platform', 'HmacSignature', {
    sdk: '@adyen/api-library',
    encoding: 'base64',
    keyBytes: (secret) => Buffer.from(secret, 'hex'),
    body: '{"data": {"balancePlatform": "YOUR_BALANCE_PLATFORM", "accountHolder": {"id": "AH1"}}, "environment": "test", "timestamp": "2025-11-20T11:59:59+00:00", "type": "balancePlatform.accountHolder.updated"}',
    expect: { type: 'balancePlatform.accountHolder.updated' },
  }),
  bodyOnly('authorize-net', 'X-ANET-Signature', {
    source: 'Authorize.net\u2019s documentation of webhooks, and a delivery with its key in its forum',
    hash: 'sha512',
    encoding: 'upper-case-hex',
    prefix: 'sha512=',
    otherPrefix: 'sha256=',
    body: '{"notificationId":"d0e8e7fe-c3e7-4add-a480-27bc5ce28a18","eventType":"net.authorize.payment.authcapture.created","eventDate":"2025-11-20T11:59:59.2369834Z","webhookId":"63d6fea2-aa13-4b1d-a204-f5fbc15942b7","payload":{"responseCode":1,"authAmount": 300.00,"entityName":"transaction","id":"60020981676"}}',
    expect: {
      id: 'd0e8e7fe-c3e7-4add-a480-27bc5ce28a18',
      type: 'net.authorize.payment.authcapture.created',
    },
    moreCases: () => [
      {
        name: 'a delivery of 2017 with its key, published in the forum of Authorize.net',
        options: {
          secrets:
            '2679A5D5785C9B26CF921E1754765CDDB265C9C88400786923E5343B315954FAFB4B7BF608818F6A21766741E8637DC206F286C725908C777ED4127D8562163D',
        },
        change: {
          body: '{"notificationId":"f813b98f-3552-4eeb-ba40-acb4704eeba3","eventType":"net.authorize.payment.authcapture.created","eventDate":"2017-03-08T17:35:37.155999Z","webhookId":"63d6fea2-aa13-4b1d-a204-f5fbc15942b7","payload":{"responseCode":1,"authCode":"8VTPDC","avsResponse":"Y","authAmount":10.00,"entityName":"transaction","id":"60019392075"}}',
          value: () =>
            'sha512=9607C69D2734514554CE13D923D19939563F2FD6567D239F49F0DF0D08865632A0FB98061B4620CC52C47BB8BF6E2B69A15A67E4C98E81D7D65111076C515C6A',
        },
        expect: { ok: true },
        otherBody: true,
      },
    ],
  }),
  bodyOnly('airtable', 'X-Airtable-Content-MAC', {
    source: 'Airtable\u2019s overview of webhooks',
    prefix: 'hmac-sha256=',
    otherPrefix: 'hmac-sha512=',
    keys: secretsOf('airtable', (bytes) => bytes.toString('base64')),
    keyBytes: (secret) => Buffer.from(secret, 'base64'),
    without: ['an event of a year ago'], // Airtable documents no tolerance
    time: member('/timestamp', 'rfc3339'),
    body: (time) =>
      `{"base":{"id":"app00000000000000"},"webhook":{"id":"ach00000000000000"},"timestamp": "${time}"}`,
  }),
]
