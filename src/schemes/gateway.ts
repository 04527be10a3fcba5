import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'
import { FORMS, JSON_FORM_OR_TEXT } from './kit/forms.ts'
import { keyBytes } from './kit/keys.ts'
import { STANDARD_WEBHOOKS } from './kit/standard-webhooks-row.ts'

/**
 * Verifies deliveries that hookgate's gateway forwards to your app: `hookgate listen --forward-to`, with a forward secret. The gateway
 * signs every sender's deliveries as Standard Webhooks. Pass the forward secret `whsec_…`, which `hookgate secret --whsec` makes.
 *
 * `event.id` is the gateway's `Webhook-Id`, the same for every attempt of an event. The sender's own ID is in
 * `Hookgate-Event-Id`, which is not signed. `event.payload` is the JSON, the fields of a form (at most 1,000), or else the text, or
 * null for bytes that are not UTF-8. The bytes decide which, because the `Content-Type` is not signed: a form begins with no bracket,
 * brace, quote or `<`, has an equals sign, and no space or line end. `event.type` is the member `type` of the body, if it has one.
 * Bodies may have 25 MB.
 *
 * @example
 * ```ts
 * const auth = gateway({ secrets: process.env.FORWARD_SECRET })
 * ```
 */
export const gateway: SchemeFactory<SecretOptions, '/type', string | null> = schemeOf(
  {
    ...STANDARD_WEBHOOKS,
    name: 'gateway',
    sender: 'hookgate gateway',
    secretName: 'forward secret, whsec_…',
    content: [JSON_FORM_OR_TEXT],
    maxBodyBytes: 26_214_400,
    facts: {
      unsigned:
        'the gateway signs nothing without a forward secret: start it with --forward-secret-file FILE',
    },
  },
  { keys: keyBytes, forms: FORMS },
)
