import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'

/**
 * Verifies webhooks from Airwallex by their `x-signature` header. The secret belongs to the notification URL and is shown in the web app,
 * under Developer, Webhooks: pass it whole. The signature covers a timestamp in milliseconds and the body, which holds the event's ID.
 *
 * Airwallex documents no tolerance, so no delivery is refused for its age. It sends again whatever is not answered by 200.
 *
 * @example
 * ```ts
 * const auth = airwallex({ secrets: process.env.AIRWALLEX_WEBHOOK_SECRET })
 * ```
 */
export const airwallex: SchemeFactory<SecretOptions, '/name'> = schemeOf({
  name: 'airwallex',
  sender: 'Airwallex',
  secretName: 'secret of the webhook',
  secretMadeBy: 'sender',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['x-signature'], spelling: 'hex' },
  signs: '{timestamp}{body}',
  timestamp: { header: 'x-timestamp', unit: 'milliseconds', of: 'attempt' },
  eventId: { member: '/id' },
  eventType: { member: '/name' },
  maxBodyBytes: 1_048_576,
  facts: {
    usualPrefix: 'whsec_',
    unsigned:
      'Airwallex signs only if the webhook has a secret: generate one in the web app, under Developer, Webhooks',
  },
  limits: 'The URL and the other headers are not signed. Time and body are joined without a separator.',
})
