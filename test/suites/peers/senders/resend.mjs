import { Resend } from 'resend'
import { nodeHeaders, passes, text } from './reading.mjs'

const resend = new Resend('re_not_used')

export const verify = ({ headers, body, secret }) => {
  const { 'svix-id': id, 'svix-timestamp': timestamp, 'svix-signature': signature } = nodeHeaders(headers)
  return passes(() =>
    resend.webhooks.verify({
      payload: text(body),
      headers: { id, timestamp, signature },
      webhookSecret: secret,
    }),
  )
}
