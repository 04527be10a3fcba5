import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'

/**
 * Verifies webhooks from Buildkite by their `X-Buildkite-Signature` header, for webhooks of pipelines and package registries.
 * The secret is the webhook's Token, in the settings of its Webhook notification service. Set the service to send a signature:
 * webhooks that send the token itself, in `X-Buildkite-Token`, are refused. The signature covers the body and the time of the
 * attempt. Deliveries have no ID, so the signed bytes are claimed, and a retry with a new time is a new event.
 *
 * @example
 * ```ts
 * const auth = buildkite({ secrets: process.env.BUILDKITE_WEBHOOK_SECRET })
 * ```
 */
export const buildkite: SchemeFactory<SecretOptions, '/event'> = schemeOf({
  name: 'buildkite',
  sender: 'Buildkite',
  secretName: 'token of the webhook',
  secretMadeBy: 'user',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['x-buildkite-signature'], separator: ',', prefix: 'signature=', spelling: 'hex' },
  signs: '{timestamp}.{body}',
  timestamp: { item: 'timestamp=', unit: 'seconds', of: 'attempt', toleranceSeconds: 300 },
  eventType: { member: '/event' },
  maxBodyBytes: 1_048_576,
  facts: {
    unsigned:
      "Buildkite signs only if its notification service sends a signature instead of the token: choose that in the service's settings",
  },
  limits: 'The URL and the other headers are not signed.',
})
