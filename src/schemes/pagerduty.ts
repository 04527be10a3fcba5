import { parseTime } from '../lib/time.ts'
import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'

/**
 * Verifies webhooks from PagerDuty (version 3) by their `X-PagerDuty-Signature` header, which lists several signatures during
 * a rotation. The secret is shown once, when you create the subscription. The signature covers the body, which holds the
 * event's ID and time.
 *
 * @example
 * ```ts
 * const auth = pagerduty({ secrets: process.env.PAGERDUTY_WEBHOOK_SECRET })
 * ```
 */
export const pagerduty: SchemeFactory<SecretOptions, '/event/event_type'> = schemeOf(
  {
    name: 'pagerduty',
    sender: 'PagerDuty',
    secretName: 'secret of the webhook subscription',
    secretMadeBy: 'sender',
    algorithm: 'hmac-sha256',
    key: 'text',
    signature: { headers: ['x-pagerduty-signature'], separator: ',', prefix: 'v1=', spelling: 'hex' },
    signs: '{body}',
    timestamp: { member: '/event/occurred_at', unit: 'rfc3339', of: 'event', toleranceSeconds: 259_200 },
    eventId: { member: '/event/id' },
    eventType: { member: '/event/event_type' },
    maxBodyBytes: 1_048_576,
    facts: { unsigned: false },
    limits: 'The URL and the other headers are not signed.',
  },
  { dates: parseTime },
)
