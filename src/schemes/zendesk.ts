import { parseTime } from '../lib/time.ts'
import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'

/**
 * Verifies webhooks from Zendesk by their `X-Zendesk-Webhook-Signature` header. The signing secret is on the webhook's page in
 * the Admin Center. Zendesk signs test deliveries of an unsaved webhook with a public secret. Never configure that one. The
 * signature covers a timestamp and the body. The ID is in an unsigned header, so the ID and the signed bytes are both claimed.
 *
 * @example
 * ```ts
 * const auth = zendesk({ secrets: process.env.ZENDESK_WEBHOOK_SECRET })
 * ```
 */
export const zendesk: SchemeFactory<SecretOptions, '/type'> = schemeOf(
  {
    name: 'zendesk',
    sender: 'Zendesk',
    secretName: 'signing secret of the webhook',
    secretMadeBy: 'sender',
    algorithm: 'hmac-sha256',
    key: 'text',
    signature: { headers: ['x-zendesk-webhook-signature'], spelling: 'base64' },
    signs: '{timestamp}{body}',
    timestamp: {
      header: 'x-zendesk-webhook-signature-timestamp',
      unit: 'rfc3339',
      of: 'attempt',
      toleranceSeconds: 300,
    },
    eventId: { header: 'x-zendesk-webhook-invocation-id' },
    eventType: { member: '/type' },
    maxBodyBytes: 1_048_576,
    facts: {
      unsigned: false,
      otherFormats:
        "Zendesk sends XML or a form if the webhook's request format says so: choose JSON on the webhook's page",
      testSecret: 'dGhpc19zZWNyZXRfaXNfZm9yX3Rlc3Rpbmdfb25seQ==',
    },
    limits:
      'The URL and the other headers are not signed: the invocation ID can be changed. Time and body are joined without a separator.',
  },
  { dates: parseTime },
)
