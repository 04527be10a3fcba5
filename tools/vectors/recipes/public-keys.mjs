import { createPublicKey, sign as signBytes } from 'node:crypto'
import { NO_TIME, NOW } from '../common.mjs'
import { ed25519Of, rsaOf } from '../keys.mjs'
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
  withKeys('wise', rsaPair, (key) => key, {
    source: 'Wise\u2019s documentation of event handling, and its examples of digital signatures',
    id: { header: 'X-Delivery-Id', value: '7d2c0f7e-1c8b-4b0e-8f6f-0d6f2a0c9b11' },
    signature: {
      header: 'X-Signature-SHA256',
      encoding: 'base64',
      bytes: 256,
      sign: ({ secret, body }) => rsa('sha256', secret.privateKey, body),
      weaker: { hash: 'sha1', sign: ({ secret, body }) => rsa('sha1', secret.privateKey, body) },
    },
    body: '{"data": {"resource": {"id": 49983981, "type": "transfer"}, "current_state": "incoming_payment_waiting"}, "subscription_id": "90aa8e14-4ef1-4a56-861c-f3c9cde097ea", "event_type": "transfers#state-change", "schema_version": "2.0.0", "sent_at": "2025-11-20T11:59:59Z"}',
    expect: { type: 'transfers#state-change' },
    moreCases: wisePublished,
    notApplicable: { 'stale and future time': NO_TIME },
  }),
]

const rsa = (hash, privateKey, body) => signBytes(hash, Buffer.from(body), privateKey)

function rsaPair(seed) {
  const { privateKey } = rsaOf({ new: 'sender', old: 'old', foreign: 'foreign' }[seed.split('/')[1]])
  const publicKey = createPublicKey(privateKey).export({ format: 'pem', type: 'spki' })
  return { privateKey, publicKey }
}

/** A delivery of the sandbox with its signature, as Wise publishes both. */
function wisePublished() {
  return [
    {
      name: 'a delivery of 2021 with the key of the sandbox, published by Wise',
      options: {
        publicKeys:
          'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAwpb91cEYuyJNQepZAVfPZIlPZfNUefH+n6w9SW3fykqKu938cR7WadQv87oF2VuT+fDt7kqeRziTmPSUhqPUys/V2Q1rlfJuXbE+Gga37t7zwd0egQ+KyOEHQOpcTwKmtZ81ieGHynAQzsn1We3jwt760MsCPJ7GMT141ByQM+yW1Bx+4SG3IGjXWyqOWrcXsxAvIXkpUD/jK/L958CgnZEgz0BSEh0QxYLITnW1lLokSx/dTianWPFEhMC9BgijempgNXHNfcVirg1lPSygz7KqoKUN0oHqWLr2U1A+7kqrl6O2nx3CKs1bj1hToT1+p4kcMoHXA7kA+VBLUpEsVwIDAQAB',
      },
      change: {
        body: '{"data":{"resource":{"id":49983981,"profile_id":16055450,"account_id":14124090,"type":"transfer"},"current_state":"incoming_payment_waiting","previous_state":null,"occurred_at":"2021-08-23T10:12:50Z"},"subscription_id":"90aa8e14-4ef1-4a56-861c-f3c9cde097ea","event_type":"transfers#state-change","schema_version":"2.0.0","sent_at":"2021-08-23T10:12:50Z"}',
        value: () =>
          'wKcKCYXAzxNgiu7xmoDm943NUni7Rz33QN8JkEA9dWSGebgndonabgSj18Y4C08OrwVmueGsED2s00M7DtJVcYKOS1i3G4TMVx+mgM3aL9djMBkQtiYNBFUd6wrPI7ZUNHv/TrlKSjTMc+6JFvUvJ7owY3z85e3I4jLRLJowMFvO8kvCJ60+1pY9wDwZvtZ//WS93LrwGjk9Dvwzpmu0w+P4J75tETT5qC3Uv0y5G2yO8SEoO3yNP/tg/BOli02niHb53vEOUWUb9bly6thnfMoXoiV/osoGxgF20R58RlvkAmezyyl1Sv542TfS2DpiwVnmjjjkCyXeSUcKookYLQ==',
      },
      expect: { ok: true },
      otherBody: true,
    },
  ]
}

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
