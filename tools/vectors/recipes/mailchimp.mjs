import { NOW } from '../common.mjs'
import { bothOf, secretsOf } from '../keys.mjs'

const URL_ = 'https://receiver.example/hooks/mailchimp'
const keys = secretsOf('mailchimp', (bytes) => `${bytes.toString('base64').slice(0, 32)}&=`)
const BODY =
  'type=subscribe&fired_at=2025-11-20+11%3A59%3A59&data%5Bid%5D=8a25ff1d98&data%5Blist_id%5D=a6b5da1054&data%5Bemail%5D=api%40mailchimp.com'
const mismatch = { ok: false, status: 401, reason: 'signature_mismatch' }
const missing = { ok: false, status: 401, reason: 'auth_missing' }

const given = (name, query, expect, { body = BODY, method = 'POST', ...more } = {}) => ({
  name,
  requestUrl: `${URL_}${query}`,
  delivery: {
    method,
    headers: [['Content-Type', 'application/x-www-form-urlencoded']],
    body: Buffer.from(body),
  },
  expect,
  ...more,
})
const secret = (text) => `?secret=${encodeURIComponent(text)}`

const cases = () => [
  given('a delivery as the sender makes it', secret(keys.new), { ok: true }),
  given('the second token of a rotation', secret(keys.old), { ok: true, secretId: 'old' }),
  given('beside other parameters', `?list=1&secret=${encodeURIComponent(keys.new)}&a=b`, { ok: true }),
  given(
    'another body under the token, which covers none',
    secret(keys.new),
    { ok: true },
    {
      body: 'type=unsubscribe',
      otherBody: true,
    },
  ),
  given('another account\u2019s token', secret(keys.foreign), mismatch),
  given('a truncated token', secret(keys.new.slice(0, -1)), mismatch),
  given('a lengthened token', secret(`${keys.new}0`), mismatch),
  given('the token in upper case', secret(keys.new.toUpperCase()), mismatch),
  given('the token twice', `${secret(keys.new)}&secret=${encodeURIComponent(keys.new)}`, mismatch),
  given('another token before the right one', `?secret=a&secret=${encodeURIComponent(keys.new)}`, mismatch),
  given('the token under another name', secret(keys.new).replace('secret', 'key'), missing),
  given('an empty token', '?secret=', missing),
  given('no query', '', missing),
  given('a query of 8,193 characters', `?secret=${'a'.repeat(8193)}`, mismatch),
]

export default [
  {
    scheme: 'mailchimp',
    source: 'Mailchimp\u2019s guide of synchronizing audience data with webhooks',
    now: NOW,
    options: { secrets: bothOf(keys) },
    expect: { type: 'subscribe' },
    cases,
    notApplicable: {
      'tampered body': 'The sender sends a token and signs nothing.',
      'stale and future time': 'The sender signs no time.',
      'a list of signatures': 'The query holds one token.',
    },
  },
]
