import { webhooks } from '@polar-sh/sdk/2026-10'
import { nodeHeaders, text } from './reading.mjs'

/** It also throws for an event type that this release does not know, but only after a valid signature. */
export const verify = ({ headers, body, secret }) =>
  webhooks.validateEvent(text(body), nodeHeaders(headers), secret).then(
    () => true,
    (error) => error.name === 'PolarWebhookUnknownTypeError',
  )
