import { NOW } from '../common.mjs'
import { bothOf, secretsOf } from '../keys.mjs'
import { hmac } from '../sign.mjs'

const keys = secretsOf('hygraph')
const BODY =
  '{"operation": "publish", "data": {"__typename": "Post", "id": "cl1", "stage": "PUBLISHED", "title": "Gr\u00fc\u00dfe \\"\\u00e9\\" </p>"}}'
const mismatch = { ok: false, status: 401, reason: 'signature_mismatch' }
const missing = { ok: false, status: 401, reason: 'auth_missing' }
const notJson = { ok: false, status: 400, reason: 'body_not_json' }

function delivery({
  secret = keys.new,
  time = `${NOW}000`,
  environment = 'master',
  body = BODY,
  sentBody = body,
  hash = 'sha256',
  value = (sign, env, t) => `sign=${sign}, env=${env}, t=${t}`,
  repeated = false,
} = {}) {
  const text = JSON.stringify({
    Body: body.toString(),
    EnvironmentName: environment,
    TimeStamp: Number(time),
  })
  const raw = hmac(hash, secret, [text])
  const signature = value(raw.toString('base64'), environment, time, raw)
  const header = signature === undefined ? [] : [['gcms-signature', signature]]
  return {
    delivery: {
      method: 'POST',
      headers: [['Content-Type', 'application/json'], ...header, ...(repeated ? header : [])],
      body: Buffer.from(sentBody),
    },
  }
}

const given = (name, how, expect, more) => ({ name, ...delivery(how), expect, ...more })
const refused = (name, how, more) => given(name, how, mismatch, more)
const other = (name, body, expect = { ok: true }, more = {}) =>
  given(name, { body }, expect, { otherBody: true, ...more })
const UNPARSED = 'The SDK checks only the signature, not the body.'
const PARSED = 'The SDK signs the parsed number, not the received text.'

const cases = () => [
  given('a delivery as the sender makes it', {}, { ok: true }),
  given('signed with the second secret of a rotation', { secret: keys.old }, { ok: true, secretId: 'old' }),
  refused('signed with another account\u2019s secret', { secret: keys.foreign }),
  given(
    'another environment',
    { environment: 'my, "staging"' },
    { ok: true },
    {
      strict: 'The SDK splits the header at each comma. No environment has one in its name.',
    },
  ),
  given(
    'a day old: the sender documents no tolerance',
    { time: `${NOW - 86_400}000` },
    { ok: true },
    {
      sentAt: NOW - 86_400,
    },
  ),
  refused('one byte of the body changed', { sentBody: BODY.replace('Post', 'Pose') }),
  refused('a space after the body', { sentBody: `${BODY} ` }),
  refused('the body parsed and serialized again', { sentBody: JSON.stringify(JSON.parse(BODY)) }),
  other('a body with line separators, quotes and controls', '{"a": "\u2028 \\u0000 \\\\ \ud83d\ude80"}'),
  other('a body that is not JSON, correctly signed', '{"operation": ', notJson, { lax: UNPARSED }),
  refused('the environment changed after signing', { value: (s, _, t) => `sign=${s}, env=other, t=${t}` }),
  refused('the time changed after signing', {
    value: (s, e, t) => `sign=${s}, env=${e}, t=${Number(t) + 1}`,
  }),
  refused('junk after the time', { value: (s, e, t) => `sign=${s}, env=${e}, t=${t}abc` }, { lax: PARSED }),
  refused('no time', { value: (s, e) => `sign=${s}, env=${e}` }),
  refused('the items in another order', { value: (s, e, t) => `t=${t}, env=${e}, sign=${s}` }),
  refused(
    'the signature without its prefix',
    { value: (s, e, t) => `${s}, env=${e}, t=${t}` },
    {
      lax: 'The SDK accepts a signature without its prefix. The sender always writes the prefix.',
    },
  ),
  refused('the signature in hex instead of base64', {
    value: (_, e, t, raw) => `sign=${raw.toString('hex')}, env=${e}, t=${t}`,
  }),
  refused('the signature without its padding', {
    value: (s, e, t) => `sign=${s.slice(0, -1)}, env=${e}, t=${t}`,
  }),
  refused('a signature of zeros', {
    value: (_, e, t) => `sign=${Buffer.alloc(32).toString('base64')}, env=${e}, t=${t}`,
  }),
  refused('signed with sha1 instead', { hash: 'sha1' }),
  refused(
    'the signature header twice',
    { repeated: true },
    {
      lax: 'Node joins repeated headers, and the SDK reads the first three items.',
    },
  ),
  given('no signature header', { value: () => undefined }, missing),
  given('an empty signature header', { value: () => '' }, missing),
]

export default [
  {
    scheme: 'hygraph',
    sdk: '@hygraph/utils',
    now: NOW,
    keys,
    options: { secrets: bothOf(keys) },
    time: { unit: 'milliseconds', of: 'attempt' },
    expect: { type: 'publish' },
    cases,
    notApplicable: {
      'stale and future time': 'Hygraph documents no tolerance.',
      'a list of signatures': 'The header holds one signature.',
    },
  },
]
