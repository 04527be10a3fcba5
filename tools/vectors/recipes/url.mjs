import { bodyOnly } from '../common.mjs'
import { bothOf } from '../keys.mjs'

const URL = 'https://receiver.example/hooks/in?tenant=7'

/** Senders that sign the URL exactly as it was configured. */
const overUrl = (scheme, header, { publicUrl = URL, ...rest }) => {
  const recipe = bodyOnly(scheme, header, { encoding: 'base64', publicUrl, ...rest })
  const { keys } = recipe
  return {
    ...recipe,
    options: {
      secrets: bothOf(keys),
      publicUrl,
    },
  }
}

export default [
  overUrl('square', 'X-Square-HmacSha256-Signature', {
    sdk: 'square',
    parts: ['{url}', '{body}'],
    time: { member: '/created_at', unit: 'rfc3339', of: 'event' },
    extra: [['Square-Initial-Delivery-Timestamp', '2025-11-20T12:00:00Z']],
    body: (time) =>
      `{"merchant_id": "6SSW7HV8K2ST5", "type": "payment.updated", "event_id": "13b867cf-db3d-4b1c-90b6-2f32a9d78124", "created_at": "${time}", "data": {"type": "payment"}}`,
    expect: { id: '13b867cf-db3d-4b1c-90b6-2f32a9d78124', type: 'payment.updated' },
  }),
  overUrl('trello', 'X-Trello-Webhook', {
    source: 'Trello\u2019s documentation of webhook signatures: HMAC-SHA1',
    hash: 'sha1',
    parts: ['{body}', '{url}'],
    body: '{"action": {"id": "51f9424bcd6e040f3c002412", "type": "updateCard", "date": "2025-11-20T11:59:59.000Z"}, "model": {"id": "m"}}',
    expect: { id: '51f9424bcd6e040f3c002412', type: 'updateCard' },
  }),
  overUrl('hubspot', 'X-HubSpot-Signature-v3', {
    sdk: '@hubspot/api-client',
    time: { header: 'X-HubSpot-Request-Timestamp', unit: 'milliseconds', of: 'attempt', tolerance: 300 },
    parts: ['{method}', '{url}', '{body}', '{time}'],
    body: '[{"eventId": 531833541, "subscriptionType": "contact.creation", "objectId": 1, "attemptNumber": 0}]',
    moreCases: hubspotCases,
  }),
]

/** HubSpot decodes some percent codes of the query before it signs. */
function hubspotCases({ keys }) {
  const encoded = 'https://receiver.example/hooks/in?who=a%3Ab%40c%2Cd&next=%2Fx%3Fy%21'
  const decoded = 'https://receiver.example/hooks/in?who=a:b@c,d&next=/x?y!'
  return [
    {
      name: 'signed for the URL with its percent codes decoded',
      options: { secrets: keys.new, publicUrl: encoded },
      change: { url: decoded },
      expect: { ok: true },
      strict: 'The SDK leaves it to its caller to decode the URL. We decode it as HubSpot documents.',
    },
    {
      name: 'the method changed after signing',
      change: { method: 'PUT' },
      expect: { ok: false, status: 401, reason: 'signature_mismatch' },
    },
  ]
}
