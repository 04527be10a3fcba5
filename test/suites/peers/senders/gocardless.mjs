import * as webhooks from 'gocardless-nodejs/webhooks'
import { nodeHeaders, passes } from './reading.mjs'

export const verify = ({ headers, body, secret }) =>
  passes(() => webhooks.verifySignature(body, secret, nodeHeaders(headers)['webhook-signature']))
