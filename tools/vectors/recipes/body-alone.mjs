import { bodyOnly } from '../common.mjs'
import { githubCases, shopifyCases } from '../own-cases.mjs'

const sha256 = { prefix: 'sha256=', otherPrefix: 'sha1=' }

/** The body contains the event's own time, which retries keep. */
const eventTime = (member, unit) => ({ member, unit, of: 'event' })

export default [
  bodyOnly('github', 'X-Hub-Signature-256', {
    sdk: '@octokit/webhooks-methods',
    ...sha256,
    id: { header: 'X-GitHub-Delivery', value: '72d3162e-cc78-11e3-81ab-4c9367dc0958' },
    extra: [
      ['X-GitHub-Event', 'issues'],
      ['X-GitHub-Hook-ID', '292430182'],
    ],
    typeInHeader: true,
    body: '{"action":"opened","issue":{"number":1, "title":"A title"},"sender":{"login":"octocat"}}',
    expect: { type: 'issues' },
    moreCases: githubCases,
  }),
  bodyOnly('bitbucket', 'X-Hub-Signature', {
    source: 'Bitbucket Cloud\u2019s documentation of webhook secrets',
    ...sha256,
    id: { header: 'X-Request-UUID', value: '3e7e2a3c-0c4e-4b11-9d3c-6a7e0a0f5f61' },
    extra: [
      ['X-Event-Key', 'repo:push'],
      ['X-Hook-UUID', '05ab7bbb-2b5c-4c2e-9b5e-1c6e7e1a2d3f'],
    ],
    typeInHeader: true,
    body: '{"push": {"changes": []}, "repository": {"name": "repo"}}',
    expect: { type: 'repo:push' },
  }),
  bodyOnly('meta', 'X-Hub-Signature-256', {
    source: 'Meta\u2019s documentation of webhook payload validation; Meta has no SDK for it',
    ...sha256,
    body: '{"object": "whatsapp_business_account", "entry": [{"id": "1", "time": 1763639999, "changes": [{"field": "messages", "value": {"text": "\\u00e4\\/\\ud83d\\ude80"}}]}]}',
  }),
  bodyOnly('notion', 'X-Notion-Signature', {
    sdk: '@notionhq/client',
    ...sha256,
    time: eventTime('/timestamp', 'rfc3339'),
    body: (time) =>
      `{"id": "367cba44-b6f3-4c92-81e7-6a2e9659efd4", "timestamp": "${time}", "type": "page.created", "attempt_number": 1}`,
    expect: { id: '367cba44-b6f3-4c92-81e7-6a2e9659efd4', type: 'page.created' },
    moreCases: () => [
      {
        name: 'a verification token, signed with the secret: a handshake that nobody expects',
        change: { body: '{"verification_token": "secret_tMrlL1qK5vuQAh1b6cZGhFChZTSYJlce98V0pYn7yBl"}' },
        expect: { ok: false, status: 400, reason: 'body_malformed' },
        otherBody: true,
        lax: 'The SDK verifies signatures alone. Such a body brings a secret, so it is no event.',
      },
    ],
  }),
  bodyOnly('intercom', 'X-Hub-Signature', {
    source: 'Intercom\u2019s documentation of signed notifications: HMAC-SHA1',
    hash: 'sha1',
    prefix: 'sha1=',
    otherPrefix: 'sha256=',
    time: eventTime('/first_sent_at', 'seconds'),
    body: (time) =>
      `{"type": "notification_event", "id": "notif_ccd8a4d0-f965-11e3-a367-c779cae3e1b3", "topic": "conversation.user.created", "created_at": ${time}, "first_sent_at": ${time}, "delivery_attempts": 1}`,
    expect: { id: 'notif_ccd8a4d0-f965-11e3-a367-c779cae3e1b3', type: 'conversation.user.created' },
  }),
  bodyOnly('typeform', 'Typeform-Signature', {
    source: 'Typeform\u2019s documentation of secured webhooks',
    ...sha256,
    encoding: 'base64',
    body: '{"event_id": "01HFQ8S5Z3C3Y6X9ZQ4T2B7N5M", "event_type": "form_response", "form_response": {"form_id": "f", "submitted_at": "2025-11-20T11:59:59Z"}}',
    expect: { id: '01HFQ8S5Z3C3Y6X9ZQ4T2B7N5M', type: 'form_response' },
  }),
  bodyOnly('shopify', 'X-Shopify-Hmac-Sha256', {
    sdk: '@shopify/shopify-api',
    encoding: 'base64',
    id: { header: 'X-Shopify-Event-Id', value: '98880550-7158-44d4-b7cd-2c97c8a091b5' },
    extra: [
      ['X-Shopify-Topic', 'orders/create'],
      ['X-Shopify-Shop-Domain', 'a-shop.myshopify.com'],
      ['X-Shopify-API-Version', '2025-10'],
      ['X-Shopify-Webhook-Id', 'b54557e4-bdd9-4b37-8a5f-bf7d70bcd043'],
      ['X-Shopify-Triggered-At', '2025-11-20T11:59:59.123456789Z'],
    ],
    typeInHeader: true,
    body: '{"id": 820982911946154508, "email": "jon@example.com", "total_price": "254.98", "note": "7 \\/ 8"}',
    expect: { type: 'orders/create' },
    moreCases: shopifyCases,
  }),
  bodyOnly('line', 'X-Line-Signature', {
    sdk: '@line/bot-sdk',
    encoding: 'base64',
    body: '{"destination": "U8e742f61d673b39c7fff3cecb7536ef0", "events": [{"type": "message", "webhookEventId": "01FZ74A0TDDPYRVKNK77XKC3ZR", "timestamp": 1763639999000}]}',
  }),
  bodyOnly('razorpay', 'X-Razorpay-Signature', {
    sdk: 'razorpay',
    id: { header: 'X-Razorpay-Event-Id', value: 'MU1s1oC3q9k2Lz' },
    time: eventTime('/created_at', 'seconds'),
    body: (time) =>
      `{"entity": "event", "event": "payment.captured", "contains": ["payment"], "payload": {}, "created_at": ${time}}`,
    expect: { type: 'payment.captured' },
  }),
  bodyOnly('vercel', 'X-Vercel-Signature', {
    source: 'Vercel\u2019s documentation of webhook signatures: HMAC-SHA1',
    hash: 'sha1',
    time: eventTime('/createdAt', 'milliseconds'),
    body: (time) =>
      `{"id": "evt_2wVQ3r9b", "type": "deployment.created", "createdAt": ${time}, "payload": {"team": {"id": "team_1"}}}`,
    expect: { id: 'evt_2wVQ3r9b', type: 'deployment.created' },
  }),
]
