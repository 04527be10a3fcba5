import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'

/**
 * Verifies webhooks from Bitbucket Cloud by their `X-Hub-Signature` header. It holds an HMAC-SHA256, although other senders
 * use this header for SHA-1. You choose the secret in the webhook's settings. The signature covers only the body. The signed
 * bytes are claimed, so a captured delivery cannot run again while they are remembered.
 *
 * @example
 * ```ts
 * const auth = bitbucket({ secrets: process.env.BITBUCKET_WEBHOOK_SECRET })
 * ```
 */
export const bitbucket: SchemeFactory<SecretOptions, 'x-event-key'> = schemeOf({
  name: 'bitbucket',
  sender: 'Bitbucket',
  secretName: 'secret of the webhook',
  secretMadeBy: 'user',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['x-hub-signature'], prefix: 'sha256=', spelling: 'hex' },
  signs: '{body}',
  eventId: { header: 'x-request-uuid' },
  eventType: { header: 'x-event-key' },
  maxBodyBytes: 1_048_576,
  facts: {
    unsigned:
      "Bitbucket signs only if the webhook has a secret: set one in the repository's or workspace's settings, under Webhooks",
  },
  limits: 'The time, the URL and the headers are not signed: X-Request-UUID and X-Event-Key can be changed.',
})
