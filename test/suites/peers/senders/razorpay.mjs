import Razorpay from 'razorpay'
import { nodeHeaders, text } from './reading.mjs'

export const verify = ({ headers, body, secret }) =>
  Razorpay.validateWebhookSignature(text(body), nodeHeaders(headers)['x-razorpay-signature'], secret)
