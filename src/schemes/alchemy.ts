import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'

/**
 * Verifies webhooks from Alchemy by their `X-Alchemy-Signature` header. Each webhook has a signing key, on its page in the dashboard: pass
 * it whole. The signature covers the body, which holds the event's ID and its time. Raise `maxBodyBytes` for custom webhooks that select
 * whole blocks.
 *
 * @example
 * ```ts
 * const auth = alchemy({ secrets: process.env.ALCHEMY_SIGNING_KEY })
 * ```
 */
export const alchemy: SchemeFactory<SecretOptions, '/type'> = schemeOf({
  name: 'alchemy',
  sender: 'Alchemy',
  secretName: 'signing key of the webhook',
  secretMadeBy: 'sender',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['x-alchemy-signature'], spelling: 'hex' },
  signs: '{body}',
  eventId: { member: '/id' },
  eventType: { member: '/type' },
  maxBodyBytes: 1_048_576,
  maxRunSeconds: 540, // and a lease: Alchemy retries for 10 minutes
  facts: {
    unsigned: false,
    usualPrefix: 'whsec_',
    otherSecrets:
      'each webhook has its own; the Auth Token of the dashboard is for the API and signs nothing',
  },
  limits: 'The URL and the headers are not signed.',
})
