import { NO_TIME, NOW } from '../common.mjs'
import { secretsOf } from '../keys.mjs'
import { hmac } from '../sign.mjs'

const keys = secretsOf('pandadoc')
const BODY =
  '[{"event": "document_state_changed", "data": {"id": "msFYActMfJHqNTKH8YSvF1", "status": "document.draft"}}]'
const ID = '0f0b1d5e-7f6a-4b1c-9c55-5d0f5d2b7a10'
const mismatch = { ok: false, status: 401, reason: 'signature_mismatch' }
const missing = { ok: false, status: 401, reason: 'auth_missing' }
const notJson = { ok: false, status: 400, reason: 'body_not_json' }

const honest = (signature) => `?signature=${signature}`

function delivery({ secret = keys.new, body = BODY, sentBody = body, hash = 'sha256', query = honest } = {}) {
  const raw = hmac(hash, secret, [body])
  return {
    requestUrl: `https://receiver.example/hooks/pandadoc${query(raw.toString('hex'), raw)}`,
    delivery: {
      method: 'POST',
      headers: [
        ['Content-Type', 'application/json'],
        ['X-PandaDoc-Webhook-Event-Id', ID],
      ],
      body: Buffer.from(sentBody),
    },
  }
}

const given = (name, how, expect, more) => ({ name, ...delivery(how), expect, ...more })
const other = (name, body, expect = { ok: true }) => given(name, { body }, expect, { otherBody: true })
const asked = (name, query, expect = mismatch) => given(name, { query }, expect)

const cases = () => [
  given('a delivery as the sender makes it', {}, { ok: true }),
  given('signed with the second secret of a rotation', { secret: keys.old }, { ok: true, secretId: 'old' }),
  given('signed with another account\u2019s secret', { secret: keys.foreign }, mismatch),
  given('one byte of the body changed', { sentBody: BODY.replace('draft', 'sent') }, mismatch),
  given('a space after the body', { sentBody: `${BODY} ` }, mismatch),
  given('the body parsed and serialized again', { sentBody: JSON.stringify(JSON.parse(BODY)) }, mismatch),
  other(
    'a body with characters outside ASCII',
    '[{"event": "quote_updated", "note": "Gr\u00fc\u00dfe, \u6f22, \ud83d\ude80"}]',
  ),
  other('an empty list', '[]'),
  other('a body that is not JSON, correctly signed', '[{"event": ', notJson),
  given('signed with sha1 instead', { hash: 'sha1' }, mismatch),
  asked('behind a parameter of your own', (hex) => `?tenant=7&signature=${hex}`, { ok: true }),
  asked('no signature', () => '', missing),
  asked('an empty signature', () => '?signature=', missing),
  asked('the signature under another name', (hex) => `?Signature=${hex}`, missing),
  asked('the signature twice', (hex) => `?signature=${hex}&signature=${hex}`),
  asked('a wrong signature, then the right one', (hex) => `?signature=${'0'.repeat(64)}&signature=${hex}`),
  asked('a second signature whose name is encoded', (hex) => `?signature=${hex}&%73ignature=0`),
  asked('the signature in upper-case hex', (hex) => `?signature=${hex.toUpperCase()}`),
  asked('the signature in base64', (_, raw) => `?signature=${encodeURIComponent(raw.toString('base64'))}`),
  asked('a truncated signature', (hex) => `?signature=${hex.slice(0, -1)}`),
  asked('a lengthened signature', (hex) => `?signature=${hex}00`),
  asked('a signature of zeros', () => `?signature=${'0'.repeat(64)}`),
  asked('a blank after the signature', (hex) => `?signature=${hex}+`),
  asked('a URL over 8,192 characters', (hex) => `?pad=${'a'.repeat(8192)}&signature=${hex}`),
]

export default [
  {
    scheme: 'pandadoc',
    source: 'PandaDoc\u2019s documentation of webhook verification',
    now: NOW,
    keys,
    id: { header: 'X-PandaDoc-Webhook-Event-Id', value: ID },
    expect: { type: 'document_state_changed' },
    cases,
    notApplicable: {
      'stale and future time': NO_TIME,
      'a list of signatures': 'The query holds one signature.',
    },
  },
]
