import { parseTime } from '../lib/time.ts'
import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'

/**
 * Verifies webhooks from Orb by their `X-Orb-Signature` header. The secret belongs to the webhook's endpoint. The signature covers
 * the time of the attempt, in `X-Orb-Timestamp`, and the body. That time has no zone, and is in UTC.
 *
 * @example
 * ```ts
 * const auth = orb({ secrets: process.env.ORB_WEBHOOK_SECRET })
 * ```
 */
export const orb: SchemeFactory<SecretOptions, '/type'> = schemeOf(
  {
    name: 'orb',
    sender: 'Orb',
    secretName: 'secret of the webhook endpoint',
    secretMadeBy: 'sender',
    algorithm: 'hmac-sha256',
    key: 'text',
    signature: { headers: ['x-orb-signature'], separator: ' ', prefix: 'v1=', spelling: 'hex' },
    signs: 'v1:{timestamp}:{body}',
    timestamp: { header: 'x-orb-timestamp', unit: 'utc', of: 'attempt', toleranceSeconds: 300 },
    eventId: { member: '/id' },
    eventType: { member: '/type' },
    maxBodyBytes: 1_048_576,
    facts: { unsigned: false, otherSecrets: 'each endpoint has its own' },
    limits: 'The URL and the other headers are not signed.',
  },
  { dates: parseTime },
)
