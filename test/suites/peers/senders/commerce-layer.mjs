import { checkSignature } from '@commercelayer/sdk-utils'
import { nodeHeaders, text } from './reading.mjs'

export const verify = ({ headers, body, secret }) =>
  checkSignature(text(body), nodeHeaders(headers), secret).ok === true
