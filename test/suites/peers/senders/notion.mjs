import { signWebhookPayload, verifyWebhookSignature } from '@notionhq/client'
import { nodeHeaders, text } from './reading.mjs'

export const verify = ({ headers, body, secret }) =>
  verifyWebhookSignature({
    body: text(body),
    signature: nodeHeaders(headers)['x-notion-signature'],
    verificationToken: secret,
  })

export const sign = ({ body, secret }) => signWebhookPayload({ body: text(body), verificationToken: secret })
