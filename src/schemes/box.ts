import { textAt } from '../lib/json.ts'
import { parseTime } from '../lib/time.ts'
import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'

/**
 * Verifies webhooks from Box by their `Box-Signature-Primary` and `Box-Signature-Secondary` headers. Pass both of the app's
 * signature keys, from the Developer Console under Webhooks. Each key is tried on each header. The signature covers the body
 * and a timestamp, which may be 10 minutes old but not in the future. `event.id` is the unsigned header `BOX-DELIVERY-ID`,
 * which differs between the attempts of an event. So the signed bytes and the `id` of the body are claimed.
 *
 * @example
 * ```ts
 * const auth = box({ secrets: process.env.BOX_WEBHOOK_SECRET })
 * ```
 */
export const box: SchemeFactory<SecretOptions, '/trigger'> = schemeOf(
  {
    name: 'box',
    sender: 'Box',
    secretName: 'primary and secondary key of the app',
    secretMadeBy: 'sender',
    algorithm: 'hmac-sha256',
    key: 'text',
    signature: { headers: ['box-signature-primary', 'box-signature-secondary'], spelling: 'base64' },
    signs: '{body}{timestamp}',
    timestamp: {
      header: 'box-delivery-timestamp',
      unit: 'rfc3339',
      of: 'attempt',
      toleranceSeconds: 600,
      aheadSeconds: 0,
    },
    eventId: { header: 'box-delivery-id' },
    claimedId: (_, { payload }) => textAt(payload, ['id']) ?? '',
    eventType: { member: '/trigger' },
    fixedHeaders: { 'box-signature-version': '1', 'box-signature-algorithm': 'HmacSHA256' },
    maxBodyBytes: 1_048_576,
    facts: {
      unsigned:
        'Box signs only if the app has signature keys: generate them in the Developer Console, under Webhooks, Manage signature keys',
    },
    limits: 'The URL and the other headers are not signed: BOX-DELIVERY-ID can be changed.',
  },
  { dates: parseTime },
)
