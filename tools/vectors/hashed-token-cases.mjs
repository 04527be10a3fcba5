import { createHash } from 'node:crypto'
import { NOW } from './common.mjs'
import { brokenTokens, tokenCase } from './jwt.mjs'

export const unauthorized = { ok: false, status: 401 }
const missing = { ok: false, status: 401, reason: 'auth_missing' }
export const hash = (body, spelling) => createHash('sha256').update(body).digest(spelling)

const LATE = 'The SDK allows ten seconds after `exp`. We allow none.'
const LENIENT = 'The SDK decodes leniently. Senders use one spelling, so we accept no other.'
const UNPARSED = 'The SDK does not check the body. We parse it.'

/** HS256 tokens that contain a hash of the body. `make` returns a token with some claims changed. */
export function hashedCases({ header, keys, make, claim, spelling, body, otherSpelling, takesAnyBody }) {
  const given = tokenCase(header)
  const refused = (name, how, more) => given(name, make(how), body, unauthorized, more)
  const rightly = (name, text, expect = { ok: true }, more = {}) =>
    given(name, make({ body: text }), text, expect, { otherBody: true, ...more })
  return [
    given('a delivery as the sender makes it', make(), body, { ok: true }),
    given('signed with the second secret of a rotation', make({ secret: keys.old }), body, {
      ok: true,
      secretId: 'old',
    }),
    refused('signed with another account\u2019s secret', { secret: keys.foreign }),
    given('one byte of the body changed', make(), body.replace('a', 'b'), unauthorized),
    given('a space after the body', make(), `${body} `, unauthorized),
    rightly(
      'a body with characters outside ASCII',
      '{ "note": "Gr\u00fc\u00dfe, \u6f22\u5b57, \ud83d\ude80" }',
    ),
    rightly('a body with CRLF line ends', '{\r\n  "note": 1\r\n}'),
    rightly('an empty object', '{}'),
    rightly(
      'a body that is not JSON, correctly signed',
      '{"note": ',
      takesAnyBody ? { ok: true } : { ok: false, status: 400, reason: 'body_not_json' },
      { lax: UNPARSED },
    ),
    refused('a token that expired a minute ago', { claims: { exp: NOW - 60 } }),
    refused('a token that expired a second ago', { claims: { exp: NOW - 1 } }, { lax: LATE }),
    refused('a token that becomes valid in a minute', { claims: { nbf: NOW + 60 } }),
    refused(
      'a token without an expiry',
      { claims: { exp: undefined } },
      { lax: 'The SDK accepts a token that never expires.' },
    ),
    refused('the hash of another body', { claims: { [claim]: hash('{}', spelling) } }),
    refused(`the hash in ${otherSpelling}`, { claims: { [claim]: hash(body, otherSpelling) } }),
    refused('no hash', { claims: { [claim]: undefined } }),
    refused('another issuer', { claims: { iss: 'somebody' } }),
    refused('no issuer', { claims: { iss: undefined } }),
    refused('no algorithm at all', { alg: 'none' }),
    ...brokenTokens(make()).map(([name, broken]) =>
      given(name, broken, body, unauthorized, { lax: LENIENT }),
    ),
    given('no token header', undefined, body, missing),
    given('an empty token header', '', body, missing),
    given('the token header twice', make(), body, unauthorized, { extra: [[header, make()]] }),
  ]
}
