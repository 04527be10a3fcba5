import Lithic from 'lithic'
import { nodeHeaders, passes, text } from './reading.mjs'

const lithic = new Lithic({ apiKey: 'not-used' })

export const verify = ({ headers, body, secret }) =>
  passes(() => lithic.webhooks.unwrap(text(body), nodeHeaders(headers), secret))
