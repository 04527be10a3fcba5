import { verifyWebhookSignatureWithCurrentTime } from 'hook0-client'
import { nodeHeaders, text } from './reading.mjs'

/** Hook0 sends the webhooks of the Coinbase Developer Platform. */
export function verify({ headers, body, secret, now }) {
  const all = nodeHeaders(headers)
  return verifyWebhookSignatureWithCurrentTime(
    all['x-hook0-signature'],
    text(body),
    new Headers(all),
    secret,
    300,
    new Date(now * 1000),
  )
}
