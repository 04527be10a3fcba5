import { createHash } from 'node:crypto'
import { NOW } from '../common.mjs'
import { brokenTokens } from '../jwt.mjs'
import { certificateOf, pairOf, signWith } from '../x509.mjs'

const LEAF = '2a864886f76364060b01'
const INTERMEDIATE = '2a864886f76364060201'
const ROOT_NAME = 'Apple Root CA - G3'
const WWDR = 'Apple Worldwide Developer Relations Certification Authority'
const SIGNING = 'Prod ECC Mac App Store and iTunes Store Receipt Signing'

/** A root, an intermediate and a leaf, as Apple's. `change` replaces parts of them. */
function chain(who, change = {}) {
  const [root, intermediate] = ['root', 'intermediate'].map((each) =>
    pairOf(`app-store/${who}/${each}`, 'P-384'),
  )
  const leaf = pairOf(`app-store/${who}/leaf`, change.leafCurve ?? 'P-256')
  const rootCertificate = certificateOf({
    pair: root,
    subject: ROOT_NAME,
    issuer: root,
    issuerName: ROOT_NAME,
    isAuthority: true,
    ...change.root,
  })
  const intermediateCertificate = certificateOf({
    pair: intermediate,
    subject: WWDR,
    issuer: root,
    issuerName: ROOT_NAME,
    isAuthority: true,
    marks: [INTERMEDIATE],
    ...change.intermediate,
  })
  const leafCertificate = certificateOf({
    pair: leaf,
    subject: SIGNING,
    issuer: intermediate,
    issuerName: WWDR,
    marks: [LEAF],
    ...change.leaf,
  })
  return { leaf, x5c: [leafCertificate, intermediateCertificate, rootCertificate] }
}

const apple = chain('apple')
const stranger = chain('stranger')
const PEM = `-----BEGIN CERTIFICATE-----\n${apple.x5c[2].toString('base64').replace(/.{1,64}/g, '$&\n')}-----END CERTIFICATE-----\n`

const NOTIFICATION = {
  notificationType: 'DID_RENEW',
  subtype: 'BILLING_RECOVERY',
  notificationUUID: '002e14d5-51f5-4503-b5a8-c3a1af68eb20',
  data: {
    environment: 'Production',
    appAppleId: 1234567890,
    bundleId: 'com.example.app',
    bundleVersion: '7.1.0',
    signedTransactionInfo: 'a.signed.transaction',
    status: 1,
  },
  version: '2.0',
  signedDate: NOW * 1000 - 500,
}

const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url')

function jws({
  from = apple,
  notification = {},
  data = {},
  header = {},
  x5c = from.x5c,
  alg = 'ES256',
} = {}) {
  const payload = { ...NOTIFICATION, ...notification }
  if (payload.data) payload.data = { ...payload.data, ...data }
  const text = `${part({ alg, x5c: x5c.map((each) => each.toString('base64')), ...header })}.${part(payload)}`
  return `${text}.${signWith({ ...from.leaf }, Buffer.from(text)).toString('base64url')}`
}

const unauthorized = { ok: false, status: 401, reason: 'signature_mismatch' }
const given = (name, signedPayload, expect, more = {}) => ({
  name,
  delivery: {
    method: 'POST',
    headers: [['Content-Type', 'application/json']],
    body: Buffer.from(more.body ?? JSON.stringify({ signedPayload })),
  },
  expect,
  ...more,
})
const refused = (name, how, more) => given(name, jws(how), unauthorized, more)
const accepted = (name, how, more) => given(name, jws(how), { ok: true }, more)
const marked = (name, change, more) => refused(name, { from: chain('apple', change) }, more)

const SANDBOX = { environment: 'Sandbox', appAppleId: undefined }
const LAX = 'The SDK does not look at it.'
const right = jws()
const hmac = (key) => {
  const text = `${part({ alg: 'HS256', x5c: apple.x5c.map((each) => each.toString('base64')) })}.${part(NOTIFICATION)}`
  return `${text}.${createHash('sha256')
    .update(key + text)
    .digest('base64url')}`
}

