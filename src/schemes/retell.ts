import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'

/**
 * Verifies webhooks from Retell AI by their `X-Retell-Signature` header. The key is the API key that has a webhook badge in the
 * dashboard. The signature covers the body and the time of the attempt in milliseconds. Deliveries have no ID, so the signed bytes are
 * claimed, and a retry with a new time is a new event.
 *
 * @example
 * ```ts
 * const auth = retell({ secrets: process.env.RETELL_API_KEY })
 * ```
 */
export const retell: SchemeFactory<SecretOptions, '/event'> = schemeOf({
  name: 'retell',
  sender: 'Retell AI',
  secretName: 'API key with the webhook badge',
  secretMadeBy: 'sender',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['x-retell-signature'], separator: ',', prefix: 'd=', spelling: 'hex' },
  signs: '{body}{timestamp}',
  timestamp: { item: 'v=', unit: 'milliseconds', of: 'attempt', toleranceSeconds: 300 },
  eventType: { member: '/event' },
  maxBodyBytes: 4_194_304,
  facts: {
    unsigned: false,
    signsWithApiKey: true,
    otherSecrets: 'only the API key with the webhook badge signs, not the others of the workspace',
  },
  limits: 'The URL and the other headers are not signed. Body and time are joined without a separator.',
})
