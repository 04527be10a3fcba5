import { SignatureValidator } from 'mollie-api-typescript/utils/webhooks/signature_validator.js'
import { nodeHeaders, text } from './reading.mjs'

/** The SDK takes the lines of the header as a list. */
export const verify = ({ headers, body, secret }) =>
  SignatureValidator.validate(text(body), secret, nodeHeaders(headers)['x-mollie-signature']?.split(', '))
