import { parseTime } from '../lib/time.ts'
import { type SchemeFactory, schemeOf } from './kit/define-scheme.ts'

/**
 * Verifies Klaviyo's system webhooks by their `Klaviyo-Signature` header. The key is the secret key that you gave the webhook. The
 * signature covers the body and then the time, in `Klaviyo-Timestamp`. The body is a list of up to 1,000 events in `data`, each with
 * `topic` and `external_id`. The delivery has no ID, so the signed bytes are claimed, and a retry with a new time is a new event:
 * deduplicate by `external_id` as well.
 *
 * Klaviyo documents neither the form of that header nor a tolerance, so a delivery is never refused for it: `event.sentAt` is when it
 * arrived if the header is no HTTP date. Do not set `toleranceSeconds`: a client's author found the header five hours ahead. To refuse
 * old deliveries, compare `meta.timestamp` of the body.
 *
 * @example
 * ```ts
 * const auth = klaviyo({ secrets: process.env.KLAVIYO_WEBHOOK_SECRET })
 * ```
 */
export const klaviyo: SchemeFactory = schemeOf(
  {
    name: 'klaviyo',
    sender: 'Klaviyo',
    secretName: 'secret key of the webhook',
    secretMadeBy: 'user',
    algorithm: 'hmac-sha256',
    key: 'text',
    signature: { headers: ['klaviyo-signature'], spelling: 'hex' },
    signs: '{body}{timestamp}',
    timestamp: { header: 'klaviyo-timestamp', unit: 'http-date', of: 'event', eachAttempt: true },
    maxBodyBytes: 5_242_880, // up to 1,000 events
    facts: {
      unsigned:
        "Klaviyo signs system webhooks, not what the webhook action of a flow sends: create a system webhook by Klaviyo's API or in its settings",
    },
    limits:
      'The URL and the other headers are not signed: Klaviyo-Webhook-Id can be changed, but the body holds it too.',
  },
  { dates: parseTime },
)
