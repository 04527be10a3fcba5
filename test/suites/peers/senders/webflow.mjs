import { WebflowClient } from 'webflow-api'
import { nodeHeaders, text } from './reading.mjs'

const webflow = new WebflowClient({ accessToken: 'not-used' })

export const verify = ({ headers, body, secret }) =>
  webflow.webhooks.verifySignature({ headers: nodeHeaders(headers), body: text(body), secret })
