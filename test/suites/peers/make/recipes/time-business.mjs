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
]

/** The SDK reads a time with a zone as well. */
function orbTimes({ now }) {
  const at = (name, time) => ({ name, change: { time }, sentAt: now, expect: { ok: true } })
  return [
    at('a time with the zone Z', '2025-11-20T12:00:00Z'),
    at('a time with an offset', '2025-11-20T14:00:00+02:00'),
    at('a time with microseconds', '2025-11-20T12:00:00.000000'),
  ]
}
