import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'

/**
 * Verifies webhooks from LaunchDarkly by their `X-LD-Signature` header. The key is the secret of the webhook, made for you or your own.
 * The signature covers only the body, an entry of the audit log, which holds its ID.
 *
 * @example
 * ```ts
 * const auth = launchdarkly({ secrets: process.env.LAUNCHDARKLY_WEBHOOK_SECRET })
 * ```
 */
export const launchdarkly: SchemeFactory<SecretOptions, '/kind'> = schemeOf({
  name: 'launchdarkly',
  sender: 'LaunchDarkly',
  secretName: 'secret of the webhook',
  secretMadeBy: 'user',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['x-ld-signature'], spelling: 'hex' },
  signs: '{body}',
  eventId: { member: '/_id' },
  eventType: { member: '/kind' },
  maxBodyBytes: 1_048_576,
  facts: {
    unsigned:
      'LaunchDarkly signs only the webhooks with a secret: turn signing on where you edit the webhook',
    otherKeys: { 'sdk-': 'an SDK key', 'api-': 'an access token', 'mob-': 'a mobile key' },
  },
  limits: 'The time, the URL and the headers are not signed.',
})
