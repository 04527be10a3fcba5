import { withTime } from '../common.mjs'
import { hmac } from '../sign.mjs'

export default [
  withTime('box', 'Box-Signature-Primary', 'Box-Delivery-Timestamp', {
    sdk: 'box-node-sdk',
    unit: 'rfc3339',
    tolerance: 600,
    ahead: 0,
    encoding: 'base64',
    parts: ['{body}', '{time}'],
    id: { header: 'Box-Delivery-Id', value: 'f96bb54b-ee16-4fc5-aa65-8c2d9e5b546f' },
    extra: [
      ['Box-Signature-Version', '1'],
      ['Box-Signature-Algorithm', 'HmacSHA256'],
    ],
    body: '{"type": "webhook_event", "id": "eb0c4e06-751f-442c-86f8-fd5bb404dbec", "trigger": "FILE.UPLOADED", "source": {"id": "73835521473"}}',
    expect: { type: 'FILE.UPLOADED' },
    moreCases: boxCases,
    why: {
      'an empty body, correctly signed':
        'The SDK checks only the signature, not the body. We parse the body, and refuse anything but JSON.',
      'signed with the second secret of a rotation':
        'The SDK tries the primary key only with the primary header. We try each key with each header.',
    },
  }),
]

/** Each key has its own header, and one right signature is enough. */
function boxCases({ keys }) {
  const secondary =
    (secret) =>
    ({ time, body }) => ['Box-Signature-Secondary', hmac('sha256', secret, [body, time]).toString('base64')]
  const also = (name, change, second, expect, more) => ({
    name,
    change: { ...change, also: secondary(second) },
    expect,
    ...more,
  })
  const mismatch = { ok: false, status: 401, reason: 'signature_mismatch' }
  return [
    also('signatures with both keys', {}, keys.old, { ok: true }),
    also('a foreign primary signature and a right secondary one', { secret: keys.foreign }, keys.old, {
      ok: true,
      secretId: 'old',
    }),
    also('two foreign signatures', { secret: keys.foreign }, keys.foreign, mismatch),
    {
      name: 'the secondary header alone',
      change: {
        secret: keys.old,
        headers: (list) =>
          list.map(([name, value]) => [
            name === 'Box-Signature-Primary' ? 'Box-Signature-Secondary' : name,
            value,
          ]),
      },
      expect: { ok: true, secretId: 'old' },
    },
    {
      name: 'a time with an offset from UTC',
      change: { time: '2025-11-20T03:59:59-08:00' },
      sentAt: 1_763_639_999,
      expect: { ok: true },
    },
    {
      name: 'signed over the escaped form of the body',
      change: {
        body: '{ "note": "Gr\u00fc\u00dfe/1" }',
        value: (_, { signWith }) =>
          signWith({ body: '{ "note": "Gr\\u00fc\\u00dfe\\/1" }' }).toString('base64'),
      },
      expect: mismatch,
      otherBody: true,
      lax: 'The SDK also tries the body with non-ASCII characters escaped. We verify the bytes as received.',
    },
    {
      name: 'another signature version',
      change: {
        headers: (list) =>
          list.map(([name, value]) => [name, name === 'Box-Signature-Version' ? '2' : value]),
      },
      expect: mismatch,
    },
    {
      name: 'another signature algorithm',
      change: {
        headers: (list) =>
          list.map(([name, value]) => [name, name === 'Box-Signature-Algorithm' ? 'HmacSHA1' : value]),
      },
      expect: mismatch,
    },
  ]
}
