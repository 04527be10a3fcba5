import { WorkOS } from '@workos-inc/node'
import { nodeHeaders, passes, text } from './reading.mjs'

const workos = new WorkOS('sk_not_used')

export const verify = ({ headers, body, secret }) =>
  passes(() =>
    workos.webhooks.verifyHeader({
      payload: text(body),
      sigHeader: nodeHeaders(headers)['workos-signature'],
      secret,
    }),
  )

export const sign = ({ time, body, secret }) => workos.webhooks.computeSignature(time, text(body), secret)
