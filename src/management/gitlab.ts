import { checkOptions, optional, wellFormedText } from '../lib/options.ts'
import type { ManagementApi } from './api.ts'
import { checkedUrl } from './given.ts'

/** A project on GitLab. */
export interface GitlabProject {
  /** Its ID, or its path: `group/project`. */
  readonly project: string
  /** Of a GitLab of your own: `https://HOSTNAME/api/v4`. Gets the token, so take it from your configuration only. */
  readonly baseUrl?: string | undefined
}

/**
 * GitLab's API for the webhooks of a project that have a secret token. Keeps attempts for seven days, with `[REDACTED]` for each email
 * address and without bodies that are too large, and sends what it has kept again on request, five times a minute. What it has not kept is
 * named.
 *
 * The token: of a Maintainer, with the scope `read_api`, and `api` so that GitLab can be asked to send again.
 *
 * @example
 * ```ts
 * const api = gitlabProjectApi({ project: 'group/project' })
 * ```
 *
 * @throws ListenerConfigError for a missing, unknown or invalid option.
 */
export function gitlabProjectApi(of: GitlabProject): ManagementApi {
  checkOptions('gitlabProjectApi', of, { project: wellFormedText, baseUrl: optional(wellFormedText) })
  const { project, baseUrl = 'https://gitlab.com/api/v4' } = of
  // https://docs.gitlab.com/api/project_webhooks and https://github.com/gitlabhq/gitlabhq: lib/api/hooks, lib/api/entities/web_hook_log.rb,
  // app/services/web_hook_service.rb, app/models/hooks/web_hook_log.rb, 2026-11-29
  return {
    scheme: 'gitlab',
    sender: 'GitLab',
    baseUrl: checkedUrl(baseUrl),
    parameters: { project },
    headers: {},
    token: {
      header: 'private-token',
      before: '',
      reads: 'the scope read_api, of a Maintainer',
      redelivers: 'the scope api, of a Maintainer, to ask for redelivery',
    },
    endpoints: {
      path: '/projects/{project}/hooks',
      query: { per_page: '100' },
      items: '',
      next: { linked: 'page' },
      id: '/id',
      url: '/url',
      types: '',
      flags: FLAGS,
      should: [
        {
          finding: 'disabled',
          at: '/alert_status',
          is: 'executable',
          fix: 'mend the endpoint, then test the webhook in its settings, which enables it again',
        },
        {
          finding: 'insecure',
          at: '/enable_ssl_verification',
          is: true,
          fix: "enable SSL verification in the webhook's settings",
        },
      ],
    },
    missed: {
      ofAccount: false,
      path: '/projects/{project}/hooks/{hook}/events',
      query: { per_page: '20' }, // more is refused
      items: '',
      next: { linked: 'page' },
      id: '/id',
      event: '/request_headers/Idempotency-Key',
      type: '/request_headers/X-Gitlab-Event',
      time: { at: '/created_at', unit: 'rfc3339' },
      status: { at: '/response_status', delivered: '2xx' }, // `?status=` leaves out what could not connect
      keepsDays: 7,
      caveat: 'GitLab has not kept email addresses: [REDACTED] stands for each',
      record: {
        trust: 'fetched',
        body: '/request_data',
        headers: {
          'idempotency-key': '/request_headers/Idempotency-Key',
          'x-gitlab-event': '/request_headers/X-Gitlab-Event',
        },
        lost: '{"oversize":true}',
      },
    },
    redelivery: {
      method: 'POST',
      path: '/projects/{project}/hooks/{hook}/events/{id}/resend',
      perMinute: 5,
    },
  }
}

/** app/models/concerns/triggerable_hooks.rb: https://github.com/gitlabhq/gitlabhq, 2026-11-29 */
const FLAGS = {
  push_events: 'Push Hook',
  tag_push_events: 'Tag Push Hook',
  issues_events: 'Issue Hook',
  confidential_issues_events: 'Confidential Issue Hook',
  merge_requests_events: 'Merge Request Hook',
  note_events: 'Note Hook',
  confidential_note_events: 'Confidential Note Hook',
  job_events: 'Job Hook',
  pipeline_events: 'Pipeline Hook',
  wiki_page_events: 'Wiki Page Hook',
  deployment_events: 'Deployment Hook',
  feature_flag_events: 'Feature Flag Hook',
  releases_events: 'Release Hook',
  emoji_events: 'Emoji Hook',
} as const
