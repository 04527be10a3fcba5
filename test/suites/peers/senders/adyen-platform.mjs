import { hmacValidator as HmacValidator } from '@adyen/api-library'
import { nodeHeaders, text } from './reading.mjs'

const validator = new HmacValidator()

export const verify = ({ headers, body, secret }) =>
  validator.validateHMACSignature(secret, nodeHeaders(headers).hmacsignature, text(body))

export const sign = ({ body, secret }) => validator.calculateHmac(text(body), secret)
