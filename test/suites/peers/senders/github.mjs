import { sign as signWithSecret, verify as verifyWithSecret } from '@octokit/webhooks-methods'
import { nodeHeaders, text } from './reading.mjs'

export const verify = ({ headers, body, secret }) =>
  verifyWithSecret(secret, text(body), nodeHeaders(headers)['x-hub-signature-256'])

export const sign = ({ body, secret }) => signWithSecret(secret, text(body))
