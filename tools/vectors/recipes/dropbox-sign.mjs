import { NO_TIME, NOW } from '../common.mjs'
import { secretsOf } from '../keys.mjs'
import { hmac } from '../sign.mjs'

const unauthorized = { ok: false, status: 401 }
const mismatch = { ok: false, status: 401, reason: 'signature_mismatch' }
const IN_BODY = {
  'signature header': 'The signature stands in the body.',
  'a list of signatures': 'The body holds one signature.',
}

const signKeys = secretsOf('dropbox-sign')

/** The JSON is in a field of a multipart form. */
function multipart(text) {
  const boundary = '----sign'
  return {
    headers: [['Content-Type', `multipart/form-data; boundary=${boundary}`]],
    body: Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="json"\r\n\r\n${text}\r\n--${boundary}--\r\n`,
    ),
  }
}

function signEvent({ secret = signKeys.new, write = (raw) => raw.toString('hex'), change = {} } = {}) {
  const [event_time, event_type] = [String(NOW - 1), 'signature_request_signed']
  const event_hash = write(hmac('sha256', secret, [event_time, event_type]))
  return JSON.stringify({
    event: { event_time, event_type, event_hash, event_metadata: {}, ...change },
    signature_request: { title: 'Gr\u00fc\u00dfe' },
  })
}

const sign = (name, how, expect, text) => ({
  name,
  delivery: { method: 'POST', ...multipart(text ?? signEvent(how)) },
  expect,
  otherBody: true,
})

const dropboxSign = () => [
  sign('a delivery as the sender makes it', {}, { ok: true }),
  sign(
    'signed with the second secret of a rotation',
    { secret: signKeys.old },
    { ok: true, secretId: 'old' },
  ),
  sign('signed with another account\u2019s key', { secret: signKeys.foreign }, mismatch),
  sign('another time', { change: { event_time: String(NOW) } }, mismatch),
  sign('another type', { change: { event_type: 'signature_request_canceled' } }, mismatch),
  sign(
    'other metadata, which nothing covers',
    { change: { event_metadata: { related_signature_id: 'x' } } },
    { ok: true },
  ),
  sign('a truncated signature', { write: (raw) => raw.toString('hex').slice(0, -1) }, mismatch),
  sign('a lengthened signature', { write: (raw) => `${raw.toString('hex')}00` }, mismatch),
  sign('the signature in upper-case hex', { write: (raw) => raw.toString('hex').toUpperCase() }, mismatch),
  sign('the signature in base64', { write: (raw) => raw.toString('base64') }, mismatch),
  sign('an empty signature', { write: () => '' }, unauthorized),
  sign('no signature', { change: { event_hash: undefined } }, unauthorized),
  sign('a field that is not JSON', undefined, { ok: false }, '{"event": '),
]

export default [
  {
    scheme: 'dropbox-sign',
    source: 'Dropbox Sign\u2019s documentation of events; its SDK checks the parsed event only',
    now: NOW,
    keys: signKeys,
    cases: dropboxSign,
    notApplicable: {
      ...IN_BODY,
      'tampered body': 'The signature covers the time and the type of the event.',
      'stale and future time': NO_TIME,
    },
  },
]
