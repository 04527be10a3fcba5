import { bodyOnly, withTime } from '../common.mjs'

export default [
  bodyOnly('tiktok', 'TikTok-Signature', {
    source: 'TikTok\u2019s documentation of webhook signatures',
    list: ',',
    prefix: 's=',
    otherPrefix: 'v1=',
    parts: ['{time}', '.', '{body}'],
    time: { item: 't=', unit: 'seconds', of: 'attempt' },
    body: '{"client_key": "bwo2m45353a6k85", "event": "video.publish.completed", "create_time": 1763639999, "user_openid": "act.example12345", "content": "{\\"share_id\\": \\"video.6974245311675353080\\"}"}',
    expect: { type: 'video.publish.completed' },
  }),
  withTime('orb', 'X-Orb-Signature', 'X-Orb-Timestamp', {
    sdk: 'orb-billing',
    unit: 'utc',
    tolerance: 300,
    list: ' ',
    prefix: 'v1=',
    otherPrefix: 'v2=',
    parts: ['v1:', '{time}', ':', '{body}'],
    body: '{"id": "o4mmewpfNNTnjfZc", "created_at": "2025-11-20T11:59:59.000000+00:00", "type": "subscription.created", "properties": {}, "subscription": {"id": "KwuPFuFXPz9BFbiE"}}',
    expect: { id: 'o4mmewpfNNTnjfZc', type: 'subscription.created' },
    moreCases: orbTimes,
  }),
  withTime('front', 'X-Front-Signature', 'X-Front-Request-Timestamp', {
    source: 'Front\u2019s documentation of application webhooks',
    unit: 'milliseconds',
    tolerance: 300,
    encoding: 'base64',
    parts: ['{time}', ':', '{body}'],
    body: '{"type": "inbound_received", "authorization": {"id": "cmp_abc"}, "payload": {"id": "evt_55c8c149", "type": "inbound", "emitted_at": 1763639999.12, "conversation": {"id": "cnv_55c8c149"}}}',
    expect: { id: 'evt_55c8c149', type: 'inbound_received' },
    moreCases: frontChallenges,
  }),
  withTime('klaviyo', 'Klaviyo-Signature', 'Klaviyo-Timestamp', {
    source: 'Klaviyo\u2019s documentation of system webhooks',
    unit: 'http-date',
    of: 'event',
    without: ['an event of a year ago'], // Klaviyo documents no tolerance
    parts: ['{body}', '{time}'],
    extra: [['Klaviyo-Webhook-Id', 'a8b890458b4bbfaa26d961471b83c101d6de23bd826e7e5173a15310985ec3cb']],
    body: '{"data": [{"external_id": "4L3cwQae2TX", "topic": "event:klaviyo.sent_sms", "payload": {}}], "meta": {"klaviyo_account_id": "abc", "klaviyo_webhook_id": "a8b890458b4bbfaa26d961471b83c101d6de23bd826e7e5173a15310985ec3cb", "timestamp": "2025-11-20T12:00:00+00:00"}}',
    moreCases: klaviyoJoins,
  }),
]

/** A challenge is not signed, so it must not turn an event into a handshake. */
function frontChallenges() {
  return [
    {
      name: 'an event with a challenge that was added on the way',
      change: { headers: (list) => [...list, ['X-Front-Challenge', 'added']] },
      expect: { ok: true },
    },
  ]
}

/** Body and time are joined without a separator. */
function klaviyoJoins() {
  const text = 'Thu, 20 Nov 2025 12:00:00 GMT'
  return [
    {
      name: 'the time moved from its header to the end of the body',
      change: { sentBody: (body) => `${body}${text}`, sentTime: () => '' },
      expect: { ok: false, status: 400, reason: 'header_missing' },
    },
    {
      name: 'a byte of the body moved to the front of the time',
      change: {
        body: '{"data": []} ',
        sentBody: (body) => body.subarray(0, -1),
        sentTime: (time) => ` ${time}`,
      },
      otherBody: true,
      expect: { ok: true },
    },
    {
      name: 'a time in seconds, which nothing documents',
      change: { time: '1763640000' },
      expect: { ok: true },
    },
  ]
}

/** The SDK reads a time with a zone as well. */
function orbTimes({ now }) {
  const at = (name, time) => ({ name, change: { time }, sentAt: now, expect: { ok: true } })
  return [
    at('a time with the zone Z', '2025-11-20T12:00:00Z'),
    at('a time with an offset', '2025-11-20T14:00:00+02:00'),
    at('a time with microseconds', '2025-11-20T12:00:00.000000'),
  ]
}
