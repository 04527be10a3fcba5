import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'

/**
 * Verifies the webhooks of Front's rules by their `X-Front-Signature` header; it is an HMAC-SHA1, the only algorithm that Front offers
 * for them. The key is the API secret, in the settings of the company. The signature covers the body, which holds the event's ID but no
 * time of the delivery. Front does not retry them. Application webhooks are for `front`.
 *
 * @example
 * ```ts
 * const auth = frontRules({ secrets: process.env.FRONT_API_SECRET })
 * ```
 */
export const frontRules: SchemeFactory<SecretOptions, '/type'> = schemeOf({
  name: 'front-rules',
  sender: 'Front (rules)',
  secretName: 'API secret',
  secretMadeBy: 'sender',
  algorithm: 'hmac-sha1',
  key: 'text',
  signature: { headers: ['x-front-signature'], spelling: 'base64' },
  signs: '{body}',
  eventId: { member: '/id' },
  eventType: { member: '/type' },
  maxBodyBytes: 1_048_576,
  facts: {
    unsigned: false,
    otherSecrets: 'application webhooks are signed with the signing key of the app, which is for front',
  },
  limits: 'The time, the URL and the headers are not signed.',
})
