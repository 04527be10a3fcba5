import { bodyOnly, NOW, withTime } from '../common.mjs'
import { replaced, without } from '../deliver.mjs'
import { hmac } from '../sign.mjs'

export default [
  withTime('customer-io', 'X-CIO-Signature', 'X-CIO-Timestamp', {
    source: 'Customer.io\u2019s documentation of reporting webhooks',
    parts: ['v0:', '{time}', ':', '{body}'],
    body: '{"event_id": "01E4C4CT6YDC7Y5M7FE1GWWPQJ", "object_type": "email", "metric": "opened", "timestamp": 1763639999, "data": {"customer_id": "0200102"}}',
    expect: { id: '01E4C4CT6YDC7Y5M7FE1GWWPQJ', type: 'opened' },
  }),
  withTime('airwallex', 'x-signature', 'x-timestamp', {
    source:
      'Airwallex\u2019s documentation of webhooks, and its plugin for WooCommerce; its SDK has no verifier',
    unit: 'milliseconds',
    parts: ['{time}', '{body}'],
    body: '{"id": "evt_hkpdskz7vg1xc7uscrj_1fn1jb", "name": "payment_intent.succeeded", "account_id": "acct_J3qVvSHDMCmLi_CtOfJpzg", "data": {"object": {"id": "int_hkpdskz7vg1xc7uscrk"}}, "created_at": "2025-11-20T11:59:59+0000"}',
    expect: { id: 'evt_hkpdskz7vg1xc7uscrj_1fn1jb', type: 'payment_intent.succeeded' },
  }),
  bodyOnly('retell', 'X-Retell-Signature', {
    sdk: 'retell-sdk',
    list: ',',
    prefix: 'd=',
    otherPrefix: 'v1=',
    parts: ['{body}', '{time}'],
    time: { item: 'v=', unit: 'milliseconds', of: 'attempt', tolerance: 300 },
    body: '{"event": "call_ended", "call": {"call_id": "Jabr9TXYYJHfvl6Syypi88rdAHYHmcq6", "call_status": "ended", "agent_id": "oBeDLoLOeuAbiuaMFXRtDOLriTJ5tSxD"}}',
    expect: { type: 'call_ended' },
  }),
  bodyOnly('coinbase-cdp', 'X-Hook0-Signature', {
    sdk: 'hook0-client',
    list: ',',
    prefix: 'v0=',
    otherPrefix: 'v2=',
    parts: ['{time}', '.', '{body}'],
    time: { item: 't=', unit: 'seconds', of: 'attempt', tolerance: 300 },
    id: { header: 'X-Event-Id', value: '123e4567-e89b-12d3-a456-426614174000' },
    extra: [['X-Event-Type', 'wallet.activity.detected']],
    typeInHeader: true,
    body: '{"eventId": "123e4567-e89b-12d3-a456-426614174000", "eventType": "wallet.activity.detected", "timestamp": "2025-11-20T11:59:59Z", "data": {"network": "base-mainnet"}}',
    expect: { type: 'wallet.activity.detected' },
    moreCases: coinbaseHeaders,
  }),
]

/** Version 1 of the signature, over the headers that `h` lists too. Senders write it behind version 0, or alone. */
function coinbaseHeaders({ id, body, extra }) {
  const mismatch = { ok: false, status: 401, reason: 'signature_mismatch' }
  const NAMES = 'content-type x-event-id x-event-type'
  const values = ['application/json', id.value, extra[0][1]].join('.')
  const v1 = (secret, names = NAMES, joined = values, sent = body) =>
    hmac('sha256', secret, [`${NOW}.${names}.${joined}.`, sent]).toString('hex')
  const given = (name, write, expect, more) => ({
    name,
    change: { value: (value, { signed }) => write(value, signed.secret), ...more },
    expect,
  })
  const alone = (_, secret) => `t=${NOW},h=${NAMES},v1=${v1(secret)}`
  return [
    given('version 1 alone', alone, { ok: true }),
    given('version 1 behind version 0', (value, secret) => `${value},h=${NAMES},v1=${v1(secret)}`, {
      ok: true,
    }),
    given(
      'version 0 with a version 1 whose header a proxy has changed',
      (value) => `${value},h=${NAMES},v1=00`,
      mismatch,
    ),
    given(
      'version 1 under another account\u2019s secret',
      () => `t=${NOW},h=${NAMES},v1=${v1('another')}`,
      mismatch,
    ),
    given('version 1 with a changed header', alone, mismatch, { sentId: 'replaced-on-the-way' }),
    given('version 1 without a header that it lists', alone, mismatch, { headers: without('X-Event-Type') }),
    given('version 1 with a changed body', alone, mismatch, { sentBody: () => '{"eventId": "1"}' }),
    given('version 1 without its list of headers', (_, secret) => `t=${NOW},v1=${v1(secret)}`, mismatch),
    given(
      'the signature of version 0 as version 1',
      (value) => value.replace('v0=', `h=${NAMES},v1=`),
      mismatch,
    ),
    given(
      'the signature of version 1 as version 0',
      (_, secret) => `t=${NOW},h=${NAMES},v0=${v1(secret)}`,
      mismatch,
    ),
    {
      ...given('two lists of headers', (_, secret) => `t=${NOW},h=x-a,h=${NAMES},v1=${v1(secret)}`, mismatch),
      lax: 'The SDK takes the last list. The sender writes one.',
    },
    given(
      'a list of headers that begins the body',
      (_, secret) => `t=${NOW},h={"a" x-event-id,v1=${v1(secret, '{"a" x-event-id', id.value)}`,
      mismatch,
    ),
    {
      ...given('an empty list of headers', (_, secret) => `t=${NOW},h=,v1=${v1(secret, '', '')}`, mismatch),
      lax: 'The SDK takes an empty list. The sender always lists some headers, and version 0 covers none.',
    },
    given('version 1 with another content type, which it covers', alone, mismatch, {
      headers: replaced('Content-Type', 'application/json; charset=utf-8'),
    }),
  ]
}
