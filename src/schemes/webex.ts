import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'

/**
 * Verifies webhooks from Webex by their `X-Spark-Signature` header; it is an HMAC-SHA1, the only algorithm of the Webhooks API. You choose
 * the secret when you create the webhook. The signature covers the body, which holds no time of the event. Its `/id` is the webhook's,
 * the same in all deliveries, so the signed bytes are claimed. `event.type` is what happened, e.g. `created`; `event.payload.resource`
 * is what it happened to.
 *
 * A change that is undone and made again has the same body, e.g. of a membership: the second is a duplicate for 30 days. If you need it,
 * pass `dedupe: 'off'`, and a captured delivery can run again.
 *
 * @example
 * ```ts
 * const auth = webex({ secrets: process.env.WEBEX_WEBHOOK_SECRET })
 * ```
 */
export const webex: SchemeFactory<SecretOptions, '/event'> = schemeOf({
  name: 'webex',
  sender: 'Webex',
  secretName: 'secret of the webhook',
  secretMadeBy: 'user',
  algorithm: 'hmac-sha1',
  key: 'text',
  signature: { headers: ['x-spark-signature'], spelling: 'hex' },
  signs: '{body}',
  eventType: { member: '/event' },
  maxBodyBytes: 1_048_576,
  facts: {
    unsigned: 'Webex signs only if the webhook has a secret: set one when you create or update it',
  },
  limits: 'The time, the URL and the headers are not signed.',
})
