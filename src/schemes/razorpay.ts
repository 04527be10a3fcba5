import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'

/**
 * Verifies webhooks from Razorpay by their `X-Razorpay-Signature` header. You choose the secret in the webhook's settings.
 * Retries of older events are still signed with the older secret, so keep both until the retries end. The signature covers the
 * body, which holds the event's time. The ID is in an unsigned header, so the signed bytes are claimed.
 *
 * @example
 * ```ts
 * const auth = razorpay({ secrets: process.env.RAZORPAY_WEBHOOK_SECRET })
 * ```
 */
export const razorpay: SchemeFactory<SecretOptions, '/event'> = schemeOf({
  name: 'razorpay',
  sender: 'Razorpay',
  secretName: 'secret of the webhook',
  secretMadeBy: 'user',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['x-razorpay-signature'], spelling: 'hex' },
  signs: '{body}',
  timestamp: { member: '/created_at', unit: 'seconds', of: 'event', toleranceSeconds: 172_800 },
  eventId: { header: 'x-razorpay-event-id' },
  eventType: { member: '/event' },
  maxBodyBytes: 1_048_576,
  facts: {
    unsigned:
      'Razorpay signs only if the webhook has a secret: set one in the Dashboard, under Accounts & Settings, Webhooks',
  },
  limits: 'The URL and the headers are not signed: the event ID can be changed.',
})
