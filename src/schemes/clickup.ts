import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'

/**
 * Verifies webhooks from ClickUp by their `X-Signature` header. The key is the `secret` that the API returns when you create the webhook:
 * each webhook has its own. The signature covers only the body. Deliveries have no ID, so the signed bytes are claimed. ClickUp suspends
 * a webhook at once after a 401, so set the right secret before you create it for good.
 *
 * @example
 * ```ts
 * const auth = clickup({ secrets: process.env.CLICKUP_WEBHOOK_SECRET })
 * ```
 */
export const clickup: SchemeFactory<SecretOptions, '/event'> = schemeOf({
  name: 'clickup',
  sender: 'ClickUp',
  secretName: 'secret of the webhook',
  secretMadeBy: 'sender',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['x-signature'], spelling: 'hex' },
  signs: '{body}',
  eventType: { member: '/event' },
  maxBodyBytes: 1_048_576,
  facts: {
    unsigned: false,
    otherKeys: { pk_: 'a personal API token' },
    otherSecrets: 'each webhook has its own, which the API returns as webhook.secret when you create it',
  },
  limits: 'The time, the URL and the headers are not signed.',
})
