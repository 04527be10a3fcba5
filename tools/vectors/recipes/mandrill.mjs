import { NO_TIME, NOW } from '../common.mjs'
import { bothOf, secretsOf } from '../keys.mjs'
import { hmac } from '../sign.mjs'

const URL = 'https://receiver.example/hooks/mandrill?tenant=7'
const keys = secretsOf('mandrill', (bytes) => bytes.toString('base64url').slice(0, 22))
const EVENTS =
  '[{"event":"send","ts":1763639999,"_id":"72cf50b4fb9b4d3a","msg":{"subject":"Gr\u00fc\u00dfe, \ud83d\ude80 & more","email":"a+b@example.com"}}]'
const mismatch = { ok: false, status: 401, reason: 'signature_mismatch' }
const missing = { ok: false, status: 401, reason: 'auth_missing' }

/** As PHP and Ruby write a form. */
const encoded = (text) => encodeURIComponent(text).replace(/%20/g, '+')
const form = (fields) => fields.map(([name, value]) => `${name}=${encoded(value)}`).join('&')

/** As Mailchimp documents it: the URL, and each field of the form, sorted by name. */
function delivery({
  secret = keys.new,
  url = URL,
  fields = [['mandrill_events', EVENTS]],
  sentBody = form(fields),
  hash = 'sha1',
  value = (base64) => base64,
  method = 'POST',
  twice = false,
} = {}) {
  const sorted = fields.toSorted(([a], [b]) => (a < b ? -1 : 1))
  const raw = hmac(hash, secret, [url, ...sorted.flat()])
  const signature = value(raw.toString('base64'), raw)
  const header = signature === undefined ? [] : [['X-Mandrill-Signature', signature]]
  return {
    delivery: {
      method,
      headers: [['Content-Type', 'application/x-www-form-urlencoded'], ...header, ...(twice ? header : [])],
      body: Buffer.from(sentBody),
    },
  }
}

const given = (name, how, expect, more) => ({ name, ...delivery(how), expect, ...more })
const refused = (name, how, more) => given(name, how, mismatch, more)
const bare = URL.split('?')[0]

const cases = () => [
  given('a delivery as the sender makes it', {}, { ok: true }),
  given('signed with the second secret of a rotation', { secret: keys.old }, { ok: true, secretId: 'old' }),
  refused('signed with another account\u2019s secret', { secret: keys.foreign }),
  given('no events', { fields: [['mandrill_events', '[]']] }, { ok: true }, { otherBody: true }),
  given(
    'the same form in other percent codes',
    { sentBody: form([['mandrill_events', EVENTS]]).replaceAll('%2C', ',') },
    { ok: true },
  ),
  refused('one byte changed', { sentBody: form([['mandrill_events', EVENTS.replace('send', 'open')]]) }),
  refused('a field added, correctly signed', {
    fields: [
      ['mandrill_events', EVENTS],
      ['z', '1'],
    ],
  }),
  refused('a field added after signing', { sentBody: `${form([['mandrill_events', EVENTS]])}&z=1` }),
  refused('another name of the field', { fields: [['mandrill_event', EVENTS]] }),
  refused('a byte moved from the value to the name', {
    sentBody: form([['mandrill_events[', EVENTS.slice(1)]]),
  }),
  refused('an empty form', { fields: [] }),
  given(
    'events that are not JSON, correctly signed',
    { fields: [['mandrill_events', '[']] },
    { ok: false, status: 400, reason: 'body_not_json' },
  ),
  refused('signed for another host', { url: URL.replace('receiver', 'other') }),
  refused('signed for another query', { url: URL.replace('7', '8') }),
  given('a query that is not in publicUrl, correctly signed', {}, mismatch, {
    options: { secrets: bothOf(keys), publicUrl: bare },
    requestUrl: URL,
  }),
  refused('the signature in hex', { value: (_, raw) => raw.toString('hex') }),
  refused('the signature in base64url', { value: (_, raw) => raw.toString('base64url') }),
  refused('the signature without its padding', { value: (base64) => base64.replace(/=+$/, '') }),
  refused('a signature of zeros', { value: () => Buffer.alloc(20).toString('base64') }),
  refused('signed with sha256 instead', { hash: 'sha256' }),
  refused('the signature header twice', { twice: true }),
  given('no signature header', { value: () => undefined }, missing),
  given('an empty signature header', { value: () => '' }, missing),
  given('the method GET', { method: 'GET' }, { ok: false, status: 405, reason: 'method_not_post' }),
]

export default [
  {
    scheme: 'mandrill',
    source: 'Mailchimp\u2019s documentation of authenticating webhook requests',
    now: NOW,
    keys,
    options: { secrets: bothOf(keys), publicUrl: URL },
    publicUrl: URL,
    cases,
    notApplicable: {
      'stale and future time': NO_TIME,
      'a list of signatures': 'The header holds one signature.',
    },
  },
]
