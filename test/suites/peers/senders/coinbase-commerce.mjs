import commerce from 'coinbase-commerce-node'
import { nodeHeaders, passes, text } from './reading.mjs'

export const verify = ({ headers, body, secret }) =>
  passes(() =>
    commerce.Webhook.verifySigHeader(text(body), nodeHeaders(headers)['x-cc-webhook-signature'], secret),
  )

export const sign = ({ body, secret }) => commerce.Webhook.computeSignature(text(body), secret)
