import { NOW } from '../common.mjs'
import { hash, hashedCases, unauthorized } from '../hashed-token-cases.mjs'
import { jwt, tokenCase } from '../jwt.mjs'
import { bothOf, secretsOf } from '../keys.mjs'

const URL = 'https://receiver.example/hooks/qstash'
const qstashKeys = secretsOf('qstash', (bytes) => `sig_${bytes.toString('base64url').slice(0, 28)}`)
const QSTASH_BODY = '{"order": 1, "state": "paid"}'

function qstashToken({ secret = qstashKeys.new, alg = 'HS256', body = QSTASH_BODY, claims = {} } = {}) {
  const all = {
    iss: 'Upstash',
    sub: URL,
    iat: NOW,
    nbf: NOW,
    exp: NOW + 300,
    jti: 'jwt_67kxXD6UBAk7DqU6hzuHMDdXFXfP',
    body: hash(body, 'base64url'),
  }
  return jwt({ alg, key: secret, claims: { ...all, ...claims } })
}

const livekitKeys = secretsOf('livekit', (bytes) => bytes.toString('base64url'))
const LIVEKIT_BODY =
  '{"event": "participant_joined", "room": {"name": "a room"}, "id": "EV_eugWmGhovZmm", "createdAt": "1763639999"}'

function livekitToken({ secret = livekitKeys.new, alg = 'HS256', body = LIVEKIT_BODY, claims = {} } = {}) {
  const all = { iss: 'APIkey1', nbf: NOW, exp: NOW + 300, sha256: hash(body, 'base64') }
  return jwt({ alg, key: secret, claims: { ...all, ...claims } })
}

const NOTES = {
  'stale and future time': 'The token\u2019s own end and beginning take their place.',
  'a list of signatures': 'The header holds one token.',
}

const qstash = () => [
  ...hashedCases({
    header: 'Upstash-Signature',
    keys: qstashKeys,
    make: qstashToken,
    claim: 'body',
    spelling: 'base64url',
    otherSpelling: 'hex',
    body: QSTASH_BODY,
    takesAnyBody: true,
  }),
  ...[
    ['a text', 'hello, world', 'text/plain'],
    ['a form', 'a=1&b=2', 'application/x-www-form-urlencoded'],
    ['an empty body', '', 'application/json'],
    ['bytes that are not UTF-8', Buffer.from('00ff', 'hex'), 'application/octet-stream'],
  ].map(([name, body, type]) =>
    tokenCase('Upstash-Signature', type)(
      name,
      qstashToken({ body }),
      body,
      { ok: true },
      { otherBody: true, strict: 'The SDK takes the body as text.' },
    ),
  ),
  tokenCase('Upstash-Signature')(
    'the hash with padding, as QStash writes it',
    qstashToken({ claims: { body: `${hash(QSTASH_BODY, 'base64url')}=` } }),
    QSTASH_BODY,
    { ok: true },
  ),
  tokenCase('Upstash-Signature')(
    'signed for another URL',
    qstashToken({ claims: { sub: `${URL}/other` } }),
    QSTASH_BODY,
    unauthorized,
  ),
  tokenCase('Upstash-Signature')(
    'signed for no URL',
    qstashToken({ claims: { sub: undefined } }),
    QSTASH_BODY,
    unauthorized,
  ),
]

const livekit = () => [
  ...hashedCases({
    header: 'Authorization',
    keys: livekitKeys,
    make: livekitToken,
    claim: 'sha256',
    spelling: 'base64',
    otherSpelling: 'hex',
    body: LIVEKIT_BODY,
  }),
  tokenCase('Authorization')(
    'the token as a bearer token',
    `Bearer ${livekitToken()}`,
    LIVEKIT_BODY,
    unauthorized,
  ),
]

export default [
  {
    scheme: 'qstash',
    sdk: '@upstash/qstash',
    now: NOW,
    options: { secrets: bothOf(qstashKeys), publicUrl: URL },
    cases: qstash,
    notApplicable: NOTES,
  },
  {
    scheme: 'livekit',
    sdk: 'livekit-server-sdk',
    now: NOW,
    options: { apiKey: 'APIkey1', secrets: bothOf(livekitKeys) },
    expect: { id: 'EV_eugWmGhovZmm', type: 'participant_joined' },
    cases: livekit,
    notApplicable: NOTES,
  },
]
