import { NO_TIME, NOW } from '../common.mjs'
import { graphTokenCases, MICROSOFT_KEYS } from '../graph-token-cases.mjs'
import { secretsOf } from '../keys.mjs'

const keys = secretsOf('graph')
const unauthorized = { ok: false, status: 401 }

const notification = (clientState, more = {}) => ({
  subscriptionId: '7f105c7d-2dc5-4530-97cd-4e7ae6534c07',
  clientState,
  changeType: 'updated',
  resource: 'Users/x/Messages/y',
  ...more,
})

const given = (name, value, expect, text) => ({
  name,
  delivery: {
    method: 'POST',
    headers: [['Content-Type', 'application/json']],
    body: Buffer.from(text ?? JSON.stringify({ value })),
  },
  expect,
  otherBody: true,
})

const cases = () => [
  given('a delivery as the sender makes it', [notification(keys.new)], { ok: true }),
  given('the second secret of a rotation', [notification(keys.old)], { ok: true, secretId: 'old' }),
  given('another account\u2019s secret', [notification(keys.foreign)], unauthorized),
  given('two notifications, each with the secret', [notification(keys.new), notification(keys.new)], {
    ok: true,
  }),
  given(
    'two notifications, the second with another secret',
    [notification(keys.new), notification(keys.foreign)],
    unauthorized,
  ),
  given(
    'two notifications, the second without a secret',
    [notification(keys.new), notification(undefined)],
    unauthorized,
  ),
  given(
    'another resource, which nothing covers',
    [notification(keys.new, { resource: 'Users/z', note: 'Gr\u00fc\u00dfe' })],
    { ok: true },
  ),
  given('a truncated secret', [notification(keys.new.slice(0, -1))], unauthorized),
  given('a lengthened secret', [notification(`${keys.new}0`)], unauthorized),
  given('the secret in upper case', [notification(keys.new.toUpperCase())], unauthorized),
  given('a secret that is a list', [notification([keys.new])], unauthorized),
  given('an empty secret', [notification('')], unauthorized),
  given('no notifications', [], unauthorized),
  given('notifications that are no list', notification(keys.new), unauthorized),
  given('an empty object', undefined, unauthorized, '{}'),
  given('a top-level array', undefined, unauthorized, '[]'),
  given(
    'the secret beside the notifications',
    undefined,
    unauthorized,
    JSON.stringify({ clientState: keys.new, value: [] }),
  ),
  given('a body that is not JSON', undefined, { ok: false }, '{"value": '),
  ...graphTokenCases(given, (more) => notification(keys.new, more)),
]

export default [
  {
    scheme: 'graph',
    source: 'Microsoft Graph\u2019s documentation of change notifications, with and without resource data',
    now: NOW,
    keys,
    fetches: MICROSOFT_KEYS,
    cases,
    notApplicable: {
      'tampered body': 'The sender repeats a secret in each notification and signs nothing.',
      'stale and future time': NO_TIME,
      'signature header': 'The secret stands in the body.',
    },
  },
]
