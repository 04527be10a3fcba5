import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'

/**
 * Verifies outbound webhooks from CircleCI by their `circleci-signature` header. You choose the secret token in the webhook's form. Only
 * signatures of version 1 are accepted, the one that there is. They cover the body, which holds the event's ID and its time.
 *
 * @example
 * ```ts
 * const auth = circleci({ secrets: process.env.CIRCLECI_WEBHOOK_SECRET })
 * ```
 */
export const circleci: SchemeFactory<SecretOptions, '/type'> = schemeOf({
  name: 'circleci',
  sender: 'CircleCI',
  secretName: 'secret token of the webhook',
  secretMadeBy: 'user',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['circleci-signature'], separator: ',', prefix: 'v1=', spelling: 'hex' },
  signs: '{body}',
  eventId: { member: '/id' },
  eventType: { member: '/type' },
  maxBodyBytes: 1_048_576,
  facts: {
    unsigned:
      'CircleCI signs only if the webhook has a secret token: enter one in Project Settings, Webhooks, or as signing-secret of the API',
  },
  limits: 'The URL and the headers are not signed.',
})
