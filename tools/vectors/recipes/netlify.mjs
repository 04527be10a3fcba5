import { NOW } from '../common.mjs'
import { hash, unauthorized } from '../hashed-token-cases.mjs'
import { brokenTokens, jwt, tokenCase } from '../jwt.mjs'
import { bothOf, secretsOf } from '../keys.mjs'

const keys = secretsOf('netlify')
const BODY =
  '{"id": "5ebc34bf4fea0b01f02efa3a", "site_id": "fa4dd95a-994e-4f89-8a7a-2d9e9fc36a32", "state": "ready", "name": "a-site", "url": "https://a-site.example", "created_at": "2025-11-20T11:59:59.346Z", "context": "production"}'
const missing = { ok: false, status: 401, reason: 'auth_missing' }

const token = ({ secret = keys.new, alg = 'HS256', body = BODY, claims = {}, header } = {}) =>
  jwt({ alg, key: secret, claims: { iss: 'netlify', sha256: hash(body, 'hex'), ...claims }, header })

const given = tokenCase('X-Webhook-Signature')
const refused = (name, how) => given(name, token(how), BODY, unauthorized)
const rightly = (name, body, expect = { ok: true }) =>
  given(name, token({ body }), body, expect, { otherBody: true })

const cases = () => [
  given('a delivery as the sender makes it', token(), BODY, { ok: true }),
  given('signed with the second secret of a rotation', token({ secret: keys.old }), BODY, {
    ok: true,
    secretId: 'old',
  }),
  refused('signed with another account\u2019s secret', { secret: keys.foreign }),
  given('one byte of the body changed', token(), BODY.replace('ready', 'reads'), unauthorized),
  given('a space after the body', token(), `${BODY} `, unauthorized),
  given('the body parsed and serialized again', token(), JSON.stringify(JSON.parse(BODY)), unauthorized),
  rightly(
    'a body with characters outside ASCII',
    '{ "note": "Gr\u00fc\u00dfe, \u6f22\u5b57, \ud83d\ude80" }',
  ),
  rightly('an empty object', '{}'),
  rightly('a body that is not JSON, correctly signed', '{"note": ', {
    ok: false,
    status: 400,
    reason: 'body_not_json',
  }),
  refused('the hash of another body', { claims: { sha256: hash('{}', 'hex') } }),
  refused('the hash in upper-case hex', { claims: { sha256: hash(BODY, 'hex').toUpperCase() } }),
  refused('the hash in base64', { claims: { sha256: hash(BODY, 'base64') } }),
  refused('no hash', { claims: { sha256: undefined } }),
  refused('another issuer', { claims: { iss: 'Netlify' } }),
  refused('no issuer', { claims: { iss: undefined } }),
  refused('no algorithm at all', { alg: 'none' }),
  refused('a critical extension', { header: { crit: ['b64'], b64: true } }),
  ...brokenTokens(token()).map(([name, broken]) => given(name, broken, BODY, unauthorized)),
  given('no token header', undefined, BODY, missing),
  given('an empty token header', '', BODY, missing),
  given('the token header twice', token(), BODY, unauthorized, { extra: [['X-Webhook-Signature', token()]] }),
]

export default [
  {
    scheme: 'netlify',
    source: 'Netlify\u2019s documentation of deploy notifications, payload signature',
    now: NOW,
    options: { secrets: bothOf(keys) },
    cases,
    notApplicable: {
      'stale and future time': 'The token has no time.',
      'a list of signatures': 'The header holds one token.',
    },
  },
]
