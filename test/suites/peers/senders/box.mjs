import { WebhooksManager } from 'box-node-sdk/managers/webhooks'
import { nodeHeaders, text } from './reading.mjs'

/** Box signs with both keys, each in its own header, and the SDK gets both. */
export function verify({ headers, body, options }) {
  const [primary, secondary] = [options.secrets].flat().map((each) => each.secret ?? each)
  return WebhooksManager.validateMessage(text(body), nodeHeaders(headers), primary, {
    secondaryKey: secondary,
  })
}
