import { NOW } from '../common.mjs'
import { CHINA, fetches, foreign, message, signed, TOPIC } from '../sns-message.mjs'

const mismatch = { ok: false, status: 401, reason: 'signature_mismatch' }

const given = (name, body, expect, more = {}) => ({
  name,
  delivery: {
    method: 'POST',
    headers: [
      ['Content-Type', 'text/plain; charset=UTF-8'],
      ['X-Amz-Sns-Message-Type', body?.Type ?? 'Notification'],
      ['X-Amz-Sns-Topic-Arn', TOPIC],
    ],
    body: Buffer.from(more.text ?? JSON.stringify(body, null, 2)),
  },
  expect,
  otherBody: body?.MessageId !== message().MessageId,
  sentAt: NOW - 1,
  ...more,
})

const changed = (name, change, more) => given(name, { ...signed(message()), ...change }, mismatch, more)
const respelt = (name, write, more) => {
  const right = signed(message())
  return given(`the signature ${name}`, { ...right, Signature: write(right.Signature) }, mismatch, {
    lax: 'The SDK decodes leniently. Senders use one spelling, so we accept no other.',
    ...more,
  })
}

/** Signed by an attacker whose certificate is at the URL. */
const elsewhere = (name, url) =>
  given(`a certificate ${name}`, signed(message({ SigningCertURL: url }), foreign), mismatch)

const certificateCases = () => [
  elsewhere('of another host', 'https://evil.example/sns.us-east-1.amazonaws.com.pem'),
  elsewhere(
    'of a host that begins like the right one',
    'https://sns.us-east-1.amazonaws.com.evil.example/x.pem',
  ),
  elsewhere('of a host that ends like the right one', 'https://evil-sns.us-east-1.amazonaws.com/x.pem'),
  elsewhere('of another service of the same cloud', 'https://s3.us-east-1.amazonaws.com/bucket/x.pem'),
  elsewhere('of a bucket that is named like the service', 'https://sns.s3.amazonaws.com/x.pem'),
  elsewhere('of a host after a user name', 'https://sns.us-east-1.amazonaws.com@evil.example/x.pem'),
  elsewhere('over plain http', 'http://sns.us-east-1.amazonaws.com/x.pem'),
  elsewhere('from another port', 'https://sns.us-east-1.amazonaws.com:8443/x.pem'),
  elsewhere('that is no .pem', 'https://sns.us-east-1.amazonaws.com/x.crt'),
  elsewhere('under a path with a fragment', 'https://evil.example/#.sns.us-east-1.amazonaws.com/x.pem'),
  elsewhere('in a file of this machine', 'file:///etc/ssl/x.pem'),
  elsewhere('at an address without a scheme', '//sns.us-east-1.amazonaws.com/x.pem'),
]

const cases = () => [
  given('a delivery as the sender makes it', signed(message()), { ok: true }),
  given('a delivery of signature version 1, SHA-1', signed(message({ SignatureVersion: '1' })), { ok: true }),
  given('a message without a subject', signed(message({ Subject: undefined })), { ok: true }),
  given('a region of the other partition', signed(message({ SigningCertURL: CHINA })), { ok: true }),
  changed('one byte of the message changed', { Message: message().Message.replace('order', 'ordes') }),
  changed('another ID', { MessageId: '265545c9-2a5c-472c-8df2-7ff2be2b3b1b' }),
  changed('another time', { Timestamp: new Date(NOW * 1000).toISOString() }),
  changed('another subject', { Subject: 'Another' }),
  changed('the subject taken away', { Subject: undefined }),
  changed('another topic', { TopicArn: `${TOPIC}2` }),
  given(
    'the link to unsubscribe changed, which nothing covers',
    { ...signed(message()), UnsubscribeURL: 'https://evil.example/' },
    { ok: true },
  ),
  given('signed with a key other than the certificate’s', signed(message(), foreign), mismatch),
  changed('signature version 1 over a signature of version 2', { SignatureVersion: '1' }),
  changed('an unknown signature version', { SignatureVersion: '3' }),
  changed('the signature version as a number', { SignatureVersion: 2 }),
  changed('no signature', { Signature: undefined }, { expect: { ok: false, status: 401 } }),
  changed('an empty signature', { Signature: '' }, { expect: { ok: false, status: 401 } }),
  changed('no certificate URL', { SigningCertURL: undefined }, { expect: { ok: false, status: 401 } }),
  respelt('truncated: one character shorter', (text) => text.slice(0, -1)),
  respelt('lengthened by a byte', (text) =>
    Buffer.concat([Buffer.from(text, 'base64'), Buffer.of(0)]).toString('base64'),
  ),
  respelt('in base64url', (text) => Buffer.from(text, 'base64').toString('base64url')),
  respelt('without its padding', (text) => text.replace(/=+$/, '')),
  respelt('in hex', (text) => Buffer.from(text, 'base64').toString('hex')),
  given(
    'an event of ten minutes ago, retried',
    signed(message({ Timestamp: new Date((NOW - 600) * 1000).toISOString() })),
    { ok: true },
    { sentAt: NOW - 600 },
  ),
  given(
    'an event of a year ago',
    signed(message({ Timestamp: '2024-11-20T12:00:00.000Z' })),
    { ok: false, status: 400, reason: 'timestamp_out_of_range' },
    {
      lax: 'The SDK never checks the time. A delivery that is older than all retries is not from the sender.',
    },
  ),
  given(
    'another topic, correctly signed',
    signed(message({ TopicArn: `${TOPIC}-of-a-stranger` })),
    { ok: false, status: 401 },
    { lax: 'The SDK accepts any topic of any account. Anyone can create a topic, so list yours.' },
  ),
  given(
    'the second of two topics that are configured',
    signed(message()),
    { ok: true },
    { options: { topicArns: [`${TOPIC}-too`, TOPIC] } },
  ),
  given('a body that is not JSON', undefined, { ok: false }, { text: '{"Type": ' }),
  given('an empty object', {}, { ok: false, status: 401 }),
  ...certificateCases(),
]

export default [
  {
    scheme: 'sns',
    sdk: 'sns-validator',
    now: NOW,
    options: { topicArns: TOPIC },
    fetches,
    time: { unit: 'rfc3339', of: 'event' },
    expect: { id: message().MessageId },
    cases,
    notApplicable: {
      'rotated secret': 'The certificate is Amazon\u2019s; its URL changes with it.',
      'a future time': 'The time is the event\u2019s.',
      'signature header': 'The signature stands in the body.',
      'a list of signatures': 'The body holds one signature.',
    },
  },
]
