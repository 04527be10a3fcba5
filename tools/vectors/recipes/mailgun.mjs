import { NOW } from '../common.mjs'
import { secretsOf } from '../keys.mjs'
import { hmac } from '../sign.mjs'

const keys = secretsOf('mailgun')
const mismatch = { ok: false, status: 401, reason: 'signature_mismatch' }
const TOKEN = 'a8ce0edb2dd8301dee6c2405235584e45aa91d1e9f979f3de0'

/** The signature is in the body, and covers two values beside it. */
function signed({
  secret = keys.new,
  time = String(NOW),
  token = TOKEN,
  write = (raw) => raw.toString('hex'),
} = {}) {
  return { token, timestamp: time, signature: write(hmac('sha256', secret, [time, token])) }
}

const EVENT = {
  event: 'delivered',
  id: 'CPgfbmQMTCKtHW6uIWtuVe',
  timestamp: NOW - 2,
  recipient: 'alice@example.com',
}

const delivery = (signature, event = EVENT, text) => ({
  method: 'POST',
  headers: [['Content-Type', 'application/json']],
  body: Buffer.from(text ?? JSON.stringify({ signature, 'event-data': event }, null, 1)),
})

const given = (name, signature, expect, event, text) => ({
  name,
  delivery: delivery(signature, event, text),
  expect,
  otherBody: event !== undefined || text !== undefined,
})

const cases = () => [
  given('a delivery as the sender makes it', signed(), { ok: true }),
  given('signed with the second secret of a rotation', signed({ secret: keys.old }), {
    ok: true,
    secretId: 'old',
  }),
  given('signed with another account\u2019s secret', signed({ secret: keys.foreign }), mismatch),
  given(
    'another event under the signature, which does not cover it',
    signed(),
    { ok: true },
    { event: 'failed', note: 'Gr\u00fc\u00dfe \ud83d\ude80' },
  ),
  given('another token', { ...signed(), token: TOKEN.replace('a8', 'a9') }, mismatch),
  given('another time', { ...signed(), timestamp: String(NOW - 1) }, mismatch),
  given(
    'a letter moved from the time to the token',
    { ...signed(), timestamp: String(NOW).slice(0, -1), token: `0${TOKEN}` },
    {
      ok: false,
    },
  ),
  given('a truncated signature', signed({ write: (raw) => raw.toString('hex').slice(0, -1) }), mismatch),
  given('a lengthened signature', signed({ write: (raw) => `${raw.toString('hex')}00` }), mismatch),
  given(
    'the signature in upper-case hex',
    signed({ write: (raw) => raw.toString('hex').toUpperCase() }),
    mismatch,
  ),
  given('the signature in base64', signed({ write: (raw) => raw.toString('base64') }), mismatch),
  given('a signature of zeros', signed({ write: (raw) => '0'.repeat(raw.length * 2) }), mismatch),
  given('no signature', { token: TOKEN, timestamp: String(NOW) }, { ok: false, status: 401 }),
  given('an empty signature', { ...signed(), signature: '' }, { ok: false, status: 401 }),
  given(
    'a signature that is a list',
    { ...signed(), signature: [signed().signature] },
    { ok: false, status: 401 },
  ),
  given('a token that is a number', { ...signed(), token: 1 }, { ok: false, status: 401 }),
  given('no token', { ...signed(), token: undefined }, { ok: false, status: 401 }),
  given('a malformed time, correctly signed', signed({ time: `${NOW}abc` }), {
    ok: false,
    status: 400,
    reason: 'timestamp_malformed',
  }),
  given('no signature member', undefined, { ok: false, status: 401 }, EVENT),
  given('a top-level array', undefined, { ok: false, status: 401 }, EVENT, '[]'),
  given('an empty object', undefined, { ok: false, status: 401 }, EVENT, '{}'),
  given('a body that is not JSON', undefined, { ok: false }, EVENT, '{"signature": '),
]

export default [
  {
    scheme: 'mailgun',
    source: 'Mailgun\u2019s documentation of webhooks; its SDK has no verifier',
    now: NOW,
    keys,
    time: { unit: 'seconds', of: 'attempt' },
    body: '',
    expect: { type: 'delivered' },
    cases,
    notApplicable: {
      'tampered body': 'The signature covers the time and the token, not the event.',
      'stale and future time': 'Mailgun documents no tolerance, and not whether retries are signed anew.',
      'signature header': 'The signature stands in the body.',
      'a list of signatures': 'The body holds one signature.',
    },
  },
]
