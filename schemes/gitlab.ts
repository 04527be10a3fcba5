import { defineScheme, type SchemeFactory } from '../src/scheme/index.ts'

/**
 * GitLab with a secret token: `X-Gitlab-Token`. You choose the token in the webhook's settings. Nothing is signed.
 * Anyone who has seen the token can send anything, so prefer a signing scheme, or add `allowedCidrs`. Webhooks with a
 * signing token are `hookgate/schemes/gitlab-signing`. Deliveries are claimed by `Idempotency-Key`, which GitLab sends
 * from 17.4 on, before that by their bodies.
 *
 * @example
 * ```ts
 * const auth = gitlab({ secrets: process.env.GITLAB_SECRET_TOKEN })
 * ```
 */
export const gitlab: SchemeFactory = defineScheme({
  name: 'gitlab',
  sender: 'GitLab',
  secretName: 'secret token of the webhook',
  algorithm: 'token',
  key: 'text',
  signature: { headers: ['x-gitlab-token'] },
  signs: '{body}',
  eventId: { header: 'idempotency-key' },
  eventType: { header: 'x-gitlab-event' },
  maxBodyBytes: 26_214_400,
  limits:
    'Nothing is signed: the token vouches for the caller alone, and anyone who has seen it can make deliveries up.',
})
