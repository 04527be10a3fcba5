import { parseTime } from '../lib/time.ts'
import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'

/**
 * Verifies webhooks from Tally's forms by their `Tally-Signature` header. You choose the signing secret in the webhook's settings,
 * under the form's Integrations. The signature covers the body, which holds the event's ID and the time of the submission.
 *
 * @example
 * ```ts
 * const auth = tally({ secrets: process.env.TALLY_WEBHOOK_SECRET })
 * ```
 */
export const tally: SchemeFactory<SecretOptions, '/eventType'> = schemeOf(
  {
    name: 'tally',
    sender: 'Tally',
    secretName: 'signing secret of the webhook',
    secretMadeBy: 'user',
    algorithm: 'hmac-sha256',
    key: 'text',
    signature: { headers: ['tally-signature'], spelling: 'base64' },
    signs: '{body}',
    timestamp: { member: '/createdAt', unit: 'rfc3339', of: 'event' },
    eventId: { member: '/eventId' },
    eventType: { member: '/eventType' },
    maxBodyBytes: 1_048_576,
    facts: {
      unsigned:
        "Tally signs only if the webhook has a signing secret: set one in the webhook's settings, under the form's Integrations",
    },
    limits: 'The URL and the headers are not signed.',
  },
  { dates: parseTime },
)
