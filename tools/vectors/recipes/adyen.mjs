import { covered, item, notification, signed } from '../adyen-item.mjs'
import { NO_TIME, NOW } from '../common.mjs'
import { secretsOf } from '../keys.mjs'
import { hmac } from '../sign.mjs'
import { otherSpellings } from '../spelling.mjs'

const keys = secretsOf('adyen', (bytes) => bytes.toString('hex').toUpperCase())
const mismatch = { ok: false, status: 401, reason: 'signature_mismatch' }
const unauthorized = { ok: false, status: 401 }

const given = (name, body, expect, more = {}) => ({
  name,
  delivery: {
    method: 'POST',
    headers: [['Content-Type', 'application/json']],
    body: Buffer.from(more.text ?? JSON.stringify(body)),
  },
  expect,
  otherBody: true,
  ...more,
})

const changed = (name, change, expect = mismatch) =>
  given(name, notification({ ...signed(item(), keys.new), ...change }), expect)
const respelt = (name) =>
  given(
    `the signature ${name}`,
    notification(
      signed(
        item(),
        keys.new,
        (raw) => otherSpellings(raw, 'base64').find(([each]) => each === name)?.[1] ?? '!',
      ),
    ),
    mismatch,
    {
      lax: 'The SDK decodes leniently. Senders use one spelling, so we accept no other.',
    },
  )

const second = item({
  pspReference: '8814073381342285',
  eventCode: 'CAPTURE',
  originalReference: '7914073381342284',
})

const several = { ok: false, status: 400, reason: 'body_malformed' }

const cases = () => [
  given('a delivery as the sender makes it', notification(signed(item(), keys.new)), { ok: true }),
  given('signed with the second secret of a rotation', notification(signed(item(), keys.old)), {
    ok: true,
    secretId: 'old',
  }),
  given('signed with another account\u2019s secret', notification(signed(item(), keys.foreign)), mismatch),
  given('two items, each signed', notification(signed(item(), keys.new), signed(second, keys.new)), several, {
    lax: 'The SDK checks one item at a time. Adyen sends one item a delivery as JSON.',
  }),
  given(
    'two items, the second with another account\u2019s secret',
    notification(signed(item(), keys.new), signed(second, keys.foreign)),
    mismatch,
  ),
  given(
    'two items, the second without a signature',
    notification(signed(item(), keys.new), second),
    unauthorized,
  ),
  given('no items', notification(), unauthorized, {
    lax: 'The obvious loop over the SDK\u2019s check accepts an empty list. We require at least one item.',
  }),
  changed('another amount', { amount: { currency: 'EUR', value: 1131 } }),
  changed('another currency', { amount: { currency: 'USD', value: 1130 } }),
  changed('another reference', { merchantReference: 'another' }),
  changed('another outcome', { success: 'false' }),
  changed('an original reference added', { originalReference: '1' }),
  changed('another reason, which nothing covers', { reason: 'another' }, { ok: true }),
  changed(
    'another event date, which nothing covers',
    { eventDate: '2020-01-01T00:00:00+00:00' },
    { ok: true },
  ),
  given(
    'values outside ASCII',
    notification(signed(item({ merchantReference: 'Gr\u00fc\u00dfe \ud83d\ude80' }), keys.new)),
    { ok: true },
  ),
  given(
    'a signature with the text of the key instead of its bytes',
    notification({
      ...item(),
      additionalData: { hmacSignature: hmac('sha256', keys.new, [covered(item())]).toString('base64') },
    }),
    mismatch,
  ),
  given(
    'an empty signature',
    notification({ ...item(), additionalData: { hmacSignature: '' } }),
    unauthorized,
  ),
  given('no signature', notification(item()), unauthorized),
  given(
    'a signature that is a list',
    notification({ ...item(), additionalData: { hmacSignature: ['a'] } }),
    unauthorized,
  ),
  ...[
    'in base64url',
    'without its padding',
    'with stray bits in the last character',
    'in hex instead of base64',
  ].map(respelt),
  given('an empty object', {}, unauthorized),
  given('items that are no list', { notificationItems: 1 }, unauthorized),
  given('a body that is not JSON', undefined, { ok: false }, { text: '{"live": ' }),
]

export default [
  {
    scheme: 'adyen',
    sdk: '@adyen/api-library',
    now: NOW,
    keys,
    cases,
    notApplicable: {
      'tampered body': 'The signature covers eight values of each item and nothing else.',
      'stale and future time': NO_TIME,
      'signature header': 'The signatures stand in the body.',
    },
  },
]
