import { asked, base64, empty, get, hex, json, post, refused, secret, TIME, text } from './handshake.mjs'
import { bytesOf, ed25519Of, whsec } from './keys.mjs'
import { ed25519, hmac } from './sign.mjs'

function slack() {
  const body =
    '{"token": "not-used", "challenge": "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P", "type": "url_verification"}'
  const request = (signature) =>
    post(
      [
        ['X-Slack-Request-Timestamp', TIME],
        ['X-Slack-Signature', signature],
      ],
      body,
    )
  const options = { secrets: secret('slack') }
  return [
    asked('slack', 'url_verification', {
      options,
      request: request(`v0=${hex('slack', ['v0:', TIME, ':', body])}`),
      reply: text(JSON.parse(body).challenge),
    }),
    asked('slack', 'url_verification, wrongly signed', {
      options,
      request: request(`v0=${'0'.repeat(64)}`),
      reply: refused(401),
    }),
    // Copied from slackapi/bolt-js issue 1397.
    asked('slack', 'ssl_check', {
      options,
      request: {
        method: 'POST',
        url: '/hooks',
        headers: [['Content-Type', 'application/x-www-form-urlencoded']],
        body: 'ssl_check=1&token=xxx',
      },
      reply: empty(200),
    }),
    asked('slack', 'ssl_check, as a GET', {
      options,
      request: get('/hooks?ssl_check=1&token=xxx'),
      reply: empty(200),
    }),
  ]
}

function front() {
  const options = { secrets: secret('front') }
  const time = `${TIME}000`
  const body = '{"type": "sync", "authorization": {"id": "cmp_abc"}}'
  const request = (signature) =>
    post(
      [
        ['X-Front-Request-Timestamp', time],
        ['X-Front-Challenge', 'c7Zt0pXbZ1'],
        ['X-Front-Signature', signature],
      ],
      body,
    )
  return [
    asked('front', 'the challenge, correctly signed', {
      options,
      request: request(base64('front', [time, ':', body])),
      reply: json({ challenge: 'c7Zt0pXbZ1' }),
    }),
    asked('front', 'the challenge, signed as another body', {
      options,
      request: request(base64('front', [time, ':', '{}'])),
      reply: refused(401),
    }),
  ]
}

function meta() {
  const options = { secrets: secret('meta'), verifyToken: 'a token of my own' }
  const url = (token, challenge = '1158201444') =>
    `/hooks?hub.mode=subscribe&hub.challenge=${encodeURIComponent(challenge)}&hub.verify_token=${encodeURIComponent(token)}`
  const markup = '<script>alert(1)</script>'
  return [
    asked('meta', 'subscribe', {
      options,
      request: get(url('a token of my own')),
      reply: text('1158201444'),
    }),
    asked('meta', 'a challenge with markup is echoed as text', {
      options,
      request: get(url('a token of my own', markup)),
      reply: text(markup),
    }),
    asked('meta', 'subscribe with another token', {
      options,
      request: get(url('a token of another')),
      reply: refused(403),
    }),
    asked('meta', 'subscribe without a token', {
      options,
      request: get('/hooks?hub.mode=subscribe&hub.challenge=1'),
      reply: refused(403),
    }),
  ]
}

function mcpEvents() {
  const key = bytesOf('mcp-events/handshake')
  const options = { secrets: whsec(key) }
  const challenge = 'c1a7f0d0b5e34d9c'
  const request = (body, signed = body) =>
    post(
      [
        ['Webhook-Id', 'msg_verification_1'],
        ['Webhook-Timestamp', TIME],
        [
          'Webhook-Signature',
          `v1,${hmac('sha256', key, [`msg_verification_1.${TIME}.`, signed]).toString('base64')}`,
        ],
        ['X-MCP-Subscription-Id', 'sub_a3f1c8e2b0d49f7e'],
      ],
      body,
    )
  const body = `{"type": "verification", "challenge": "${challenge}"}`
  return [
    asked('mcp-events', 'the challenge, correctly signed', {
      options,
      request: request(body),
      reply: json({ challenge }),
    }),
    asked('mcp-events', 'the challenge, signed as another body', {
      options,
      request: request(body, '{}'),
      reply: refused(401),
    }),
  ]
}

function zoom() {
  const body =
    '{"event": "endpoint.url_validation", "payload": {"plainToken": "qgg8vlvZRS6UYooatFL8Aw"}, "event_ts": 1763640000000}'
  const request = (signature) =>
    post(
      [
        ['X-Zm-Request-Timestamp', TIME],
        ['X-Zm-Signature', signature],
      ],
      body,
    )
  const options = { secrets: secret('zoom') }
  const { plainToken } = JSON.parse(body).payload
  return [
    asked('zoom', 'endpoint.url_validation', {
      options,
      request: request(`v0=${hex('zoom', ['v0:', TIME, ':', body])}`),
      reply: json({ plainToken, encryptedToken: hex('zoom', [plainToken]) }),
    }),
    asked('zoom', 'endpoint.url_validation, wrongly signed', {
      options,
      request: request(`v0=${'0'.repeat(64)}`),
      reply: refused(401),
    }),
  ]
}

function discord() {
  const { privateKey, publicKey } = ed25519Of('discord/new')
  const options = { publicKeys: publicKey.toString('hex') }
  const request = (body, signed = body) =>
    post(
      [
        ['X-Signature-Timestamp', TIME],
        ['X-Signature-Ed25519', ed25519(privateKey, [TIME, signed]).toString('hex')],
      ],
      body,
    )
  const ping = '{"version": 1, "application_id": "1234560123453231555", "type": 0}'
  return [
    asked('discord', 'PING of interactions', {
      options,
      request: request('{"type": 1, "id": "1"}'),
      reply: json({ type: 1 }),
    }),
    asked('discord', 'PING of webhook events', { options, request: request(ping), reply: empty(204) }),
    asked('discord', 'PING, wrongly signed on purpose', {
      options,
      request: request('{"type": 1}', '{"type": 2}'),
      reply: refused(401),
    }),
  ]
}

function twitch() {
  const body =
    '{"challenge": "pogchamp-kappa-360noscope-vohiyo", "subscription": {"id": "f1c2a387", "status": "webhook_callback_verification_pending"}}'
  const [id, time] = ['befa7b53-d79d-478f-86b9-120f112b044e', '2025-11-20T12:00:00.123456789Z']
  const request = (signature) =>
    post(
      [
        ['Twitch-Eventsub-Message-Id', id],
        ['Twitch-Eventsub-Message-Timestamp', time],
        ['Twitch-Eventsub-Message-Type', 'webhook_callback_verification'],
        ['Twitch-Eventsub-Message-Signature', signature],
      ],
      body,
    )
  const options = { secrets: secret('twitch') }
  return [
    asked('twitch', 'webhook_callback_verification', {
      options,
      request: request(`sha256=${hex('twitch', [id, time, body])}`),
      reply: text(JSON.parse(body).challenge),
    }),
    asked('twitch', 'webhook_callback_verification, wrongly signed', {
      options,
      request: request(`sha256=${'0'.repeat(64)}`),
      reply: refused(401),
    }),
  ]
}

/** Handshakes that the sender signs, and Meta's, which sends our own token back. */
export const signedHandshakes = () => [
  ...slack(),
  ...front(),
  ...mcpEvents(),
  ...meta(),
  ...zoom(),
  ...discord(),
  ...twitch(),
]
