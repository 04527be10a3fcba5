import { NOW } from '../common.mjs'
import { brokenTokens, jwt, tokenCase } from '../jwt.mjs'
import { bothOf, secretsOf } from '../keys.mjs'

const URL = 'https://receiver.example/hooks/monday?board=1'
const keys = secretsOf('monday')
const BODY =
  '{"event": {"app": "monday", "type": "create_pulse", "triggerTime": "2025-11-20T11:59:59.210Z", "subscriptionId": 73759690, "triggerUuid": "b5ed2e17c530f43668de130142445cba", "boardId": 1771812698}}'
const unauthorized = { ok: false, status: 401, reason: 'token_invalid' }
const missing = { ok: false, status: 401, reason: 'auth_missing' }

function token({ secret = keys.new, alg = 'HS256', claims = {} } = {}) {
  const all = {
    accountId: 1825528,
    userId: 4012689,
    aud: URL,
    exp: NOW + 300,
    shortLivedToken: 'a.short.token',
    iat: NOW,
  }
  return jwt({ alg, key: secret, claims: { ...all, ...claims } })
}

const given = tokenCase('Authorization')
const refused = (name, how, expect = unauthorized) => given(name, token(how), BODY, expect)

const cases = () => [
  given('a delivery as the sender makes it', token(), BODY, { ok: true }),
  given('signed with the second secret of a rotation', token({ secret: keys.old }), BODY, {
    ok: true,
    secretId: 'old',
  }),
  given(
    'another body under the token, which covers none',
    token(),
    '{"event": {"type": "create_update", "triggerUuid": "6119292e27abcc571f90ea4177e94973"}}',
    { ok: true },
    { otherBody: true, id: '6119292e27abcc571f90ea4177e94973' },
  ),
  given(
    'a lifecycle event, whose type is outside',
    token(),
    '{"type": "install", "data": {"app_id": 1, "timestamp": "2025-11-20T11:59:59.000Z"}}',
    { ok: true },
    { otherBody: true },
  ),
  given('a body that is not JSON', token(), '{"event": ', {
    ok: false,
    status: 400,
    reason: 'body_not_json',
  }),
  refused('signed with another account\u2019s secret', { secret: keys.foreign }),
  refused('a token for another URL', { claims: { aud: 'https://receiver.example/hooks/other' } }),
  refused('a token for the URL without its query', { claims: { aud: URL.split('?')[0] } }),
  refused('no URL', { claims: { aud: undefined } }),
  refused('a list of URLs', { claims: { aud: [URL] } }),
  refused(
    'a token that expired a second ago',
    { claims: { exp: NOW - 1 } },
    { ok: false, status: 401, reason: 'token_expired' },
  ),
  refused(
    'a token that expires now',
    { claims: { exp: NOW } },
    { ok: false, status: 401, reason: 'token_expired' },
  ),
  given('a token that expires in a second', token({ claims: { exp: NOW + 1 } }), BODY, { ok: true }),
  refused('no expiry', { claims: { exp: undefined } }),
  refused('an expiry that is text', { claims: { exp: `${NOW + 300}` } }),
  refused('no algorithm at all', { alg: 'none' }),
  given(
    'the algorithm RS256, signed with the secret',
    jwt({
      alg: 'HS256',
      key: keys.new,
      claims: { aud: URL, exp: NOW + 300 },
      header: { alg: 'RS256', kid: '1' },
    }),
    BODY,
    unauthorized,
  ),
  given('the token after Bearer', `Bearer ${token()}`, BODY, unauthorized),
  given('a token of 8,193 characters', `${token()}`.padEnd(8193, 'A'), BODY, unauthorized),
  ...brokenTokens(token()).map(([name, broken]) => given(name, broken, BODY, unauthorized)),
  given('no token header', undefined, BODY, missing),
  given('an empty token header', '', BODY, missing),
  given('the token header twice', token(), BODY, unauthorized, { extra: [['Authorization', token()]] }),
]

export default [
  {
    scheme: 'monday',
    source: 'monday.com\u2019s documentation of webhooks and of the authorization header',
    now: NOW,
    options: { secrets: bothOf(keys), publicUrl: URL },
    expect: { id: 'b5ed2e17c530f43668de130142445cba', type: 'create_pulse' },
    cases,
    notApplicable: {
      'tampered body': 'The token does not cover the body.',
      'stale and future time': 'The token\u2019s own end takes its place.',
      'a list of signatures': 'The header holds one token.',
    },
  },
]
