import { encodeSignatureHeader, isValidSignature } from '@sanity/webhook'
import { nodeHeaders, text } from './reading.mjs'

export const verify = ({ headers, body, secret }) =>
  isValidSignature(text(body), nodeHeaders(headers)['sanity-webhook-signature'], secret)

export const sign = ({ time, body, secret }) => encodeSignatureHeader(text(body), Number(time), secret)
