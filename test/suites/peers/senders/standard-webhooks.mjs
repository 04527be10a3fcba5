import { Webhook } from 'standardwebhooks'
import { nodeHeaders, passes, text } from './reading.mjs'

export const verify = ({ headers, body, secret }) =>
  passes(() => new Webhook(secret).verify(text(body), nodeHeaders(headers)))

export const sign = ({ id, time, body, secret }) =>
  new Webhook(secret).sign(id, new Date(Number(time) * 1000), text(body))
