import { createHash } from 'node:crypto'
import { NOW } from '../common.mjs'
import { brokenTokens, jwt, tokenCase } from '../jwt.mjs'
import { p256Of } from '../p256.mjs'

const [sender, foreign] = [p256Of('plaid'), p256Of('plaid/foreign')]
const KID = 'bfbd5111-8e33-4643-8ced-b2e642a72f3c'
const FOREIGN_KID = '6c5516e1-92dc-479e-a8ff-5a51992e0001'
const unauthorized = { ok: false, status: 401 }

const BODY = JSON.stringify(
  {
    webhook_type: 'ITEM',
    webhook_code: 'ERROR',
    item_id: 'eVBnVMp7zdTJLkRNr33Rs6zr7KNJqBFL9DrE6',
    note: 'Gr\u00fc\u00dfe',
  },
  null,
  2,
)
const sha256 = (body) => createHash('sha256').update(body).digest('hex')

const token = ({ iat = NOW, body = BODY, key = sender, alg = 'ES256', claims = {}, header = {} } = {}) =>
  jwt({
    alg,
    key: key.privateKey,
    claims: { iat, request_body_sha256: sha256(body), ...claims },
    header: { kid: KID, ...header },
  })

const given = tokenCase('Plaid-Verification')
const rightly = (name, body, expect = { ok: true }, more = {}) =>
  given(name, token({ body }), body, expect, { otherBody: true, ...more })
const refused = (name, how, more) => given(name, token(how), BODY, unauthorized, more)
const at = (name, iat, expect) => given(name, token({ iat }), BODY, expect, { sentAt: iat })

const publicText = JSON.stringify(sender.jwk)

const cases = () => [
  given('a delivery as the sender makes it', token(), BODY, { ok: true }),
  given('one byte of the body changed', token(), BODY.replace('ERROR', 'ERRPR'), unauthorized),
  given('the body parsed and serialized again', token(), JSON.stringify(JSON.parse(BODY)), unauthorized),
  rightly('a body with CRLF line ends', '{\r\n  "note": 1\r\n}'),
  rightly('an empty object', '{}'),
  rightly(
    'a body that is not JSON, correctly signed',
    '{"note": ',
    { ok: false, status: 400, reason: 'body_not_json' },
    { lax: 'Plaid\u2019s documented steps do not check the body.' },
  ),
  at('issued 300 s ago, the oldest that passes', NOW - 300, { ok: true }),
  at('issued 301 s ago', NOW - 301, { ok: false }),
  at('issued a day ago', NOW - 86_400, { ok: false }),
  at('issued a day ahead', NOW + 86_400, { ok: false }),
  refused('signed with a key that Plaid does not have', { key: foreign }),
  refused('a key ID that Plaid does not know', { key: foreign, header: { kid: FOREIGN_KID } }),
  refused('no key ID', { header: { kid: undefined } }),
  refused('the hash in upper-case hex', { claims: { request_body_sha256: sha256(BODY).toUpperCase() } }),
  refused('the hash in base64', {
    claims: { request_body_sha256: createHash('sha256').update(BODY).digest('base64') },
  }),
  refused('no hash', { claims: { request_body_sha256: undefined } }),
  refused('no time', { claims: { iat: undefined } }),
  refused('a time that is text', { claims: { iat: String(NOW) } }),
  given(
    'no algorithm at all',
    jwt({ alg: 'none', claims: { iat: NOW, request_body_sha256: sha256(BODY) }, header: { kid: KID } }),
    BODY,
    unauthorized,
  ),
  given(
    'an HMAC whose key is the public key',
    jwt({
      alg: 'HS256',
      key: publicText,
      claims: { iat: NOW, request_body_sha256: sha256(BODY) },
      header: { kid: KID },
    }),
    BODY,
    unauthorized,
  ),
  ...brokenTokens(token()).map(([name, broken]) => given(name, broken, BODY, unauthorized)),
  given('no token header', undefined, BODY, { ok: false, status: 401, reason: 'auth_missing' }),
  given('an empty token header', '', BODY, { ok: false, status: 401, reason: 'auth_missing' }),
  given('the token header twice', token(), BODY, unauthorized, { extra: [['Plaid-Verification', token()]] }),
]

export default [
  {
    scheme: 'plaid',
    sdk: 'jose',
    source:
      'Plaid\u2019s documentation of webhook verification, its steps taken with jose; its SDK has no verifier',
    now: NOW,
    options: {},
    fetches: {
      'https://production.plaid.com/webhook_verification_key/get': {
        [KID]: {
          status: 200,
          body: {
            key: {
              alg: 'ES256',
              kid: KID,
              use: 'sig',
              created_at: NOW - 1_000_000,
              expired_at: null,
              ...sender.jwk,
            },
            request_id: 'r',
          },
        },
        [FOREIGN_KID]: {
          status: 400,
          body: { error_type: 'INVALID_INPUT', error_code: 'INVALID_WEBHOOK_VERIFICATION_KEY_ID' },
        },
      },
    },
    time: { unit: 'seconds', of: 'attempt', tolerance: 300 },
    cases,
    notApplicable: {
      'rotated secret': 'The key is Plaid\u2019s; its ID changes with it.',
      'a list of signatures': 'The header holds one token.',
    },
  },
]
