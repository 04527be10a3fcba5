import { createPublicKey } from 'node:crypto'
import { NOW } from '../common.mjs'
import { brokenTokens, jwt, tokenCase } from '../jwt.mjs'
import { rsaOf } from '../keys.mjs'

const [sender, foreign] = [rsaOf('sender'), rsaOf('foreign')]
const KID = '1f40f0a8ef3d880978dc82f25c3ec317c6a5b781'
const AUDIENCE = 'https://receiver.example/hooks/pubsub'
const EMAIL = 'push@project.iam.gserviceaccount.com'
const BODY =
  '{"message": {"data": "eyJhIjogMX0=", "messageId": "136969346945", "publishTime": "2025-11-20T11:59:59.000Z"}, "subscription": "projects/p/subscriptions/s"}'
const unauthorized = { ok: false, status: 401 }
const missing = { ok: false, status: 401, reason: 'auth_missing' }

function token({ key = sender, alg = 'RS256', claims = {}, header = {} } = {}) {
  const all = {
    iss: 'https://accounts.google.com',
    aud: AUDIENCE,
    azp: '1',
    email: EMAIL,
    email_verified: true,
    sub: '1',
    iat: NOW - 10,
    exp: NOW + 3590,
  }
  return jwt({ alg, key: key.privateKey, claims: { ...all, ...claims }, header: { kid: KID, ...header } })
}

const given = tokenCase('Authorization')
const bearer = (name, how, expect = unauthorized, more = {}) =>
  given(name, `Bearer ${token(how)}`, more.body ?? BODY, expect, more)
const publicPem = createPublicKey(sender.privateKey).export({ format: 'pem', type: 'spki' })
const SKEW = 'The SDK allows five minutes after `exp` and before `iat`.'

const cases = () => [
  bearer('a delivery as the sender makes it', {}, { ok: true }),
  bearer('the other name of the issuer', { claims: { iss: 'accounts.google.com' } }, { ok: true }),
  bearer(
    'another body under the token, which covers none',
    {},
    { ok: true },
    { body: '{"message": {"messageId": "1"}}', otherBody: true },
  ),
  bearer('a body that is not JSON, unwrapped', {}, { ok: true }, { body: 'hello', otherBody: true }),
  bearer(
    'an unwrapped message with metadata',
    {},
    { ok: true },
    {
      body: '{"n": 1}',
      otherBody: true,
      id: '19917247034',
      extra: [['X-Goog-Pubsub-Message-Id', '19917247034']],
    },
  ),
  bearer('another audience', { claims: { aud: 'https://receiver.example/hooks/other' } }),
  bearer('no audience', { claims: { aud: undefined } }),
  bearer('another account', { claims: { email: 'push@stranger.iam.gserviceaccount.com' } }),
  bearer('an account that Google has not verified', { claims: { email_verified: false } }),
  bearer('no account', { claims: { email: undefined } }),
  bearer('another issuer', { claims: { iss: 'https://accounts.google.com.evil.example' } }),
  bearer('a token that expired an hour ago', { claims: { iat: NOW - 7200, exp: NOW - 3600 } }),
  bearer('a token that expired a second ago', { claims: { exp: NOW - 1 } }, unauthorized, { lax: SKEW }),
  bearer('a token without an expiry', { claims: { exp: undefined } }),
  bearer('signed with a key that Google does not have', { key: foreign }),
  bearer('a key ID that Google does not have', { header: { kid: 'another' } }),
  bearer('no key ID', { header: { kid: undefined } }),
  bearer('no algorithm at all', { alg: 'none' }),
  given(
    'an HMAC whose key is the public key',
    `Bearer ${jwt({ alg: 'HS256', key: publicPem, claims: { aud: AUDIENCE }, header: { kid: KID } })}`,
    BODY,
    unauthorized,
  ),
  ...brokenTokens(token()).map(([name, broken]) =>
    given(name, `Bearer ${broken}`, BODY, unauthorized, { lax: 'The SDK decodes leniently.' }),
  ),
  given('the token without the scheme', token(), BODY, unauthorized),
  given('no token header', undefined, BODY, missing),
  given('an empty token header', '', BODY, missing),
  given('the token header twice', `Bearer ${token()}`, BODY, unauthorized, {
    extra: [['Authorization', `Bearer ${token()}`]],
  }),
]

const jwk = {
  ...createPublicKey(sender.privateKey).export({ format: 'jwk' }),
  kid: KID,
  alg: 'RS256',
  use: 'sig',
}

export default [
  {
    scheme: 'pubsub',
    sdk: 'google-auth-library',
    now: NOW,
    options: { audience: AUDIENCE, email: EMAIL },
    fetches: { 'https://www.googleapis.com/oauth2/v3/certs': { status: 200, body: { keys: [jwk] } } },
    expect: { id: '136969346945' },
    cases,
    notApplicable: {
      'tampered body': 'The token does not cover the body.',
      'rotated secret': 'The keys are Google\u2019s.',
      'a list of signatures': 'The header holds one token.',
    },
  },
]
