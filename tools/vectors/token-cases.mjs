import { NO_TIME, NOW } from './common.mjs'
import { doubled, replaced, without } from './deliver.mjs'
import { secretsOf } from './keys.mjs'

const mismatch = { ok: false, status: 401, reason: 'signature_mismatch' }
const missing = { ok: false, status: 401, reason: 'auth_missing' }
const NOTHING = {
  'tampered body': 'The sender sends a token and signs nothing.',
  'stale and future time': NO_TIME,
}

/** The header contains the secret itself. */
export const token = (scheme, header, rest) => ({
  scheme,
  now: NOW,
  keys: secretsOf(scheme),
  signature: { header, encoding: 'utf8', sign: ({ secret }) => Buffer.from(secret) },
  cases: (recipe) => tokenCases(recipe).filter(({ name }) => !rest.without?.includes(name)),
  ...rest,
  notApplicable: NOTHING,
})

function tokenCases({ keys, signature: { header }, id, moreCases, notJson = 'body_not_json' }) {
  const value = (name, write, expect, more) => ({ name, change: { value: write }, expect, ...more })
  return [
    { name: 'a delivery as the sender makes it', expect: { ok: true } },
    {
      name: 'the second token of a rotation',
      change: { secret: keys.old },
      expect: { ok: true, secretId: 'old' },
    },
    { name: 'another account\u2019s token', change: { secret: keys.foreign }, expect: mismatch },
    value('a truncated token', (all) => all.slice(0, -1), mismatch),
    value('a lengthened token', (all) => `${all}0`, mismatch),
    value('the token in upper case', (all) => all.toUpperCase(), mismatch),
    value('the token in base64', (all) => Buffer.from(all).toString('base64'), mismatch),
    value('the token as a bearer token', (all) => `Bearer ${all}`, mismatch),
    value('both tokens in one header', () => `${keys.new},${keys.old}`, mismatch),
    { name: 'no token header', change: { headers: without(header) }, expect: missing },
    { name: 'an empty token header', change: { headers: replaced(header, '') }, expect: missing },
    { name: 'the token header twice', change: { headers: doubled(header) }, expect: mismatch },
    {
      name: 'another body under the token, which covers none',
      change: { body: '{ "note": "another" }' },
      expect: { ok: true },
      otherBody: true,
    },
    { name: 'an empty object', change: { body: '{}' }, expect: { ok: true }, otherBody: true },
    {
      name: 'a body that is not JSON',
      change: { body: '{"note": ' },
      expect: { ok: false, status: 400, reason: notJson },
    },
    {
      name: 'a body that is not JSON under a wrong token',
      change: { body: '{"note": ', secret: keys.foreign },
      expect: mismatch,
    },
    ...(id?.header
      ? [{ name: 'no ID header', change: { headers: without(id.header) }, id: null, expect: { ok: true } }]
      : []),
    ...(moreCases?.({ keys }) ?? []),
  ]
}
