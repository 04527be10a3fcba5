import { NOW } from '../common.mjs'
import { bothOf, secretsOf } from '../keys.mjs'
import { hmac } from '../sign.mjs'

const keys = secretsOf('mercado-pago')
const DATA_ID = '123456'
const REQUEST_ID = 'f7b2a1d4-0b1c-4ec2-aaaa-9e8b1d2f3c4d'
const bodyWith = (id) =>
  `{"id": 112233445566, "live_mode": true, "type": "payment", "date_created": "2025-11-20T11:59:59.000-03:00", "action": "payment.updated", "data": {"id": "${id}"}}`
const mismatch = { ok: false, status: 401, reason: 'signature_mismatch' }
const missing = { ok: false, status: 401, reason: 'auth_missing' }

function delivery({
  secret = keys.new,
  time = String(NOW),
  id = DATA_ID,
  signedId = id,
  requestId = REQUEST_ID,
  signedRequestId = requestId,
  body = bodyWith(id),
  hash = 'sha256',
  query = (each) => `?data.id=${each}&type=payment`,
  value = (hex, sent) => `ts=${sent},v1=${hex}`,
  more = [],
} = {}) {
  const pairs = [
    signedId && `id:${signedId};`,
    signedRequestId && `request-id:${signedRequestId};`,
    `ts:${time};`,
  ]
  const raw = hmac(hash, secret, [pairs.filter(Boolean).join('')])
  const signature = value(raw.toString('hex'), time)
  return {
    requestUrl: `https://receiver.example/hooks/mp${id === undefined ? '' : query(id)}`,
    delivery: {
      method: 'POST',
      headers: [
        ['Content-Type', 'application/json'],
        ...(signature === undefined ? [] : [['x-signature', signature]]),
        ...(requestId ? [['x-request-id', requestId]] : []),
        ...more,
      ],
      body: Buffer.from(body),
    },
  }
}

const given = (name, how, expect, more) => ({ name, ...delivery(how), expect, ...more })
const refused = (name, how, more) => given(name, how, mismatch, more)
const LAX = 'The SDK takes data.id from its caller, and leaves the request to it.'

const cases = () => [
  given('a delivery as the sender makes it', {}, { ok: true }),
  given('a time in milliseconds', { time: `${NOW}000` }, { ok: true }),
  given('signed with the second secret of a rotation', { secret: keys.old }, { ok: true, secretId: 'old' }),
  refused('signed with another account\u2019s secret', { secret: keys.foreign }),
  given('an ID in upper case, signed as it is', { id: 'ORD01JQ4S4KY8HWQ6NA5PXB65B3D3' }, { ok: true }),
  given(
    'an ID in upper case, signed in lower case',
    { id: 'ORD01JQ4S4KY8HWQ6NA5PXB65B3D3', signedId: 'ord01jq4s4ky8hwq6na5pxb65b3d3' },
    { ok: true },
    { strict: 'Mercado Pago documents the lower case, and its SDK keeps the case.' },
  ),
  given(
    'a member of the body changed, which nothing signs',
    { body: bodyWith(DATA_ID).replace('updated', 'created') },
    { ok: true },
  ),
  given(
    'a body whose data has no ID, as of a merchant order',
    {
      body: `{"action": "update", "data": {"status": "closed"}, "id": "${DATA_ID}", "type": "topic_merchant_order_wh"}`,
    },
    { ok: true },
    { otherBody: true },
  ),
  given(
    'no ID in the URL, and none signed',
    {
      id: undefined,
      body: '{"resource": "https://api.example/merchant_orders/1", "topic": "merchant_order"}',
    },
    { ok: true },
    { otherBody: true },
  ),
  refused('the ID in the body changed', { body: bodyWith('999') }, { lax: LAX }),
  refused('the ID in the URL changed', { signedId: '999' }),
  refused('the ID in the URL twice', { query: (id) => `?data.id=${id}&data.id=${id}` }, { lax: LAX }),
  refused('the ID taken out of the URL', { query: () => '?type=payment' }),
  refused('the request ID changed', { signedRequestId: 'another' }),
  given('no request ID, and none signed', { requestId: '' }, { ok: true }),
  refused('the request ID twice', { more: [['x-request-id', REQUEST_ID]] }, { lax: LAX }),
  refused(
    'a request ID with the separator of the signed parts',
    { requestId: `${REQUEST_ID};ts:1` },
    { lax: 'The SDK accepts it. An ID that contains the separator is ambiguous.' },
  ),
  refused('the time changed after signing', { value: (hex, time) => `ts=${Number(time) - 1},v1=${hex}` }),
  refused(
    'two times',
    { value: (hex, time) => `ts=1,ts=${time},v1=${hex}` },
    { lax: 'The SDK takes the last one.' },
  ),
  refused('no time', { value: (hex) => `v1=${hex}` }),
  refused('a time that is no number', { time: 'now' }),
  given('a blank behind the comma', { value: (hex, time) => `ts=${time}, v1=${hex}` }, { ok: true }),
  given('the signature before the time', { value: (hex, time) => `v1=${hex},ts=${time}` }, { ok: true }),
  refused('the signature under v2 only', { value: (hex, time) => `ts=${time},v2=${hex}` }),
  refused(
    'two signatures',
    { value: (hex, time) => `ts=${time},v1=${'0'.repeat(64)},v1=${hex}` },
    {
      lax: 'The SDK takes the last one.',
    },
  ),
  refused('the signature in upper-case hex', { value: (hex, time) => `ts=${time},v1=${hex.toUpperCase()}` }),
  refused('a truncated signature', { value: (hex, time) => `ts=${time},v1=${hex.slice(0, -1)}` }),
  refused('a signature of zeros', { value: (_, time) => `ts=${time},v1=${'0'.repeat(64)}` }),
  refused('signed with sha1 instead', { hash: 'sha1' }),
  given('no signature header', { value: () => undefined }, missing),
  given('an empty signature header', { value: () => '' }, missing),
  given(
    'a body that is not JSON, correctly signed',
    { body: '{"id": ' },
    { ok: false, status: 400, reason: 'body_not_json' },
    { lax: 'The SDK never sees the body. We parse it, and refuse anything but JSON.' },
  ),
]

export default [
  {
    scheme: 'mercado-pago',
    sdk: 'mercadopago',
    now: NOW,
    keys,
    options: { secrets: bothOf(keys) },
    time: { unit: 'seconds', of: 'attempt' },
    expect: { id: '112233445566', type: 'payment' },
    cases,
    notApplicable: {
      'stale and future time': 'Mercado Pago documents no tolerance.',
      'a list of signatures': 'The header holds one signature.',
      'a body that changed': 'The body is not signed.',
    },
  },
]
