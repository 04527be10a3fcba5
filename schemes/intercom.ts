import { defineScheme, type SchemeFactory } from '../src/scheme/index.ts'

/**
 * Intercom: `X-Hub-Signature`, by HMAC-SHA1, the only algorithm that Intercom offers. The key is the app's client
 * secret, in the Developer Hub. The signature covers the body, which holds the notification's ID and the time of its
 * first attempt.
 *
 * @example
 * ```ts
 * const auth = intercom({ secrets: process.env.INTERCOM_WEBHOOK_SECRET })
 * ```
 */
export const intercom: SchemeFactory = defineScheme({
  name: 'intercom',
  sender: 'Intercom',
  secretName: 'client secret of the app',
  algorithm: 'hmac-sha1',
  key: 'text',
  signature: { headers: ['x-hub-signature'], prefix: 'sha1=', spelling: 'hex' },
  signs: '{body}',
  timestamp: { member: '/first_sent_at', unit: 'seconds', of: 'event', toleranceSeconds: 172_800 },
  eventId: { member: '/id' },
  eventType: { member: '/topic' },
  maxBodyBytes: 1_048_576,
  limits: 'The URL and the other headers are not signed.',
})
