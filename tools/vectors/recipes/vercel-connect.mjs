import { createPublicKey } from 'node:crypto'
import { NOW } from '../common.mjs'
import { brokenTokens, jwt, tokenCase } from '../jwt.mjs'
import { rsaOf } from '../keys.mjs'

const [sender, foreign] = [rsaOf('sender'), rsaOf('foreign')]
const KID = 'mrk-4302ec1b670f48a98ad61dade4a23be7'
const PROJECT = 'prj_7Pc3G7jb4PYfGG8ZqjWxv0Yw9N1K'
const BODY =
  '{"token": "", "team_id": "T061EG9R6", "api_app_id": "A0FFV41KK", "event": {"type": "app_mention", "text": "hello"}, "type": "event_callback", "event_id": "Ev9UQ52YNA"}'
const unauthorized = { ok: false, status: 401 }
const missing = { ok: false, status: 401, reason: 'auth_missing' }

function token({ key = sender, alg = 'RS256', claims = {}, header = {} } = {}) {
  const all = {
    iss: 'https://oidc.vercel.com/acme',
    aud: 'https://vercel.com/acme',
    sub: 'owner:acme:project:bot:environment:production',
    owner: 'acme',
    owner_id: 'team_7Gw5ZMzpQA8h90F832KGp7nwbuh3',
    project: 'bot',
    project_id: PROJECT,
    environment: 'production',
    nbf: NOW - 5,
    iat: NOW - 5,
    exp: NOW + 3595,
  }
  return jwt({ alg, key: key.privateKey, claims: { ...all, ...claims }, header: { kid: KID, ...header } })
}

const given = tokenCase('Authorization')
const bearer = (name, how, expect = unauthorized, more = {}) =>
  given(name, `Bearer ${token(how)}`, more.body ?? BODY, expect, more)
const publicPem = createPublicKey(sender.privateKey).export({ format: 'pem', type: 'spki' })
const SLACK = 'payload=%7B%22type%22%3A%22block_actions%22%7D'

const cases = () => [
  bearer('a delivery as the sender makes it', {}, { ok: true }),
  bearer('the global issuer', { claims: { iss: 'https://oidc.vercel.com' } }, { ok: true }),
  bearer(
    'another body under the token, which covers none',
    {},
    { ok: true },
    { body: '{"type": "other"}', otherBody: true },
  ),
  tokenCase('Authorization', 'application/x-www-form-urlencoded')(
    'a form, as Slack sends interactions',
    `Bearer ${token()}`,
    SLACK,
    { ok: true },
    { otherBody: true },
  ),
  bearer(
    'a body that is not JSON',
    {},
    { ok: false, status: 400, reason: 'body_not_json' },
    { body: '{"note": ', lax: 'The SDK does not check the body.' },
  ),
  bearer('another issuer', { claims: { iss: 'https://oidc.vercel.com.evil.example' } }),
  bearer('an issuer that begins like Vercel\u2019s', {
    claims: { iss: 'https://oidc.vercel.community/acme' },
  }),
  bearer('no issuer', { claims: { iss: undefined } }),
  bearer('another project', { claims: { project_id: 'prj_another' } }),
  bearer('no project', { claims: { project_id: undefined } }),
  bearer('another environment', { claims: { environment: 'preview' } }),
  bearer('no environment', { claims: { environment: undefined } }),
  bearer('another team', { claims: { owner_id: 'team_another' } }),
  bearer('a token that expired a second ago', { claims: { exp: NOW - 1 } }),
  bearer('a token without an expiry', { claims: { exp: undefined } }, unauthorized, {
    lax: 'The SDK accepts a token that never expires.',
  }),
  bearer('a token that becomes valid in five minutes', { claims: { nbf: NOW + 300 } }),
  bearer('signed with a key that Vercel does not have', { key: foreign }),
  bearer('a key ID that Vercel does not have', { header: { kid: 'another' } }),
  bearer('no key ID', { header: { kid: undefined } }, unauthorized, {
    lax: 'The SDK takes the only key. We require its ID.',
  }),
  bearer('no algorithm at all', { alg: 'none' }),
  given(
    'an HMAC whose key is the public key',
    `Bearer ${jwt({ alg: 'HS256', key: publicPem, claims: { project_id: PROJECT }, header: { kid: KID } })}`,
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
    scheme: 'vercel-connect',
    sdk: '@vercel/oidc',
    now: NOW,
    options: { projectId: PROJECT, environment: 'production', ownerId: 'team_7Gw5ZMzpQA8h90F832KGp7nwbuh3' },
    fetches: { 'https://oidc.vercel.com/.well-known/jwks': { status: 200, body: { keys: [jwk] } } },
    cases,
    notApplicable: {
      'tampered body': 'The token does not cover the body.',
      'rotated secret': 'The keys are Vercel\u2019s.',
      'stale and future time': 'The token\u2019s own end and beginning take their place.',
      'a list of signatures': 'The header holds one token.',
    },
  },
]
