import Mux from '@mux/mux-node'
import { nodeHeaders, passes, text } from './reading.mjs'

const mux = new Mux({ tokenId: 'not-used', tokenSecret: 'not-used' })

export const verify = ({ headers, body, secret }) =>
  passes(() => mux.webhooks.verifySignature(text(body), nodeHeaders(headers), secret))
