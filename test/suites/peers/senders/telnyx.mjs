import Telnyx from 'telnyx'
import { nodeHeaders, passes, text } from './reading.mjs'

const telnyx = new Telnyx({ apiKey: 'not-used' })

export const verify = ({ headers, body, secret }) =>
  passes(() => telnyx.webhooks.unwrap(text(body), { headers: nodeHeaders(headers), key: secret }))
