import { WebhooksHelper } from 'square'
import { nodeHeaders, text } from './reading.mjs'

export const verify = ({ headers, body, secret, url }) =>
  WebhooksHelper.verifySignature({
    requestBody: text(body),
    signatureHeader: nodeHeaders(headers)['x-square-hmacsha256-signature'],
    signatureKey: secret,
    notificationUrl: url,
  })
