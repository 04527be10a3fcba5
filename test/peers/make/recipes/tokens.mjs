import { NO_TIME, NOW } from '../common.mjs'
import { doubled, replaced, without } from '../deliver.mjs'
import { secretsOf } from '../keys.mjs'

const mismatch = { ok: false, status: 401, reason: 'signature_mismatch' }
const missing = { ok: false, status: 401, reason: 'auth_missing' }
const NOTHING = {
  'tampered body': 'The sender sends a token and signs nothing.',
  'stale and future time': NO_TIME,
}

/** The secret itself stands in a header. */
const token = (scheme, header, rest) => ({
  scheme,
  now: NOW,
  keys: secretsOf(scheme),
  signature: { header, encoding: 'utf8', sign: ({ secret }) => Buffer.from(secret) },
  cases: (recipe) => tokenCases(recipe).filter(({ name }) => !rest.without?.includes(name)),
  ...rest,
  notApplicable: NOTHING,
})

function tokenCases({ keys, signature: { header }, id, moreCases }) {
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
    value('the token in capitals', (all) => all.toUpperCase(), mismatch),
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
      expect: { ok: false, status: 400, reason: 'body_not_json' },
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

export default [
  token('gitlab', 'X-Gitlab-Token', {
    source: 'GitLab\u2019s documentation of webhooks',
    id: { header: 'Idempotency-Key', value: 'f5e5f430-f57b-4e6e-9fac-d9128cd7232f' },
    extra: [
      ['X-Gitlab-Event', 'Push Hook'],
      ['X-Gitlab-Webhook-UUID', '5ad2d2a1-1f0c-4b36-8b0c-0d6c1b5c9a10'],
    ],
    typeInHeader: true,
    body: '{"object_kind": "push", "ref": "refs/heads/main"}',
    expect: { type: 'Push Hook' },
  }),
  token('telegram', 'X-Telegram-Bot-Api-Secret-Token', {
    source: 'Telegram\u2019s documentation of setWebhook',
    body: '{"update_id": 874652109, "message": {"message_id": 1, "text": "hello"}}',
    expect: { id: '874652109' },
  }),
  token('okta', 'Authorization', {
    source: 'Okta\u2019s documentation of event hooks',
    body: '{"eventType": "com.okta.event_hook", "eventId": "b5a188b9-5ece-4636-b041-482ffda96311", "eventTime": "2025-11-20T11:59:59.000Z", "data": {"events": []}}',
    expect: { id: 'b5a188b9-5ece-4636-b041-482ffda96311', type: 'com.okta.event_hook' },
  }),
  postmark(),
]

/** `Authorization: Basic`, with the user and the password that stand in the configured URL. */
function postmark() {
  const keys = secretsOf('postmark', (bytes) => `hookgate:${bytes.toString('hex').slice(0, 24)}:with a colon`)
  const basic = (pair) => `Basic ${Buffer.from(pair).toString('base64')}`
  const given = (name, value, expect) => ({ name, change: { value: () => value }, expect })
  return {
    ...token('postmark', 'Authorization', {
      source: 'Postmark\u2019s documentation of webhooks and Basic authentication',
      body: '{"RecordType": "Delivery", "MessageID": "883953f4-6105-42a2-a16a-77a8eac79483", "Recipient": "john@example.com"}',
      expect: { type: 'Delivery' },
      without: [
        'the token in capitals',
        'the token in base64',
        'the token as a bearer token',
        'both tokens in one header',
      ],
      moreCases: () => [
        given('the user alone', basic('hookgate:'), mismatch),
        given('the pair without the scheme', Buffer.from(keys.new).toString('base64'), mismatch),
        given('the pair as it is, without base64', `Basic ${keys.new}`, mismatch),
        given('another user', basic(keys.new.replace('hookgate', 'somebody')), mismatch),
        given('the pair under another scheme', basic(keys.new).replace('Basic', 'Bearer'), mismatch),
        given('the scheme in small letters, as RFC 9110 allows', basic(keys.new).replace('Basic', 'basic'), {
          ok: true,
        }),
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
