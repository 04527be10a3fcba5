import { asked, base64, empty, get, json, post, refused, secret, TEXT_REPLY, text } from './handshake.mjs'
import { hmac } from './sign.mjs'

const unsigned = () => [
  asked('dropbox', 'challenge', {
    options: { secrets: secret('dropbox') },
    request: get('/hooks?challenge=Pk0Zl1fXtSEJcFdLzzNDO4kG'),
    reply: {
      ...text('Pk0Zl1fXtSEJcFdLzzNDO4kG'),
      headers: { ...TEXT_REPLY, 'x-content-type-options': '^nosniff$' },
    },
  }),
  asked('dropbox', 'a challenge with markup is echoed as text', {
    options: { secrets: secret('dropbox') },
    request: get('/hooks?challenge=%3Cscript%3Ealert(1)%3C%2Fscript%3E'),
    reply: {
      ...text('<script>alert(1)</script>'),
      headers: { ...TEXT_REPLY, 'x-content-type-options': '^nosniff$' },
    },
  }),
  asked('nylas', 'challenge', {
    options: { secrets: secret('nylas') },
    request: get('/hooks?challenge=bc609b38-c81f-47fb-a275-1d9bd61a968b'),
    reply: {
      ...text('bc609b38-c81f-47fb-a275-1d9bd61a968b'),
      headers: { ...TEXT_REPLY, 'x-content-type-options': '^nosniff$' },
    },
  }),
  asked('okta', 'one-time verification', {
    options: { secrets: secret('okta') },
    request: get('/hooks', [['X-Okta-Verification-Challenge', 'Sa5vCoZb3lYQmCQpLxHqXQ']]),
    reply: json({ verification: 'Sa5vCoZb3lYQmCQpLxHqXQ' }),
  }),
  asked('graph', 'validationToken', {
    options: { secrets: secret('graph') },
    request: {
      method: 'POST',
      url: '/hooks?validationToken=Validation%3A+Testing+client+application+reachability',
      headers: [['Content-Type', 'text/plain; charset=utf-8']],
      body: '',
    },
    reply: text('Validation: Testing client application reachability'),
  }),
  asked('cloudevents', 'abuse protection', {
    options: { secrets: secret('cloudevents') },
    request: {
      method: 'OPTIONS',
      url: '/hooks',
      headers: [
        ['WebHook-Request-Origin', 'eventemitter.example.com'],
        ['WebHook-Request-Rate', '120'],
      ],
      body: '',
    },
    reply: { status: 200, headers: { 'webhook-allowed-origin': '^(\\*|eventemitter\\.example\\.com)$' } },
  }),
  asked('trello', 'the endpoint is there', {
    options: { secrets: secret('trello'), publicUrl: 'https://receiver.example/hooks' },
    request: { method: 'HEAD', url: '/hooks', headers: [], body: '' },
    reply: empty(200),
  }),
  asked('intercom', 'the endpoint is there', {
    options: { secrets: secret('intercom') },
    request: { method: 'HEAD', url: '/hooks', headers: [], body: '' },
    reply: empty(200),
  }),
  asked('woocommerce', 'the ping of a webhook that was saved', {
    options: { secrets: secret('woocommerce') },
    request: {
      method: 'POST',
      url: '/hooks',
      headers: [['Content-Type', 'application/x-www-form-urlencoded']],
      body: 'webhook_id=7',
    },
    reply: empty(200),
  }),
]

/** As the SDK's README says, the token signs the request that brings it. */
function notion() {
  const brings = 'secret_tMrlL1qK5vuQAh1b6cZGhFChZTSYJlce98V0pYn7yBl'
  const another = secret('notion')
  const body = `{"verification_token": "${brings}"}`
  const sign = (key, text = body) => [
    ['X-Notion-Signature', `sha256=${hmac('sha256', key, [text]).toString('hex')}`],
  ]
  const token = (name, options, headers, reply, more) =>
    asked('notion', `verification_token, ${name}`, {
      options,
      request: post(headers, body),
      reply,
      ...more,
    })
  const waiting = { onHandshake: true }
  const settled = { secrets: brings, onHandshake: true }
  return [
    token('not signed', waiting, [], { status: 200 }, { brings }),
    token('signed with itself', waiting, sign(brings), { status: 200 }, { brings }),
    token('signed with another token', waiting, sign(another), refused(401)),
    token('signed as another body', waiting, sign(brings, '{}'), refused(401)),
    token('again, when it is the secret', settled, sign(brings), { status: 200 }, { brings }),
    token('not signed, when there is a secret', settled, [], refused(401)),
    token(
      'signed with itself, when there is another secret',
      { ...settled, secrets: another },
      sign(brings),
      refused(401),
    ),
    token(
      'signed with the secret, which it would replace',
      { ...settled, secrets: another },
      sign(another),
      { status: 200 },
      { brings },
    ),
    token('while none is expected', { secrets: brings }, [], refused(401)),
    token('signed, while none is expected', { secrets: brings }, sign(brings), refused(400)),
  ]
}

/** Handshakes that bring the key. `brings` is the argument of `onHandshake`. */
const bringing = () => [
  asked('asana', 'X-Hook-Secret', {
    options: { secrets: secret('asana'), onHandshake: true },
    request: post(
      [['X-Hook-Secret', 'b537207f20cbfa02357cf448134da559e8bd39d61597dcd5631b8012eae53e81']],
      '{}',
    ),
    reply: empty(200, {
      'x-hook-secret': '^b537207f20cbfa02357cf448134da559e8bd39d61597dcd5631b8012eae53e81$',
    }),
    brings: 'b537207f20cbfa02357cf448134da559e8bd39d61597dcd5631b8012eae53e81',
  }),
  asked('asana', 'X-Hook-Secret while no handshake is expected', {
    options: { secrets: secret('asana') },
    request: post(
      [['X-Hook-Secret', 'b537207f20cbfa02357cf448134da559e8bd39d61597dcd5631b8012eae53e81']],
      '{}',
    ),
    reply: refused(401),
  }),
  ...notion(),
]

/** Signed requests that test whether the endpoint is reachable. Only the status and an empty body matter. */
function reachable() {
  const xero = '{"events": [], "firstEventSequence": 0, "lastEventSequence": 0, "entropy": "S0m3r4Nd0mt3xt"}'
  const line = '{"destination": "U8e742f61d673b39c7fff3cecb7536ef0", "events": []}'
  return [
    asked('xero', 'intent to receive, correctly signed', {
      options: { secrets: secret('xero') },
      request: post([['X-Xero-Signature', base64('xero', [xero])]], xero),
      reply: empty(200),
    }),
    asked('xero', 'intent to receive, wrongly signed on purpose', {
      options: { secrets: secret('xero') },
      request: post([['X-Xero-Signature', base64('xero', ['{}'])]], xero),
      reply: empty(401),
    }),
    asked('line', 'the Verify button, without events', {
      options: { secrets: secret('line') },
      request: post([['X-Line-Signature', base64('line', [line])]], line),
      reply: { status: 200 },
    }),
  ]
}

export const otherHandshakes = () => [...unsigned(), ...bringing(), ...reachable()]
