import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'
import { TOKENS } from './kit/tokens.ts'

/**
 * Verifies webhooks from GitLab with a secret token by their `X-Gitlab-Token` header. You choose the token in the webhook's
 * settings. Nothing is signed, and anyone who has seen the token can send anything. Prefer a signing token
 * (`hookgate/schemes/gitlab-signing`), or add `allowedCidrs`. Deliveries are claimed by `Idempotency-Key`, which GitLab sends
 * since 17.4, or else by their bodies.
 *
 * @example
 * ```ts
 * const auth = gitlab({ secrets: process.env.GITLAB_SECRET_TOKEN })
 * ```
 */
export const gitlab: SchemeFactory<SecretOptions, 'x-gitlab-event'> = schemeOf(
  {
    name: 'gitlab',
    sender: 'GitLab (secret token)',
    secretName: 'secret token of the webhook',
    secretMadeBy: 'user',
    algorithm: 'token',
    key: 'text',
    signature: { headers: ['x-gitlab-token'] },
    signs: '{body}',
    eventId: { header: 'idempotency-key' },
    eventType: { header: 'x-gitlab-event' },
    maxBodyBytes: 26_214_400,
    facts: {
      unsigned:
        "GitLab sends a token only if the webhook has one: enter it as Secret token in the webhook's settings",
    },
    limits:
      'Nothing is signed: the token only identifies the caller, and anyone who has seen it can forge deliveries.',
  },
  { tokens: TOKENS },
)
