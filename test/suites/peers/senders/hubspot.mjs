import { Signature } from '@hubspot/api-client'
import { nodeHeaders, text } from './reading.mjs'

export function verify({ headers, body, secret, url, method }) {
  const { 'x-hubspot-signature-v3': signature, 'x-hubspot-request-timestamp': timestamp } =
    nodeHeaders(headers)
  const requestBody = text(body)
  return Signature.isValid({
    signatureVersion: 'v3',
    signature,
    timestamp,
    clientSecret: secret,
    requestBody,
    method,
    url,
  })
}

export const sign = ({ time, body, secret, url }) =>
  Signature.getSignature('POST', 'v3', {
    timestamp: time,
    clientSecret: secret,
    requestBody: text(body),
    url,
  })
