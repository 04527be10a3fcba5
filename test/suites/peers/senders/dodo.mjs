import DodoPayments from 'dodopayments'
import { nodeHeaders, passes, text } from './reading.mjs'

const dodo = new DodoPayments({ bearerToken: 'not-used' })

export const verify = ({ headers, body, secret }) =>
  passes(() => dodo.webhooks.unwrap(text(body), { headers: nodeHeaders(headers), key: secret }))
