import { bodyOnly, withTime } from '../common.mjs'

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
]
