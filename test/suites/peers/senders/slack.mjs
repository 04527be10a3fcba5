import { verifySlackRequest } from '@slack/bolt/dist/receivers/verify-request.js'
import { nodeHeaders, passes, text } from './reading.mjs'

/** Bolt's receivers pass the timestamp as a number. */
export function verify({ headers, body, secret }) {
  const given = nodeHeaders(headers)
  return passes(() =>
    verifySlackRequest({
      signingSecret: secret,
      body: text(body),
      headers: {
        'x-slack-signature': given['x-slack-signature'],
        'x-slack-request-timestamp': Number(given['x-slack-request-timestamp']),
      },
    }),
  )
}
