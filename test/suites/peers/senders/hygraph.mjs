import { verifyWebhookSignature } from '@hygraph/utils'
import { nodeHeaders, text } from './reading.mjs'

export const verify = ({ headers, body, secret }) =>
  verifyWebhookSignature({
    rawPayload: text(body),
    signature: nodeHeaders(headers)['gcms-signature'],
    secret,
  })
