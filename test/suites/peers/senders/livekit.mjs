import { WebhookReceiver } from 'livekit-server-sdk'
import { nodeHeaders, passes, text } from './reading.mjs'

export const verify = ({ headers, body, secret, options }) =>
  passes(() =>
    new WebhookReceiver(options.apiKey, secret).receive(text(body), nodeHeaders(headers).authorization),
  )
