import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'

/**
 * Verifies webhooks from Vercel by their `X-Vercel-Signature` header; it is an HMAC-SHA1, the only algorithm that Vercel
 * offers. The key is the webhook's secret, shown when you create it, or the integration's client secret. The signature covers
 * the body, which holds the event's ID and time.
 *
 * @example
 * ```ts
 * const auth = vercel({ secrets: process.env.VERCEL_WEBHOOK_SECRET })
 * ```
 */
export const vercel: SchemeFactory<SecretOptions, '/type'> = schemeOf({
  name: 'vercel',
  sender: 'Vercel',
  secretName: 'secret of the webhook, or client secret of the integration',
  secretMadeBy: 'user',
  algorithm: 'hmac-sha1',
  key: 'text',
  signature: { headers: ['x-vercel-signature'], spelling: 'hex' },
  signs: '{body}',
  timestamp: { member: '/createdAt', unit: 'milliseconds', of: 'event', toleranceSeconds: 172_800 },
  eventId: { member: '/id' },
  eventType: { member: '/type' },
  maxBodyBytes: 1_048_576,
  facts: { unsigned: false },
  limits: 'The URL and the other headers are not signed.',
})
