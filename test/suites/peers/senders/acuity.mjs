import acuity from 'acuityscheduling'
import { nodeHeaders, passes } from './reading.mjs'

export const verify = ({ headers, body, secret }) =>
  passes(() => acuity.verifyMessageSignature(secret, body, nodeHeaders(headers)['x-acuity-signature']))
