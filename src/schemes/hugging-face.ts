import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'
import { TOKENS } from './kit/tokens.ts'

/**
 * Verifies webhooks from the Hugging Face Hub by their `X-Webhook-Secret` header. You choose the secret in the webhook's settings.
 * Nothing is signed, and anyone who has seen the secret can send anything. Deliveries have no ID, and genuine bodies may repeat, e.g.
 * when a setting changes twice, so nothing is claimed: a delivery that Hugging Face repeats runs again.
 *
 * @example
 * ```ts
 * const auth = huggingFace({ secrets: process.env.HUGGING_FACE_WEBHOOK_SECRET })
 * ```
 */
export const huggingFace: SchemeFactory<SecretOptions, '/event/scope'> = schemeOf(
  {
    name: 'hugging-face',
    sender: 'Hugging Face',
    secretName: 'secret of the webhook',
    secretMadeBy: 'user',
    algorithm: 'token',
    key: 'text',
    signature: { headers: ['x-webhook-secret'] },
    signs: '{body}',
    eventType: { member: '/event/scope' },
    dedupe: 'off',
    maxBodyBytes: 1_048_576,
    facts: {
      unsigned:
        "Hugging Face sends a secret only if the webhook has one: enter it in the webhook's settings, and not in its URL",
    },
    limits:
      'Nothing is signed: the token only identifies the caller, and anyone who has seen it can forge deliveries. Bodies may repeat, so a replay cannot be told from a new delivery.',
  },
  { tokens: TOKENS },
)
