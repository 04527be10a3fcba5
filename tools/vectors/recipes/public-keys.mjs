import { NOW } from '../common.mjs'
import { ed25519Of } from '../keys.mjs'
import { p256Of } from '../p256.mjs'
import { ed25519, p256Der } from '../sign.mjs'

/** Three key pairs. `secret` holds the private key, because it signs. */
function withKeys(scheme, make, write, rest) {
  const pairs = Object.fromEntries(
    ['new', 'old', 'foreign'].map((which) => [which, make(`${scheme}/${which}`)]),
  )
  const listed = (which) => ({ id: which, secret: write(pairs[which].publicKey) })
  return {
    scheme,
    now: NOW,
    keys: pairs,
    options: { publicKeys: [listed('new'), listed('old')] },
    ...rest,
    notApplicable: { 'a list of signatures': 'The header holds one signature.', ...rest.notApplicable },
  }
}

const ed = (parts) => (signed) => ed25519(signed.secret.privateKey, parts(signed))

const hex = (key) => key.toString('hex')
const base64 = (key) => key.toString('base64')

export default [
  withKeys('discord', ed25519Of, hex, {
    sdk: 'discord-interactions',
    blind: true,
    time: { header: 'X-Signature-Timestamp', unit: 'seconds', of: 'attempt' },
    signature: {
      header: 'X-Signature-Ed25519',
      encoding: 'hex',
      bytes: 64,
      sign: ed(({ time, body }) => [time, body]),
    },
    body: '{"id": "846462639134605312", "application_id": "845027738276462632", "type": 2, "data": {"name": "hello"}}',
    expect: { id: '846462639134605312' },
  }),
  withKeys('telnyx', ed25519Of, base64, {
    sdk: 'telnyx',
    time: { header: 'Telnyx-Timestamp', unit: 'seconds', of: 'attempt', tolerance: 300 },
    signature: {
      header: 'Telnyx-Signature-Ed25519',
      encoding: 'base64',
      bytes: 64,
      sign: ed(({ time, body }) => [time, '|', body]),
    },
    body: '{"data": {"event_type": "message.received", "id": "0ccc7b54-4df3-4bca-a65a-3da1ecc777f0", "occurred_at": "2025-11-20T11:59:59.000Z", "payload": {}}}',
    expect: { id: '0ccc7b54-4df3-4bca-a65a-3da1ecc777f0', type: 'message.received' },
  }),
  withKeys('sendgrid', p256Of, base64, {
    sdk: '@sendgrid/eventwebhook',
    blind: true,
    time: { header: 'X-Twilio-Email-Event-Webhook-Timestamp', unit: 'seconds', of: 'attempt' },
    signature: {
      header: 'X-Twilio-Email-Event-Webhook-Signature',
      encoding: 'base64',
      bytes: 70,
      sign: ({ secret, time, body }) => p256Der(secret.privateKey, [time, body]),
    },
    body: '[{"email":"example@test.com","timestamp":1763639999,"event":"delivered","sg_event_id":"ZGVsaXZlcmVkLTA"}]\r\n',
    moreCases: derCases,
  }),
]

/** Other DER encodings of the same two numbers, and numbers that prove nothing. */
function derCases() {
  const mismatch = { ok: false, status: 401, reason: 'signature_mismatch' }
  const reader = 'The SDK parses DER leniently.'
  const der = (name, change, more) => ({
    name,
    change: { spelling: (raw) => change(raw).toString('base64') },
    expect: mismatch,
    ...more,
  })
  return [
    der('the signature as two numbers without DER', (raw) => rawNumbers(raw)),
    der(
      'a signature whose length is written in two bytes',
      (raw) => Buffer.concat([Buffer.of(0x30, 0x81), raw.subarray(1)]),
      { lax: reader },
    ),
    der('a signature whose numbers are zero', () => Buffer.from('3006020100020100', 'hex')),
    der('a signature without its second number', (raw) => raw.subarray(0, 4 + raw[3])),
  ]
}

/** r and s, 32 bytes each. */
function rawNumbers(der) {
  const r = der.subarray(4, 4 + der[3])
  const s = der.subarray(6 + der[3])
  const fixed = (number) => Buffer.concat([Buffer.alloc(32), number]).subarray(-32)
  return Buffer.concat([fixed(r), fixed(s)])
}
