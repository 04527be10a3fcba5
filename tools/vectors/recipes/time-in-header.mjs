import { withTime } from '../common.mjs'

const slack = (scheme, name, rest) =>
  withTime(scheme, `X-${name}-Signature`, `X-${name}-Request-Timestamp`, {
    tolerance: 300,
    prefix: 'v0=',
    otherPrefix: 'v1=',
    parts: ['v0:', '{time}', ':', '{body}'],
    ...rest,
  })

export default [
  slack('slack', 'Slack', {
    sdk: '@slack/bolt',
    body: '{"token": "not-used", "team_id": "T061EG9R6", "type": "event_callback", "event_id": "Ev0PV52K21", "event_time": 1763639999, "event": {"type": "app_mention", "text": "hello"}}',
    expect: { id: 'Ev0PV52K21' },
    moreCases: slackForms,
  }),
  slack('zoom', 'Zm', {
    source:
      'Zoom\u2019s documentation of webhook validation; its SDK serialises the parsed body again and is no judge of bytes',
    body: '{"event": "meeting.started", "event_ts": 1763639999000, "payload": {"account_id": "a", "object": {"id": "1"}}}',
    expect: { type: 'meeting.started' },
  }),
  withTime('webflow', 'X-Webflow-Signature', 'X-Webflow-Timestamp', {
    sdk: 'webflow-api',
    blind: true,
    unit: 'milliseconds',
    tolerance: 300,
    parts: ['{time}', ':', '{body}'],
    body: '{"triggerType": "form_submission", "payload": {"name": "Contact", "siteId": "s"}}',
    expect: { type: 'form_submission' },
  }),
  withTime('zendesk', 'X-Zendesk-Webhook-Signature', 'X-Zendesk-Webhook-Signature-Timestamp', {
    source: 'Zendesk\u2019s documentation of webhook authenticity, and a public catalogue of senders',
    unit: 'rfc3339',
    tolerance: 300,
    encoding: 'base64',
    parts: ['{time}', '{body}'],
    id: { header: 'X-Zendesk-Webhook-Invocation-Id', value: '01KAGZ6PE4J3Y6X9ZQ4T2B7N5M' },
    body: '{"type": "zen:event-type:ticket.created", "account_id": 1, "id": "9d6d1c4e", "detail": {"id": "1"}}',
    expect: { type: 'zen:event-type:ticket.created' },
  }),
  withTime('twitch', 'Twitch-Eventsub-Message-Signature', 'Twitch-Eventsub-Message-Timestamp', {
    source: 'Twitch\u2019s documentation of EventSub webhooks',
    unit: 'rfc3339',
    tolerance: 600,
    prefix: 'sha256=',
    otherPrefix: 'sha1=',
    parts: ['{id}', '{time}', '{body}'],
    id: { header: 'Twitch-Eventsub-Message-Id', signed: true, value: 'befa7b53-d79d-478f-86b9-120f112b044e' },
    extra: [
      ['Twitch-Eventsub-Message-Type', 'notification'],
      ['Twitch-Eventsub-Subscription-Type', 'channel.follow'],
    ],
    body: '{"subscription": {"id": "f1c2a387", "type": "channel.follow"}, "event": {"user_id": "1"}}',
    expect: { type: 'channel.follow' },
    moreCases: nineDigits,
  }),
]

/** Slash commands and interactivity come as forms. */
function slackForms() {
  const asForm = (list) =>
    list.map(([name, value]) => [name, name === 'Content-Type' ? 'application/x-www-form-urlencoded' : value])
  const form = (name, body, expect = { ok: true }, more = {}) => ({
    name,
    change: { body, headers: asForm, ...more },
    expect,
    otherBody: true,
  })
  return [
    form(
      'a slash command',
      'token=not-used&team_id=T061EG9R6&command=%2Fweather&text=94070+today&trigger_id=13345224609.1',
    ),
    form(
      'an interaction, whose form has one JSON field',
      'payload=%7B%22type%22%3A%22block_actions%22%2C%22trigger_id%22%3A%221.2%22%7D',
    ),
    form(
      'a form with one byte changed',
      'command=%2Fweather&text=94070',
      { ok: false, status: 401, reason: 'signature_mismatch' },
      { sentBody: (body) => body.toString().replace('94070', '94071') },
    ),
  ]
}

function nineDigits() {
  return [
    {
      name: 'a time with nine digits of a second',
      change: { time: '2025-11-20T11:59:59.634234626Z' },
      sentAt: null,
      expect: { ok: true },
    },
  ]
}
