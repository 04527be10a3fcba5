import { NOW } from '../common.mjs'
import { doubled, without } from '../deliver.mjs'
import { bothOf, secretsOf } from '../keys.mjs'
import { hmac } from '../sign.mjs'
import { withoutSignature } from '../signature-cases.mjs'

const keys = secretsOf('contentful')
const URL = 'https://receiver.example/hooks/contentful'
const BODY =
  '{"sys": {"type": "Entry", "id": "5KsDBWseXY6QegucYAoacS"}, "fields": {"title": {"en-US": "Gr\u00fc\u00dfe"}}}'
const mismatch = { ok: false, status: 401, reason: 'signature_mismatch' }

/** Method, path, signed headers and body, one per line. The list of signed headers is a signed header itself. */
function delivery({
  secret = keys.new,
  time = String(NOW * 1000),
  body = BODY,
  path = '/hooks/contentful',
  method = 'POST',
  signedNames,
  sent = {},
  write = (raw) => raw.toString('hex'),
  headers = (list) => list,
} = {}) {
  const own = {
    'content-type': 'application/vnd.contentful.management.v1+json',
    'x-contentful-topic': 'ContentManagement.Entry.publish',
  }
  const names = (
    signedNames ?? [...Object.keys(own), 'x-contentful-signed-headers', 'x-contentful-timestamp']
  ).sort()
  const all = { ...own, 'x-contentful-signed-headers': names.join(','), 'x-contentful-timestamp': time }
  const line = names.map((name) => `${name}:${all[name]}`).join(';')
  const raw = hmac('sha256', secret, [[method, path, line, body].join('\n')])
  const list = Object.entries({ ...all, 'x-contentful-signature': write(raw), ...sent.headers }).filter(
    ([, value]) => value !== undefined,
  )
  return { method: 'POST', headers: headers(list), body: Buffer.from(sent.body ?? body) }
}

const given = (name, how, expect, more = {}) => ({
  name,
  delivery: delivery(how),
  expect,
  otherBody: how?.body !== undefined,
  ...more,
})
const rightly = (name, body, expect = { ok: true }, more) => given(name, { body }, expect, more)
const refused = (name, how, more) => given(name, how, mismatch, more)
const at = (name, seconds, expect, more) =>
  given(name, { time: String(seconds * 1000) }, expect, { sentAt: seconds, ...more })
const sentWith = (name, value) => ({ sent: { headers: { [name]: value } } })

const stale = { ok: false, status: 400, reason: 'timestamp_out_of_range' }
const missing = { ok: false, status: 400, reason: 'header_missing' }
const AGE =
  'The SDK limits only the age. We also limit times in the future, which would keep a delivery valid for longer.'
const UNPARSED =
  'The SDK checks only the signature, not the body. We parse the body, and refuse anything but JSON.'
const SIGNATURE = 'x-contentful-signature'

const cases = () => [
  given('a delivery as the sender makes it', {}, { ok: true }),
  given('signed with the second secret of a rotation', { secret: keys.old }, { ok: true, secretId: 'old' }),
  refused('signed with another account\u2019s secret', { secret: keys.foreign }),
  refused('one byte of the body changed', { sent: { body: BODY.replace('Entry', 'Entrz') } }),
  refused('a space after the body', { sent: { body: `${BODY} ` } }),
  rightly('an empty object', '{}'),
  rightly('a body with CRLF line ends', '{\r\n  "note": 1\r\n}'),
  rightly(
    'a body that is not JSON, correctly signed',
    '{"note": ',
    { ok: false, status: 400, reason: 'body_not_json' },
    { lax: UNPARSED },
  ),
  refused('a signed header changed', sentWith('x-contentful-topic', 'ContentManagement.Entry.unpublish')),
  refused('a signed header taken away', sentWith('x-contentful-topic', undefined)),
  refused(
    'the list of signed headers shortened',
    sentWith('x-contentful-signed-headers', 'x-contentful-signed-headers,x-contentful-timestamp'),
  ),
  refused('the time changed after signing', sentWith('x-contentful-timestamp', String(NOW * 1000 - 1))),
  refused(
    'a list that leaves the time out, correctly signed',
    { signedNames: ['content-type', 'x-contentful-signed-headers'] },
    { lax: 'The SDK does not ask which headers are signed. A time that is not signed proves nothing.' },
  ),
  refused('signed for another path', { path: '/hooks/other' }),
  refused('signed for another method', { method: 'PUT' }),
  at('signed 29 s ago', NOW - 29, { ok: true }),
  at('a day old', NOW - 86_400, stale),
  at('a day ahead', NOW + 86_400, stale, { lax: AGE }),
  refused('a truncated signature', { write: (raw) => raw.toString('hex').slice(0, -1) }),
  refused('a lengthened signature', { write: (raw) => `${raw.toString('hex')}00` }),
  refused('the signature in upper-case hex', { write: (raw) => raw.toString('hex').toUpperCase() }),
  refused('the signature in base64', { write: (raw) => raw.toString('base64') }),
  refused('a signature of zeros', { write: (raw) => '0'.repeat(raw.length * 2) }),
  ...withoutSignature(SIGNATURE).map(({ name, change, expect }) => given(name, change, expect)),
  given('the signature header twice', { headers: doubled(SIGNATURE) }, mismatch),
  given('no timestamp header', { headers: without('x-contentful-timestamp') }, missing),
  given('no list of signed headers', { headers: without('x-contentful-signed-headers') }, { ok: false }),
]

export default [
  {
    scheme: 'contentful',
    sdk: '@contentful/node-apps-toolkit',
    now: NOW,
    keys,
    options: {
      secrets: bothOf(keys),
      publicUrl: URL,
    },
    time: { unit: 'milliseconds', of: 'attempt' },
    cases,
    notApplicable: { 'a list of signatures': 'The header holds one signature.' },
  },
]
