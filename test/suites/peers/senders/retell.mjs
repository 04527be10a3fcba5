import { verify as verifyRetell } from 'retell-sdk'
import { nodeHeaders, text } from './reading.mjs'

export const verify = ({ headers, body, secret }) =>
  verifyRetell(text(body), secret, nodeHeaders(headers)['x-retell-signature'])
