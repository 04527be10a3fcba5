import { validateSignature } from '@line/bot-sdk'
import { nodeHeaders } from './reading.mjs'

export const verify = ({ headers, body, secret }) =>
  validateSignature(Buffer.from(body), secret, nodeHeaders(headers)['x-line-signature'] ?? '')
