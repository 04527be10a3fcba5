import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'

/**
 * Verifies webhooks from Sentry by their `Sentry-Hook-Signature` header. The key is the client secret of the internal or
 * public integration. `Sentry-Hook-Timestamp` is not signed and is ignored. The signature covers only the body. The signed
 * bytes are claimed, so a captured delivery cannot run again while they are remembered.
 *
 * @example
 * ```ts
 * const auth = sentry({ secrets: process.env.SENTRY_WEBHOOK_SECRET })
 * ```
 */
export const sentry: SchemeFactory<SecretOptions, 'sentry-hook-resource'> = schemeOf({
  name: 'sentry',
  sender: 'Sentry',
  secretName: 'client secret of the integration',
  secretMadeBy: 'sender',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['sentry-hook-signature'], spelling: 'hex' },
  signs: '{body}',
  eventId: { header: 'request-id' },
  eventType: { header: 'sentry-hook-resource' },
  maxBodyBytes: 1_048_576,
  facts: {
    unsigned:
      'Sentry signs the webhooks of integrations, not those of its older WebHooks plugin: create an internal integration',
  },
  limits:
    'The time, the URL and the headers are not signed: Request-ID, Sentry-Hook-Resource and Sentry-Hook-Timestamp can be changed.',
})
