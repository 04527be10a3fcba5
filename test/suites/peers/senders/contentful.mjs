import { verifyRequest } from '@contentful/node-apps-toolkit'
import { nodeHeaders, text } from './reading.mjs'

export const verify = ({ headers, body, secret, url, method }) =>
  verifyRequest(secret, {
    method,
    path: new URL(url).pathname + new URL(url).search,
    headers: nodeHeaders(headers),
    body: text(body),
  })
