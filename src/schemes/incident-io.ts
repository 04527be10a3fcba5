import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'
import { keyBytes } from './kit/keys.ts'
import { STANDARD_WEBHOOKS } from './kit/standard-webhooks-row.ts'

/**
 * Verifies webhooks from incident.io, which sends through Svix under the header names of Standard Webhooks. The signing
 * secret belongs to the endpoint, under Settings, Webhooks. The signature covers the ID, the time and the body (Standard
 * Webhooks v1).
 *
 * @example
 * ```ts
 * const auth = incidentIo({ secrets: process.env.INCIDENT_IO_WEBHOOK_SECRET })
 * ```
 */
export const incidentIo: SchemeFactory<SecretOptions, '/event_type'> = schemeOf(
  {
    ...STANDARD_WEBHOOKS,
    name: 'incident-io',
    sender: 'incident.io',
    secretName: 'signing secret of the endpoint, whsec_…',
    eventType: { member: '/event_type' },
  },
  { keys: keyBytes },
)