const cases = () => [
  accepted('a delivery as the sender makes it'),
  accepted('a summary', {
    notification: {
      data: undefined,
      summary: {
        environment: 'Production',
        appAppleId: 1234567890,
        bundleId: 'com.example.app',
        requestIdentifier: 'r',
      },
    },
  }),
  accepted('an external purchase token', {
    notification: {
      data: undefined,
      externalPurchaseToken: {
        externalPurchaseId: 'b2158121',
        appAppleId: 1234567890,
        bundleId: 'com.example.app',
      },
    },
  }),
  accepted('app data', {
    notification: {
      data: undefined,
      appData: { environment: 'Production', appAppleId: 1234567890, bundleId: 'com.example.app' },
    },
  }),
  refused('an external purchase token of the sandbox', {
    notification: {
      data: undefined,
      externalPurchaseToken: {
        externalPurchaseId: 'SANDBOX_b2158121',
        appAppleId: 1234567890,
        bundleId: 'com.example.app',
      },
    },
  }),
  given(
    'a member beside signedPayload, which nothing signs',
    right,
    { ok: true },
    {
      body: JSON.stringify({ notificationType: 'REFUND', notificationUUID: 'another', signedPayload: right }),
    },
  ),
  refused('a notification for nobody', { notification: { data: undefined } }),
  refused('another bundle ID', { data: { bundleId: 'com.example.other' } }),
  refused('no bundle ID', { data: { bundleId: undefined } }),
  refused('another app', { data: { appAppleId: 1 } }),
  refused('the app as text', { data: { appAppleId: '1234567890' } }),
  refused('no app', { data: { appAppleId: undefined } }),
  refused('the sandbox', { data: SANDBOX }),
  refused('the environment Xcode', { data: { environment: 'Xcode' } }),
  given(
    'the sandbox, which is configured',
    jws({ data: SANDBOX }),
    { ok: true },
    {
      options: { rootCertificates: PEM, bundleId: 'com.example.app', environment: 'Sandbox' },
    },
  ),
  given('production, while the sandbox is configured', right, unauthorized, {
    options: { rootCertificates: PEM, bundleId: 'com.example.app', environment: 'Sandbox' },
  }),
  refused('another chain whose names are like Apple\u2019s', { from: stranger }),
  refused('another chain, with Apple\u2019s root in its place', {
    from: stranger,
    x5c: [stranger.x5c[0], stranger.x5c[1], apple.x5c[2]],
  }),
  refused('another leaf under Apple\u2019s intermediate', {
    from: stranger,
    x5c: [stranger.x5c[0], apple.x5c[1], apple.x5c[2]],
  }),
  refused('Apple\u2019s chain over another key\u2019s signature', { from: { ...stranger, x5c: apple.x5c } }),
  accepted('another third certificate, which is never trusted', {
    x5c: [apple.x5c[0], apple.x5c[1], stranger.x5c[2]],
  }),
  marked('a leaf without the mark of receipts', { leaf: { marks: [] } }),
  marked('a leaf with the mark of the intermediate', { leaf: { marks: [INTERMEDIATE] } }),
  marked('an intermediate without its mark', { intermediate: { marks: [] } }),
  marked('an intermediate that may not issue', { intermediate: { isAuthority: false } }),
  marked('a leaf that names another issuer', { leaf: { issuerName: 'somebody' } }),
  marked('an intermediate that names another issuer', { intermediate: { issuerName: 'somebody' } }),
  marked('a leaf of P-384', { leafCurve: 'P-384' }),
  marked('a leaf that had expired', { leaf: { until: '251120115859Z' } }),
  given(
    'a leaf that had expired, within a minute of clocks',
    jws({ from: chain('apple', { leaf: { until: '251120115900Z' } }) }),
    { ok: true },
  ),
  marked('a leaf that was not valid yet', { leaf: { from: '251120120101Z' } }),
  marked('an intermediate that had expired', { intermediate: { until: '251120115800Z' } }),
  given(
    'a leaf that has expired since the notification was signed',
    jws({
      from: chain('apple', { leaf: { until: '251115000000Z' } }),
      notification: { signedDate: Date.UTC(2025, 10, 14) },
    }),
    { ok: true },
    { sentAt: Date.UTC(2025, 10, 14) / 1000, otherBody: true, id: NOTIFICATION.notificationUUID },
  ),
  refused(
    'no time',
    { notification: { signedDate: undefined } },
    { lax: 'The SDK takes the current time instead.' },
  ),
  refused('a time that is no number', { notification: { signedDate: 'now' } }),
  refused('a chain of two', { x5c: apple.x5c.slice(0, 2) }),
  refused('a chain of four', { x5c: [...apple.x5c, apple.x5c[2]] }),
  refused('no chain', { header: { x5c: undefined } }),
  refused('a chain that is text', { header: { x5c: apple.x5c[0].toString('base64') } }),
  refused('a chain that begins with the intermediate', { x5c: [apple.x5c[1], apple.x5c[0], apple.x5c[2]] }),
  refused(
    'a certificate with a byte behind it',
    {
      x5c: [Buffer.concat([apple.x5c[0], Buffer.alloc(1)]), apple.x5c[1], apple.x5c[2]],
    },
    { lax: LAX },
  ),
  refused('no algorithm at all', { alg: 'none' }),
  given('an HMAC whose key is the certificate', hmac(apple.x5c[0].toString('base64')), unauthorized),
  refused('a critical extension', { header: { crit: ['x5c'] } }, { lax: LAX }),
  given('the payload changed under the signature', changed(right), unauthorized),
  ...brokenTokens(right).map(([name, broken]) =>
    given(name, broken, unauthorized, { lax: 'The SDK decodes leniently.' }),
  ),
  given('signedPayload twice, of which the last counts', right, unauthorized, {
    body: `{"signedPayload":"${right}","signedPayload":"a.b.c"}`,
  }),
  given('an empty signedPayload', '', { ok: false, status: 401, reason: 'auth_missing' }),
  given(
    'a notification of version 1',
    undefined,
    { ok: false, status: 401, reason: 'auth_missing' },
    {
      body: '{"notification_type":"DID_RENEW","password":"secret","environment":"PROD"}',
    },
  ),
  given(
    'a body that is not JSON',
    undefined,
    { ok: false, status: 401, reason: 'auth_missing' },
    { body: '{"signed' },
  ),
]

function changed(text) {
  const [header, , signature] = text.split('.')
  return `${header}.${part({ ...NOTIFICATION, notificationType: 'REFUND' })}.${signature}`
}

export default [
  {
    scheme: 'app-store',
    sdk: '@apple/app-store-server-library',
    now: NOW,
    options: {
      rootCertificates: PEM,
      bundleId: 'com.example.app',
      environment: 'Production',
      appAppleId: 1234567890,
    },
    time: { unit: 'milliseconds', of: 'event', member: '/signedDate' },
    expect: { id: NOTIFICATION.notificationUUID, type: 'DID_RENEW' },
    cases: () =>
      cases().map((each) =>
        each.expect.ok && each.sentAt === undefined ? { sentAt: NOW - 0.5, ...each } : each,
      ),
    notApplicable: {
      'rotated secret': 'The certificates are Apple\u2019s, and stand in the delivery.',
      'stale and future time': 'Apple documents no age: a retry may come a week later.',
      'a list of signatures': 'The body is one token.',
    },
  },
]
