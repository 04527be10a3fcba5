import Anthropic from '@anthropic-ai/sdk'
import { nodeHeaders, passes, text } from './reading.mjs'

const anthropic = new Anthropic({ apiKey: 'not-used' })

export const verify = ({ headers, body, secret }) =>
  passes(() => anthropic.beta.webhooks.unwrap(text(body), { headers: nodeHeaders(headers), key: secret }))
