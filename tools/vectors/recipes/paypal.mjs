import { sign as signBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { NOW } from '../common.mjs'
import { withChecksum } from '../crc.mjs'
import { doubled, without } from '../deliver.mjs'
import { rsaOf } from '../keys.mjs'
import { withoutSignature } from '../signature-cases.mjs'

const [sender, foreign] = [rsaOf('sender'), rsaOf('foreign')]
const CERTIFICATE = 'https://api.paypal.com/v1/notifications/certs/CERT-360caa42-fca2a594-1d93a270'
const WEBHOOK_ID = '1JE4291016473214C'
const TRANSMISSION = '69cd13f0-d67a-11e5-baa3-778b53f4ae55'
const BODY =
  '{"id": "WH-2WR32451HC0233532-67976317FL4543714", "event_type": "PAYMENT.SALE.COMPLETED", "resource": {"amount": {"total": "10.00"}}}'
const SIGNATURE = 'PayPal-Transmission-Sig'

const mismatch = { ok: false, status: 401, reason: 'signature_mismatch' }
const unauthorized = { ok: false, status: 401 }

function delivery({
  key = sender,
  body = BODY,
  sentBody = body,
  webhookId = WEBHOOK_ID,
  url = CERTIFICATE,
  algorithm = 'SHA256withRSA',
  hash = 'sha256',
  sent = {},
  write = (raw) => raw.toString('base64'),
  headers = (list) => list,
} = {}) {
  const time = '2025-11-20T12:00:00Z'
  const text = [TRANSMISSION, time, webhookId, crc32(body)].join('|')
  const list = [
    ['Content-Type', 'application/json'],
    ['PayPal-Transmission-Id', sent.id ?? TRANSMISSION],
    ['PayPal-Transmission-Time', sent.time ?? time],
    ['PayPal-Auth-Algo', algorithm],
    ['PayPal-Cert-Url', url],
    [SIGNATURE, write(signBytes(hash, Buffer.from(text), key.privateKey))],
  ]
  return { method: 'POST', headers: headers(list), body: Buffer.from(sentBody) }
}

const given = (name, how, expect, more) => ({
  name,
  delivery: delivery(how),
  expect,
  otherBody: how.body !== undefined || how.sentBody !== undefined,
  ...more,
})
const refused = (name, how, expect = mismatch) => given(name, how, expect)
/** Signed by an attacker whose certificate is at the URL. */
const elsewhere = (name, url) => refused(`a certificate ${name}`, { url, key: foreign }, unauthorized)

const sameChecksum = () =>
  withChecksum(crc32(BODY), (pad) =>
    BODY.replace('"10.00"', '"99999.00"').replace(/\}$/, `, "pad": "${pad}"}`),
  )

const cases = () => [
  given('a delivery as the sender makes it', {}, { ok: true }),
  given(
    'another body with the same checksum, which a CRC-32 does not tell apart',
    { sentBody: sameChecksum() },
    { ok: true },
  ),
  given(
    'a body with characters outside ASCII',
    { body: '{ "note": "Gr\u00fc\u00dfe, \u6f22\u5b57, \ud83d\ude80" }' },
    { ok: true },
  ),
  given('an empty object', { body: '{}' }, { ok: true }),
  given(
    'a body that is not JSON, correctly signed',
    { body: '{"note": ' },
    { ok: false, status: 400, reason: 'body_not_json' },
  ),
  refused('one byte of the body changed', { sentBody: BODY.replace('10.00', '11.00') }),
  refused('a space after the body', { sentBody: `${BODY} ` }),
  refused('another transmission ID', { sent: { id: '79cd13f0-d67a-11e5-baa3-778b53f4ae55' } }),
  refused('another transmission time', { sent: { time: '2025-11-20T12:00:01Z' } }),
  refused('signed for another webhook', { webhookId: '2JE4291016473214C' }),
  refused('signed with a key other than the certificate’s', { key: foreign }),
  refused('signed with SHA-1', { hash: 'sha1' }),
  refused('another algorithm in the header', { algorithm: 'SHA1withRSA', hash: 'sha1' }, unauthorized),
  refused('a truncated signature', { write: (raw) => raw.subarray(0, -1).toString('base64') }),
  refused('a lengthened signature', {
    write: (raw) => Buffer.concat([raw, Buffer.of(0)]).toString('base64'),
  }),
  refused('the signature in base64url', { write: (raw) => raw.toString('base64url') }),
  refused('the signature without its padding', { write: (raw) => raw.toString('base64').replace(/=+$/, '') }),
  refused('the signature in hex', { write: (raw) => raw.toString('hex') }),
  ...withoutSignature(SIGNATURE).map(({ name, change, expect }) => given(name, change, expect)),
  given('the signature header twice', { headers: doubled(SIGNATURE) }, mismatch),
  given('no certificate URL', { headers: without('PayPal-Cert-Url') }, { ok: false }),
  given('no transmission ID', { headers: without('PayPal-Transmission-Id') }, { ok: false }),
  elsewhere('of another host', 'https://evil.example/v1/notifications/certs/CERT-1'),
  elsewhere('of a host that ends like the right one', 'https://evilpaypal.com/v1/notifications/certs/CERT-1'),
  elsewhere(
    'of a host that begins like the right one',
    'https://api.paypal.com.evil.example/v1/notifications/certs/CERT-1',
  ),
  elsewhere(
    'of a host after a user name',
    'https://api.paypal.com@evil.example/v1/notifications/certs/CERT-1',
  ),
  elsewhere(
    'of another host, with ours in the query',
    'https://evil.example/?https://api.paypal.com/v1/notifications/certs/CERT-1',
  ),
  elsewhere('over plain http', 'http://api.paypal.com/v1/notifications/certs/CERT-1'),
  elsewhere('from another port', 'https://api.paypal.com:8443/v1/notifications/certs/CERT-1'),
]

export default [
  {
    scheme: 'paypal',
    source: 'PayPal\u2019s documentation of offline verification; its server SDK has no verifier',
    now: NOW,
    options: { webhookId: WEBHOOK_ID },
    fetches: {
      [CERTIFICATE]: { status: 200, body: sender.certificate },
      '*': { status: 200, body: foreign.certificate },
    },
    expect: { id: 'WH-2WR32451HC0233532-67976317FL4543714', type: 'PAYMENT.SALE.COMPLETED' },
    cases,
    notApplicable: {
      'stale and future time': 'PayPal documents no tolerance.',
      'rotated secret': 'The certificate is PayPal\u2019s; its URL changes with it.',
      'a list of signatures': 'The header holds one signature.',
    },
  },
]
