import { Receiver } from '@upstash/qstash'
import { nodeHeaders, text } from './reading.mjs'

export const verify = ({ headers, body, secret, url }) =>
  new Receiver({ currentSigningKey: secret, nextSigningKey: secret }).verify({
    signature: nodeHeaders(headers)['upstash-signature'],
    body: text(body),
    url,
  })
