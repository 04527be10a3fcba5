import { parseTime } from '../lib/time.ts'
import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'
import { keyBytes } from './kit/keys.ts'

/**
 * Verifies pings from Airtable by their `X-Airtable-Content-MAC` header. The secret is the webhook's `macSecretBase64`, which only
 * the response that creates the webhook has. The signature covers the body: the base, the webhook and the time. It says that
 * something has changed, not what: your handler lists the webhook's payloads. Answer with an empty body.
 *
 * A ping has no ID, so the signed bytes are claimed.
 * [Read in November 2026](https://airtable.com/developers/web/api/webhooks-overview).
 *
 * @example
 * ```ts
 * const auth = airtable({ secrets: process.env.AIRTABLE_MAC_SECRET })
 * ```
 */
export const airtable: SchemeFactory<SecretOptions> = schemeOf(
  {
    name: 'airtable',
    sender: 'Airtable',
    secretName: 'macSecretBase64 of the webhook',
    secretMadeBy: 'sender',
    algorithm: 'hmac-sha256',
    key: 'base64',
    signature: { headers: ['x-airtable-content-mac'], prefix: 'hmac-sha256=', spelling: 'hex' },
    signs: '{body}',
    timestamp: { member: '/timestamp', unit: 'rfc3339', of: 'event' },
    maxBodyBytes: 65_536,
    facts: {
      unsigned: false,
      otherSecrets: 'each webhook has its own, and only the response that creates it shows it',
    },
    limits: 'The URL and the headers are not signed, nor is the time of the attempt.',
  },
  { dates: parseTime, keys: keyBytes },
)
