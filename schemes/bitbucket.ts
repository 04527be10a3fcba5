import { defineScheme, type SchemeFactory } from '../src/scheme/index.ts'

/**
 * Bitbucket Cloud: `X-Hub-Signature`, which holds an HMAC-SHA256 under the name that is SHA-1 elsewhere. You choose
 * the secret in the webhook's settings. The signature covers the body alone, so the signed bytes are claimed: no
 * captured delivery runs again while they are remembered.
 *
 * @example
 * ```ts
 * const auth = bitbucket({ secrets: process.env.BITBUCKET_WEBHOOK_SECRET })
 * ```
 */
export const bitbucket: SchemeFactory = defineScheme({
  name: 'bitbucket',
  sender: 'Bitbucket',
  secretName: 'secret of the webhook',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['x-hub-signature'], prefix: 'sha256=', spelling: 'hex' },
  signs: '{body}',
  eventId: { header: 'x-request-uuid' },
  eventType: { header: 'x-event-key' },
  maxBodyBytes: 1_048_576,
  limits: 'No time is signed, nor the URL, nor the headers: X-Request-UUID and X-Event-Key can be changed.',
})
