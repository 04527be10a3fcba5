import { verifyWebhookSignature } from '@doist/todoist-sdk'
import { nodeHeaders } from './reading.mjs'

export const verify = ({ headers, body, secret }) =>
  verifyWebhookSignature({
    clientSecret: secret,
    signature: nodeHeaders(headers)['x-todoist-hmac-sha256'],
    rawBody: Buffer.from(body),
  })
