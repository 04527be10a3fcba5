import { LinearWebhookClient } from '@linear/sdk/webhooks'
import { nodeHeaders, passes } from './reading.mjs'

export const verify = ({ headers, body, secret }) =>
  passes(() =>
    new LinearWebhookClient(secret).parseData(Buffer.from(body), nodeHeaders(headers)['linear-signature']),
  )
