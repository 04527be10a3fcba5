import { type SchemeFactory, schemeOf } from './kit/define-scheme.ts'

/**
 * Verifies webhooks from GoCardless by their `Webhook-Signature` header, in hex. The secret belongs to the webhook's endpoint.
 * The signature covers the body, which holds the delivery's ID but no time. A delivery holds many events, each with its own
 * ID.
 *
 * @example
 * ```ts
 * const auth = gocardless({ secrets: process.env.GOCARDLESS_WEBHOOK_SECRET })
 * ```
 */
export const gocardless: SchemeFactory = schemeOf({
  name: 'gocardless',
  sender: 'GoCardless',
  secretName: 'secret of the webhook endpoint',
  secretMadeBy: 'user',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['webhook-signature'], spelling: 'hex' },
  signs: '{body}',
  eventId: { member: '/meta/webhook_id' },
  maxBodyBytes: 1_048_576,
  facts: { unsigned: false },
  limits: 'The time, the URL and the headers are not signed.',
})
