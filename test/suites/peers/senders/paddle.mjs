import { Paddle } from '@paddle/paddle-node-sdk'
import { nodeHeaders, text } from './reading.mjs'

const paddle = new Paddle('not-used')

export const verify = ({ headers, body, secret }) =>
  paddle.webhooks.isSignatureValid(text(body), secret, nodeHeaders(headers)['paddle-signature'])
