import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'
import { keyBytes } from './kit/keys.ts'
import { STANDARD_WEBHOOKS } from './kit/standard-webhooks-row.ts'

/**
 * Verifies webhooks from GitLab with a signing token, which follow Standard Webhooks. The signing token is in the webhook's
 * settings. The signature covers the ID, the time and the body (Standard Webhooks v1). The event's name is in an unsigned
 * header. For the older secret token, import `hookgate/schemes/gitlab`.
 *
 * @example
 * ```ts
 * const auth = gitlabSigning({ secrets: process.env.GITLAB_SIGNING_TOKEN })
 * ```
 */
export const gitlabSigning: SchemeFactory<SecretOptions, 'x-gitlab-event'> = schemeOf(
  {
    ...STANDARD_WEBHOOKS,
    name: 'gitlab-signing',
    sender: 'GitLab (signing token)',
    secretName: 'signing token of the webhook, whsec_…',
    eventType: { header: 'x-gitlab-event' },
    facts: {
      unsigned:
        "GitLab signs only if the webhook has a signing token: generate one in the webhook's settings",
    },
    limits: 'The URL and the other headers, including X-Gitlab-Event, are not signed.',
  },
  { keys: keyBytes },
)
