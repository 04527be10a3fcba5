import OpenAI from 'openai'
import { nodeHeaders, passes, text } from './reading.mjs'

const openai = new OpenAI({ apiKey: 'not-used' })

export const verify = ({ headers, body, secret }) =>
  passes(() => openai.webhooks.unwrap(text(body), nodeHeaders(headers), secret))
