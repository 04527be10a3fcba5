import { validateWebhook } from 'replicate'
import { nodeHeaders, text } from './reading.mjs'

export const verify = ({ headers, body, secret }) =>
  validateWebhook({ headers: nodeHeaders(headers), body: text(body) }, secret)
