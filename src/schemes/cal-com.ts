import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'
import { FORMS } from './kit/forms.ts'

/**
 * Verifies webhooks from Cal.com by their `X-Cal-Signature-256` header. You choose the secret in the webhook's settings. The
 * signature covers the body, which holds a time but no ID, so the signed bytes are claimed.
 *
 * A custom payload template is signed too, and may be a form. Put `{{createdAt}}` and `{{uid}}` into it: two events whose bodies are
 * equal are claimed as one.
 *
 * @example
 * ```ts
 * const auth = calCom({ secrets: process.env.CAL_COM_WEBHOOK_SECRET })
 * ```
 */
export const calCom: SchemeFactory<SecretOptions, '/triggerEvent'> = schemeOf(
  {
    name: 'cal-com',
    sender: 'Cal.com',
    secretName: 'secret of the webhook',
    secretMadeBy: 'user',
    algorithm: 'hmac-sha256',
    key: 'text',
    signature: { headers: ['x-cal-signature-256'], spelling: 'hex' },
    signs: '{body}',
    eventType: { member: '/triggerEvent' },
    content: ['json', 'form'],
    maxBodyBytes: 1_048_576,
    facts: {
      unsigned:
        'Cal.com signs only if the webhook has a secret, and sends no-secret-provided otherwise: set one under Settings, Developer, Webhooks',
    },
    limits: 'The URL and the headers are not signed.',
  },
  { forms: FORMS },
)
