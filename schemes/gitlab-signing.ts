import { defineScheme, type SchemeFactory } from '../src/scheme/index.ts'
import { STANDARD_WEBHOOKS } from '../src/scheme/standard-webhooks-row.ts'

/**
 * GitLab with a signing token: Standard Webhooks. The signing token belongs to the webhook, beside the older secret
 * token, for which `hookgate/schemes/gitlab` is. The signature covers the ID, the time and the body (Standard Webhooks
 * v1). The event's name is a header and not signed.
 *
 * @example
 * ```ts
 * const auth = gitlabSigning({ secrets: process.env.GITLAB_SIGNING_TOKEN })
 * ```
 */
export const gitlabSigning: SchemeFactory = defineScheme({
  ...STANDARD_WEBHOOKS,
  name: 'gitlab-signing',
  sender: 'GitLab',
  secretName: 'signing token of the webhook, whsec_…',
  eventType: { header: 'x-gitlab-event' },
  limits: 'The URL and the other headers are not signed, X-Gitlab-Event among them.',
})
