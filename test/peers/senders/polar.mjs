import { webhooks } from '@polar-sh/sdk/2026-10'
import { nodeHeaders, text } from './reading.mjs'

/** An event type that this release does not know throws as well, but only behind a good signature. */
export const verify = ({ headers, body, secret }) =>
  webhooks.validateEvent(text(body), nodeHeaders(headers), secret).then(
    () => true,
    (error) => error.name === 'PolarWebhookUnknownTypeError',
  )
