import { defineScheme, type SchemeFactory } from '../src/scheme/index.ts'

/**
 * Zendesk: `X-Zendesk-Webhook-Signature`. The signing secret is on the webhook's page in the Admin Center. Test
 * deliveries of a webhook that is not saved yet are signed with a secret that is public: never configure that one. The
 * signature covers its time and the body. The ID is a header and not signed, so the signed bytes are claimed with it.
 *
 * @example
 * ```ts
 * const auth = zendesk({ secrets: process.env.ZENDESK_WEBHOOK_SECRET })
 * ```
 */
export const zendesk: SchemeFactory = defineScheme({
  name: 'zendesk',
  sender: 'Zendesk',
  secretName: 'signing secret of the webhook',
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
  limits:
    'The URL and the other headers are not signed: the invocation ID can be changed. Nothing divides time and body.',
})
