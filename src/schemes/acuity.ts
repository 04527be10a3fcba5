import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'
import { FORMS } from './kit/forms.ts'

/**
 * Verifies webhooks from Acuity Scheduling by their `X-Acuity-Signature` header. The key is your API key: of the main admin for static
 * webhooks, of the user who made them for dynamic ones. The signature covers the body, a form that only names what changed. Genuine
 * bodies repeat, so nothing is claimed (`dedupe: 'off'`). Your handler runs for every delivery, including replays, and fetches the
 * appointment or order.
 *
 * @example
 * ```ts
 * const auth = acuity({ secrets: process.env.ACUITY_API_KEY })
 * ```
 */
export const acuity: SchemeFactory<SecretOptions, '/action'> = schemeOf(
  {
    name: 'acuity',
    sender: 'Acuity Scheduling',
    secretName: 'API key',
    secretMadeBy: 'sender',
    algorithm: 'hmac-sha256',
    key: 'text',
    signature: { headers: ['x-acuity-signature'], spelling: 'base64' },
    signs: '{body}',
    eventType: { member: '/action' },
    content: ['form'],
    dedupe: 'off',
    maxBodyBytes: 65_536,
    facts: {
      unsigned: false,
      signsWithApiKey: true,
      otherSecrets:
        'static webhooks are signed with the key of the main admin, dynamic ones with that of their user',
    },
    limits:
      'The time, the URL and the headers are not signed. Bodies repeat, so a replay cannot be told from a new delivery.',
  },
  { forms: FORMS },
)
