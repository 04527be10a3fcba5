import { createPublicKey } from 'node:crypto'
import { NOW } from './common.mjs'
import { brokenTokens, jwt } from './jwt.mjs'
import { rsaOf } from './keys.mjs'

const [sender, foreign] = [rsaOf('sender'), rsaOf('foreign')]
const KID = 'a key of Microsoft'
const APP = '8e460676-ae3f-4b1e-8790-ee0fb5d6148f'
const TENANT = '84bd8158-6d4d-4958-8b9f-9d6445542f95'
const OTHER_TENANT = '46d9e3bd-6309-4177-a016-b256a411e30f'
const PUBLISHER = '0bf30f3b-4a52-48df-9a82-234910c4a086'
const unauthorized = { ok: false, status: 401 }
const missing = { ok: false, status: 401, reason: 'auth_missing' }

function token({ key = sender, alg = 'RS256', claims = {}, header = {} } = {}) {
  const all = {
    aud: APP,
    iss: `https://sts.windows.net/${TENANT}/`,
    iat: NOW - 10,
    nbf: NOW - 10,
    exp: NOW + 29_090,
    appid: PUBLISHER,
    tid: TENANT,
    ver: '1.0',
  }
  return jwt({ alg, key: key.privateKey, claims: { ...all, ...claims }, header: { kid: KID, ...header } })
}

const v2 = (claims = {}) => ({
  iss: `https://login.microsoftonline.com/${TENANT}/v2.0`,
  appid: undefined,
  azp: PUBLISHER,
  ver: '2.0',
  ...claims,
})

/** The keys, as their host gives them: without `alg`. */
export const MICROSOFT_KEYS = {
  'https://login.microsoftonline.com/common/discovery/v2.0/keys': {
    status: 200,
    body: {
      keys: [{ ...createPublicKey(sender.privateKey).export({ format: 'jwk' }), kid: KID, use: 'sig' }],
    },
  },
}

/** Rich notifications, for a receiver that checks their tokens. `notification` makes one with the secret. */
export function graphTokenCases(given, notification) {
  const options = { appIds: [APP], tenantIds: [TENANT, OTHER_TENANT] }
  const basic = notification({ tenantId: TENANT })
  const rich = notification({
    tenantId: TENANT,
    encryptedContent: { data: 'AA==', dataSignature: 'AA==', dataKey: 'AA==' },
  })
  const withTokens = (name, validationTokens, expect = unauthorized, value = [rich]) => ({
    ...given(name, undefined, expect, JSON.stringify({ value, validationTokens })),
    options,
  })
  const one = (name, how, expect) => withTokens(name, [token(how)], expect)
  const ofOther = token({ claims: { iss: `https://sts.windows.net/${OTHER_TENANT}/`, tid: OTHER_TENANT } })
  const unset = { ...withTokens('invalid tokens, which are not checked', ['no token'], { ok: true }) }
  return [
    { ...unset, options: undefined },
    one('a rich notification with its token', {}, { ok: true }),
    one('a token of version 2.0', { claims: v2() }, { ok: true }),
    withTokens('tokens of two tenants', [token(), ofOther], { ok: true }, [rich, rich]),
    withTokens('a basic notification without tokens', undefined, { ok: true }, [basic]),
    withTokens('a rich notification without tokens', undefined, missing),
    withTokens('a rich notification with an empty list of tokens', [], missing),
    withTokens('a rich one without tokens, behind a basic one', undefined, missing, [basic, rich]),
    withTokens('a token that is not in a list', token()),
    withTokens('an invalid second token', [token(), token({ key: foreign })]),
    withTokens('a basic notification with an invalid token', ['a.b.c'], unauthorized, [basic]),
    withTokens('a token, and another secret', [token()], unauthorized, [{ ...rich, clientState: 'another' }]),
    withTokens(
      'more than 50 tokens',
      Array.from({ length: 51 }, () => token()),
    ),
    one('a token for another app', { claims: { aud: PUBLISHER } }),
    one('a token of another tenant', { claims: { iss: `https://sts.windows.net/${APP}/`, tid: APP } }),
    one('a token of another issuer', { claims: { iss: `https://sts.windows.net.evil.example/${TENANT}/` } }),
    one('a token that another app asked for', { claims: { appid: APP } }),
    one('a token of version 2.0 that another app asked for', { claims: v2({ azp: APP }) }),
    one('a token without its publisher', { claims: { appid: undefined } }),
    one('a token that expired a second ago', { claims: { exp: NOW - 1 } }),
    one('a token without an expiry', { claims: { exp: undefined } }),
    one('a token that becomes valid in an hour', { claims: { nbf: NOW + 3600 } }),
    one('a token signed with a key that Microsoft does not have', { key: foreign }),
    one('a token with a key ID that Microsoft does not have', { header: { kid: 'another' } }),
    one('a token without an algorithm', { alg: 'none' }),
    ...brokenTokens(token()).map(([name, broken]) => withTokens(name, [broken])),
  ]
}
