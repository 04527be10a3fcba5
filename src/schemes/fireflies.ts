import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'

/**
 * Verifies webhooks from Fireflies (Webhooks V2) by their `X-Hub-Signature` header, which is an HMAC-SHA256 under the name that is
 * SHA-1 elsewhere. You choose the signing secret where you configure the webhook. The signature covers the body, which holds the
 * event's time. Deliveries have no documented ID, so the signed bytes are claimed. Webhooks V1 are signed in the same way, but have
 * neither a time nor an `event.type`: read `event.payload.eventType`. Their page does not show `sha256=`, so the digest alone is
 * accepted as well.
 *
 * @example
 * ```ts
 * const auth = fireflies({ secrets: process.env.FIREFLIES_WEBHOOK_SECRET })
 * ```
 */
export const fireflies: SchemeFactory<SecretOptions, '/event'> = schemeOf({
  name: 'fireflies',
  sender: 'Fireflies',
  secretName: 'signing secret of the webhook',
  secretMadeBy: 'user',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['x-hub-signature'], prefix: 'sha256=', prefixOptional: true, spelling: 'hex' },
  signs: '{body}',
  timestamp: { member: '/timestamp', unit: 'milliseconds', of: 'event' },
  eventType: { member: '/event' },
  maxBodyBytes: 1_048_576,
  facts: {
    unsigned:
      'Fireflies signs only if the webhook has a signing secret: set one on its page for the configuration of webhooks',
  },
  limits: 'The URL and the headers are not signed.',
})
