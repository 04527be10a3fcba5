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
  asked('surveymonkey', 'the endpoint is there', {
    options: { secrets: `client_id&${secret('surveymonkey')}` },
    request: { method: 'HEAD', url: '/hooks', headers: [], body: '' },
    reply: empty(200),
  }),
  asked('mandrill', 'the endpoint is there', {
    options: { secrets: secret('mandrill'), publicUrl: 'https://receiver.example/hooks' },
    request: { method: 'HEAD', url: '/hooks', headers: [], body: '' },
    reply: empty(200),
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
  ...x(),
  ...monday(),
  asked('mailchimp', 'the URL is there', {
    options: { secrets: secret('mailchimp') },
    request: get('/hooks?secret=wrong'),
    reply: empty(200),
  }),
  ...ringcentral(),
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

/** The CRC: its answer is a signature of the token, so only what is never a delivery is signed. */
function x() {
  const options = { secrets: secret('x') }
  const crc = (name, token, reply) =>
    asked('x', `crc_token, ${name}`, {
      options,
      request: get(`/hooks?crc_token=${encodeURIComponent(token)}`),
      reply,
    })
  const signed = (token) => json({ response_token: `sha256=${base64('x', [token])}` })
  return [
    ...['9b4507b3-9040-4669-9ca3-6b94edb50553', 'NTg3_-abc', '123', 'null'].map((token) =>
      crc(token, token, signed(token)),
    ),
    crc('a JSON object, which would be signed for anyone', '{"for_user_id":"1"}', refused(400)),
    crc('a list', '[]', refused(400)),
    crc('a text in quotes', '"a"', refused(400)),
    crc('with a line break', '123\n', refused(400)),
    crc('empty', '', refused(400)),
    crc('over 256 characters', 'a'.repeat(257), refused(400)),
    asked('x', 'crc_token, twice', {
      options,
      request: get('/hooks?crc_token=a&crc_token=b'),
      reply: refused(405),
    }),
    asked('x', 'crc_token in a POST', {
      options,
      request: post([], '{}', '/hooks?crc_token=a'),
      reply: refused(401),
    }),
  ]
}

function monday() {
  const options = { secrets: secret('monday'), publicUrl: 'https://receiver.example/hooks' }
  const challenge = '3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P'
  return [
    asked('monday', 'challenge', {
      options,
      request: post([], JSON.stringify({ challenge })),
      reply: json({ challenge }),
    }),
    asked('monday', 'a challenge beside an event, which is no challenge', {
      options,
      request: post([], JSON.stringify({ challenge, event: { type: 'create_pulse' } })),
      reply: refused(401),
    }),
    asked('monday', 'a challenge that is no text', {
      options,
      request: post([], '{"challenge": 1}'),
      reply: refused(401),
    }),
    asked('monday', 'a challenge of a kilobyte', {
      options,
      request: post([], JSON.stringify({ challenge: 'a'.repeat(1024) })),
      reply: refused(401),
    }),
  ]
}

function ringcentral() {
  const options = { secrets: secret('ringcentral') }
  const token = '27f3ae76-8a23-4a1b-8f5c-0a2b6f2a7c11'
  const validation = (more, body = '') => ({
    method: 'POST',
    url: '/hooks',
    headers: [['Validation-Token', token], ...more],
    body,
  })
  const echoed = empty(200, { 'validation-token': `^${token}$`, 'content-type': '^application/json$' })
  return [
    asked('ringcentral', 'Validation-Token', { options, request: validation([]), reply: echoed }),
    asked('ringcentral', 'a Validation-Token that no header may hold', {
      options,
      request: { method: 'POST', url: '/hooks', headers: [['Validation-Token', 'a b']], body: '' },
      reply: refused(400),
    }),
    asked('ringcentral', 'a Validation-Token beside a wrong verification token', {
      options,
      request: validation(
        [
          ['Content-Type', 'application/json'],
          ['Verification-Token', 'wrong'],
        ],
        '{"uuid": "1"}',
      ),
      reply: refused(401),
    }),
  ]
}

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
