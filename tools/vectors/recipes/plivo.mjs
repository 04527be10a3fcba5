import { NO_TIME, NOW } from '../common.mjs'
import { bothOf, secretsOf } from '../keys.mjs'
import { hmac } from '../sign.mjs'

const URL = 'https://receiver.example/hooks/plivo?tenant=7&a=b'
const BARE = 'https://receiver.example/hooks/plivo'
const NONCE = '05429567804466091622'
const keys = secretsOf('plivo')
const FORM =
  'CallUUID=cfeae6bc&CallStatus=completed&Event=Hangup&Direction=inbound&From=15017122661&To=15558675310&BillRate=0.0065'
const mismatch = { ok: false, status: 401, reason: 'signature_mismatch' }
const missing = { ok: false, status: 401, reason: 'auth_missing' }

const sortedPairs = (text) =>
  [...new URLSearchParams(text)].sort(([a, b], [c, d]) => (a === c ? (b < d ? -1 : 1) : a < c ? -1 : 1))

/** As Plivo\u2019s documentation has it: the URL with its sorted query, the sorted fields, and the nonce. */
function signedText(url, form, nonce) {
  const [base, query = ''] = url.split('?')
  const parameters = sortedPairs(query).map((pair) => pair.join('='))
  const fields = sortedPairs(form).flat().join('')
  const mark = parameters.length > 0 || fields !== '' ? '?' : ''
  const end = parameters.length > 0 && fields !== '' ? '.' : ''
  return `${base}${mark}${parameters.join('&')}${end}${fields}.${nonce}`
}

function delivery({
  secret = keys.new,
  url = URL,
  body = FORM,
  sentBody = body,
  nonce = NONCE,
  sentNonce = nonce,
  hash = 'sha256',
  header = 'X-Plivo-Signature-V3',
  value = (base64) => base64,
  method = 'POST',
} = {}) {
  const raw = hmac(hash, secret, [signedText(url, body, nonce)])
  const signature = value(raw.toString('base64'), raw)
  return {
    delivery: {
      method,
      headers: [
        ['Content-Type', 'application/x-www-form-urlencoded'],
        ...(signature === undefined ? [] : [[header, signature]]),
        ...(sentNonce === null ? [] : [['X-Plivo-Signature-V3-Nonce', sentNonce]]),
      ],
      body: Buffer.from(sentBody),
    },
  }
}

const given = (name, how, expect, more) => ({ name, ...delivery(how), expect, ...more })
const refused = (name, how, more) => given(name, how, mismatch, more)
const form = (name, body) => given(name, { body }, { ok: true }, { otherBody: true })
const sent = (name, sentBody, expect = mismatch, more = {}) => given(name, { sentBody }, expect, more)
const bare = { secrets: bothOf(keys), publicUrl: BARE }
const wrong = Buffer.alloc(32, 7).toString('base64')

const cases = () => [
  given('a delivery as the sender makes it', {}, { ok: true }),
  given('signed with the second secret of a rotation', { secret: keys.old }, { ok: true, secretId: 'old' }),
  refused('signed with another account\u2019s secret', { secret: keys.foreign }),
  given('a URL without a query', { url: BARE }, { ok: true }, { options: bare }),
  refused('signed for another host', { url: URL.replace('receiver', 'other') }),
  refused('signed for another query', { url: URL.replace('tenant=7', 'tenant=8') }),
  given('a request with another query than publicUrl', { url: BARE }, mismatch, {
    options: bare,
    requestUrl: `${BARE}?a=1`,
  }),
  given('a query that is not in publicUrl, correctly signed', { url: `${BARE}?a=1` }, mismatch, {
    options: bare,
    requestUrl: `${BARE}?a=1`,
    lax: 'The SDK takes the URL from its caller. Without the query in publicUrl, the text does not show where it ends.',
  }),
  form('fields outside ASCII', 'Event=%C3%A4+%F0%9F%9A%80+%E6%BC%A2&From=x'),
  form('names in upper and lower case, sorted by code unit', 'b=1&B=2&a=3&A=4&_=5'),
  form('a field that comes twice', 'Digits=2&Digits=1&To=x'),
  form('a field with an empty value', 'Digits=&To=x'),
  form('no fields at all', ''),
  sent('the fields in another order, which the signature does not see', FORM.split('&').reverse().join('&'), {
    ok: true,
  }),
  sent('one value changed', FORM.replace('completed', 'failed')),
  sent('a field added', `${FORM}&Extra=1`),
  sent('a field taken away', FORM.replace('&Direction=inbound', '')),
  sent(
    'a letter moved from a name to its value, which the signature does not see',
    FORM.replace('From=1', 'Fro=m1'),
    { ok: true },
  ),
  refused('another nonce', { sentNonce: '1' }),
  refused(
    'no nonce',
    { sentNonce: null, nonce: 'undefined' },
    {
      lax: 'The SDK signs the text undefined, if its caller has no nonce.',
    },
  ),
  refused(
    'a nonce that begins within a value',
    {
      sentBody: 'BillRate=0',
      sentNonce: signedText('', FORM, NONCE).slice('?BillRate0.'.length),
    },
    { lax: 'The SDK takes any nonce. With a point in it, two forms have the same text.' },
  ),
  given('two signatures, the second right', { value: (base64) => `${wrong},${base64}` }, { ok: true }),
  given('two signatures, the first right', { value: (base64) => `${base64},${wrong}` }, { ok: true }),
  refused('two wrong signatures', { value: () => `${wrong},${wrong}` }),
  refused('the signature in hex', { value: (_, raw) => raw.toString('hex') }),
  refused('the signature in base64url', { value: (_, raw) => raw.toString('base64url') }),
  refused('the signature without its padding', { value: (base64) => base64.replace('=', '') }),
  refused('a signature of zeros', { value: () => Buffer.alloc(32).toString('base64') }),
  refused('signed with sha1 instead', { hash: 'sha1' }),
  given(
    'the signature of the main account',
    { header: 'X-Plivo-Signature-Ma-V3' },
    { ok: true },
    {
      strict: 'The SDK takes the signature from its caller, here from X-Plivo-Signature-V3.',
    },
  ),
  given('no signature header', { value: () => undefined }, missing),
  given('an empty signature header', { value: () => '' }, missing),
  given(
    'the method GET',
    { method: 'GET' },
    { ok: false, status: 405, reason: 'method_not_post' },
    {
      lax: 'The SDK verifies a GET by another text. We refuse it: that text could be that of a POST too.',
    },
  ),
]

export default [
  {
    scheme: 'plivo',
    sdk: 'plivo',
    now: NOW,
    keys,
    options: { secrets: bothOf(keys), publicUrl: URL },
    publicUrl: URL,
    expect: { type: 'Hangup' },
    cases,
    notApplicable: {
      'stale and future time': NO_TIME,
      'a body that does not parse': 'The signature is over the parsed fields.',
    },
  },
]
