import { type SchemeFactory, schemeOf } from './kit/define-scheme.ts'

/**
 * Verifies webhooks from Sanity by their `Sanity-Webhook-Signature` header, in base64url, with a timestamp in milliseconds.
 * You choose the secret on the webhook's page. The signature covers the timestamp and the body. Sanity documents no tolerance.
 * Set `toleranceSeconds` to refuse old deliveries. The ID is the unsigned header `Idempotency-Key`, so the ID and the signed
 * bytes are both claimed.
 *
 * @example
 * ```ts
 * const auth = sanity({ secrets: process.env.SANITY_WEBHOOK_SECRET })
 * ```
 */
export const sanity: SchemeFactory = schemeOf({
  name: 'sanity',
  sender: 'Sanity',
  secretName: 'secret of the webhook',
  secretMadeBy: 'user',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: {
    headers: ['sanity-webhook-signature'],
    separator: ', ',
    writtenSeparator: ',',
    prefix: 'v1=',
    spelling: 'base64url',
  },
  signs: '{timestamp}.{body}',
  timestamp: { item: 't=', unit: 'milliseconds', of: 'attempt' },
  eventId: { header: 'idempotency-key' },
  leaseSeconds: 30, // two more attempts, 30 s apart
  maxRunSeconds: 30,
  maxBodyBytes: 1_048_576,
  facts: { unsigned: "Sanity signs only if the webhook has a secret: set one on the webhook's page" },
  limits: 'The URL and the other headers are not signed: Idempotency-Key can be changed.',
})
