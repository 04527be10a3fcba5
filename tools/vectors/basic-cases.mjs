import { secretsOf } from './keys.mjs'
import { token } from './token-cases.mjs'

const mismatch = { ok: false, status: 401, reason: 'signature_mismatch' }
const basic = (pair) => `Basic ${Buffer.from(pair).toString('base64')}`
const given = (name, value, expect) => ({ name, change: { value: () => value }, expect })

/** `Authorization: Basic`, with a user and a password that has colons, and that is not ASCII if the row says so. */
export function basicToken(scheme, { password = 'with a colon', ...rest }) {
  const keys = secretsOf(scheme, (bytes) => `hookgate:${bytes.toString('hex').slice(0, 24)}:${password}`)
  return {
    ...token(scheme, 'Authorization', {
      ...rest,
      without: [
        'the token in upper case',
        'the token in base64',
        'the token as a bearer token',
        'both tokens in one header',
        ...(rest.without ?? []),
      ],
      moreCases: () => [
        given('the user alone', basic('hookgate:'), mismatch),
        given('the pair without the scheme', Buffer.from(keys.new).toString('base64'), mismatch),
        given('the pair as it is, without base64', `Basic ${keys.new}`, mismatch),
        given('another user', basic(keys.new.replace('hookgate', 'somebody')), mismatch),
        given('the pair under another scheme', basic(keys.new).replace('Basic', 'Bearer'), mismatch),
        given('the scheme in lower case, as RFC 9110 allows', basic(keys.new).replace('Basic', 'basic'), {
          ok: true,
        }),
        ...(rest.moreCases?.() ?? []),
      ],
    }),
    keys,
    signature: {
      header: 'Authorization',
      encoding: 'utf8',
      sign: ({ secret }) => Buffer.from(basic(secret)),
    },
  }
}
