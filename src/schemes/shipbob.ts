import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'
import { keyBytes } from './kit/keys.ts'
import { STANDARD_WEBHOOKS } from './kit/standard-webhooks-row.ts'

/**
 * Verifies webhooks from ShipBob, which follow Standard Webhooks, made with its API of 2025-07 or later. The secret
 * belongs to the subscription. The signature covers the ID, the time and the body (Standard Webhooks v1). The event's
 * name is in an unsigned header.
 *
 * @example
 * ```ts
 * const auth = shipbob({ secrets: process.env.SHIPBOB_WEBHOOK_SECRET })
 * ```
 */
export const shipbob: SchemeFactory<SecretOptions, 'x-webhook-topic'> = schemeOf(
  {
    ...STANDARD_WEBHOOKS,
    name: 'shipbob',
    sender: 'ShipBob',
    secretName: 'secret of the subscription, whsec_…',
    eventType: { header: 'x-webhook-topic' },
    facts: {
      unsigned:
        'ShipBob does not sign for subscriptions of its API 1.0 or 2.0: create one with 2025-07 or later',
    },
    limits: 'The URL and the other headers, including X-Webhook-Topic, are not signed.',
  },
  { keys: keyBytes },
)
