import { aBoolean, checkOptions, optional, wellFormedText } from '../lib/options.ts'
import type { ManagementApi, Texts } from './api.ts'
import { checkedUrl } from './given.ts'

/** Where a GitLab is, and how a webhook of it is verified. */
export interface GitlabHost {
  /**
   * Whether the webhook has a signing token, so that your endpoint uses `gitlabSigning`. Defaults to false: it has a secret token, and your
   * endpoint uses `gitlab`.
   */
  readonly signed?: boolean | undefined
  /** The API of your own GitLab: `https://HOSTNAME/api/v4`. It gets the token, so take it from your configuration only. */
  readonly baseUrl?: string | undefined
}

/** A project on GitLab. */
export interface GitlabProject extends GitlabHost {
  /** Its ID, or its path: `group/project`. */
  readonly project: string
}

/** A group on GitLab. */
export interface GitlabGroup extends GitlabHost {
  /** Its ID, or its path: `group/subgroup`. */
  readonly group: string
}

const HOST = { signed: optional(aBoolean), baseUrl: optional(wellFormedText) }

/**
 * GitLab's API for the webhooks of a project. Keeps attempts for seven days, with `[REDACTED]` for each email address and without bodies
 * that are too large, and sends what it has kept again on request, five times a minute. What it has not kept is named.
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
  checkOptions('gitlabProjectApi', of, { project: wellFormedText, ...HOST })
  return gitlabApi('/projects/{project}/hooks', { project: of.project }, of, 'a Maintainer')
}

/**
 * The same for the webhooks of a group (Premium and Ultimate). The token: of an Owner, with the scope `read_api`, and `api` so that GitLab
 * can be asked to send again.
 *
 * @example
 * ```ts
 * const api = gitlabGroupApi({ group: 'group', signed: true })
 * ```
 *
 * @throws ListenerConfigError for a missing, unknown or invalid option.
 */
export function gitlabGroupApi(of: GitlabGroup): ManagementApi {
  checkOptions('gitlabGroupApi', of, { group: wellFormedText, ...HOST })
  return gitlabApi('/groups/{group}/hooks', { group: of.group }, of, 'an Owner')
}

function gitlabApi(
  hooks: string,
  parameters: Texts,
  { signed = false, baseUrl = 'https://gitlab.com/api/v4' }: GitlabHost,
  role: string,
): ManagementApi {
  // https://docs.gitlab.com/api/project_webhooks and …/group_webhooks, and https://github.com/gitlabhq/gitlabhq: lib/api/hooks,
  // lib/api/entities/web_hook_log.rb, app/services/web_hook_service.rb, app/models/hooks/web_hook_log.rb, 2026-11-30
  return {
    scheme: signed ? 'gitlab-signing' : 'gitlab',
    sender: 'GitLab',
    baseUrl: checkedUrl(baseUrl),
    parameters,
    headers: {},
    token: {
      header: 'private-token',
      before: '',
      reads: `the scope read_api, of ${role}`,
      redelivers: `the scope api, of ${role}, to ask for redelivery`,
    },
    endpoints: {
      path: hooks,
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
          fix: 'fix the endpoint, then test the webhook in its settings, which enables it again',
        },
        {
          finding: 'insecure',
          at: '/enable_ssl_verification',
          is: true,
          fix: "enable SSL verification in the webhook's settings",
        },
        {
          finding: 'unsigned',
          at: signed ? '/signing_token_present' : '/token_present',
          is: true,
          mayLack: true, // before GitLab 19: https://docs.gitlab.com/api/system_hooks, 2026-11-30
          fix: `set a ${signed ? 'signing' : 'secret'} token in the webhook's settings, and the same in your endpoint`,
        },
      ],
    },
    missed: {
      ofAccount: false,
      path: `${hooks}/{hook}/events`,
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
          // The same text: https://gitlab.com/gitlab-org/gitlab/-/merge_requests/230944, 2026-11-30
          [signed ? 'webhook-id' : 'idempotency-key']: '/request_headers/Idempotency-Key',
          'x-gitlab-event': '/request_headers/X-Gitlab-Event',
        },
        lost: '{"oversize":true}',
      },
    },
    redelivery: {
      method: 'POST',
      path: `${hooks}/{hook}/events/{id}/resend`,
      perMinute: 5,
    },
  }
}

/** app/models/concerns/triggerable_hooks.rb, and `hook_to_event` of app/services/web_hook_service.rb: https://github.com/gitlabhq/gitlabhq, 2026-11-30 */
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
  milestone_events: 'Milestone Hook',
  emoji_events: 'Emoji Hook',
  resource_access_token_events: 'Resource Access Token Hook',
  vulnerability_events: 'Vulnerability Hook',
  // of a group
  subgroup_events: 'Subgroup Hook',
  project_events: 'Project Hook',
  member_events: 'Member Hook',
} as const
