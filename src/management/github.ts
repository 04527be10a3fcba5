import { checkOptions, optional, wellFormedText } from '../lib/options.ts'
import { BEARER, type Endpoints, type ManagementApi, type Missed, type Texts } from './api.ts'
import { checkedUrl } from './given.ts'

/** Where a GitHub is that is not on github.com. */
export interface GithubHost {
  /**
   * The API of GitHub Enterprise: `https://HOSTNAME/api/v3`, or `https://api.SUBDOMAIN.ghe.com`. It gets the token, so take it from your
   * configuration only. Defaults to `https://api.github.com`.
   */
  readonly baseUrl?: string | undefined
}

/** A repository on GitHub. */
export interface GithubRepository extends GithubHost {
  /** The user or organisation that owns it. */
  readonly owner: string
  /** Its name. */
  readonly repo: string
}

/** An organisation on GitHub. */
export interface GithubOrganization extends GithubHost {
  /** Its name in its URL. */
  readonly org: string
}

/**
 * GitHub's API for the webhooks of a repository. Keeps deliveries for three days, GitHub Enterprise Server for seven. While a webhook is not
 * active, nothing is delivered, so nothing can be recovered.
 *
 * The token: fine-grained with read access to Webhooks, and write access so that GitHub can be asked to deliver again; or classic, with
 * `repo_hook`.
 *
 * @example
 * ```ts
 * const api = githubRepositoryApi({ owner: 'octocat', repo: 'hello-world' })
 * ```
 *
 * @throws ListenerConfigError for a missing, unknown or invalid option.
 */
export function githubRepositoryApi(of: GithubRepository): ManagementApi {
  checkOptions('githubRepositoryApi', of, {
    owner: wellFormedText,
    repo: wellFormedText,
    baseUrl: optional(wellFormedText),
  })
  const { owner, repo } = of
  return githubApi('/repos/{owner}/{repo}', { owner, repo }, of, {
    reads: 'read access to Webhooks (a classic one: read:repo_hook)',
    redelivers: 'write access to Webhooks (a classic one: repo_hook), to ask for redelivery',
  })
}

/**
 * The same for the webhooks of an organisation. The token: fine-grained with read access to the organisation's Webhooks, and write access so that
 * GitHub can be asked to deliver again; or classic, with `admin:org_hook`.
 *
 * @example
 * ```ts
 * const api = githubOrganizationApi({ org: 'octo-org' })
 * ```
 *
 * @throws ListenerConfigError for a missing, unknown or invalid option.
 */
export function githubOrganizationApi(of: GithubOrganization): ManagementApi {
  checkOptions('githubOrganizationApi', of, { org: wellFormedText, baseUrl: optional(wellFormedText) })
  return githubApi('/orgs/{org}', { org: of.org }, of, {
    reads: "read access to the organisation's Webhooks (a classic one: admin:org_hook)",
    redelivers:
      "write access to the organisation's Webhooks (a classic one: admin:org_hook), to ask for redelivery",
  })
}

/**
 * The same for the webhook of a GitHub App, with the deliveries of all its installations. The token is a function that signs a JWT of at most
 * ten minutes with the app's private key.
 *
 * @example
 * ```ts
 * const api = githubAppApi()
 * ```
 *
 * @throws ListenerConfigError for an unknown or invalid option.
 */
export function githubAppApi(of: GithubHost = {}): ManagementApi {
  checkOptions('githubAppApi', of, { baseUrl: optional(wellFormedText) })
  return {
    ...commonOf(of),
    token: {
      ...BEARER,
      // The command takes this API if it is told nothing else.
      reads:
        'a JWT that the app has signed, or, for the webhook of a repository or an organisation, its name: owner=… and repo=…, or org=…',
    },
    // https://docs.github.com/en/rest/apps/webhooks, 2026-11-28
    endpoints: {
      path: '/app/hook/config',
      query: {},
      items: 'only',
      url: '/url',
      types: '/events',
      typesCall: { path: '/app' },
      everywhere: [
        ...['ping', 'github_app_authorization', 'installation'],
        ...['installation_repositories', 'installation_target'],
      ],
      should: shouldIn(''),
    },
    ...attemptsIn('/app/hook', of),
  }
}

function githubApi(
  base: string,
  parameters: Texts,
  host: GithubHost,
  needs: Pick<ManagementApi['token'], 'reads' | 'redelivers'>,
): ManagementApi {
  return {
    ...commonOf(host),
    parameters,
    token: { ...BEARER, ...needs },
    // https://docs.github.com/en/rest/repos/webhooks and …/orgs/webhooks, 2026-11-28
    endpoints: { path: `${base}/hooks`, ...ENDPOINTS },
    ...attemptsIn(`${base}/hooks/{hook}`, host),
  }
}

const ENDPOINTS: Omit<Endpoints, 'path'> = {
  query: { per_page: '100' },
  items: '',
  next: { linked: 'page' },
  id: '/id',
  url: '/config/url',
  types: '/events',
  everywhere: ['ping'],
  should: [
    {
      finding: 'disabled',
      at: '/active',
      is: true,
      fix: "activate it in the webhook's settings; what happened meanwhile was not delivered, and cannot be recovered",
    },
    ...shouldIn('/config'),
  ],
}

/** A secret is masked, so only its absence shows. */
function shouldIn(config: string): Endpoints['should'] {
  return [
    {
      finding: 'insecure',
      at: `${config}/insecure_ssl`,
      is: '0',
      fix: "enable SSL verification in the webhook's settings",
    },
    {
      finding: 'unsigned',
      at: `${config}/secret`,
      is: 'present',
      fix: "set a secret in the webhook's settings, and the same in your endpoint",
    },
  ]
}

const DOTCOM = 'https://api.github.com'

function commonOf({ baseUrl = DOTCOM }: GithubHost) {
  return {
    scheme: 'github',
    sender: 'GitHub',
    baseUrl: checkedUrl(baseUrl),
    parameters: {},
    headers: { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' },
    // "You have exceeded a secondary rate limit": https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api, 2026-11-29
    tooOften: { says: 'rate limit', seconds: 60 },
  } as const
}

/** Lists attempts, because `?status=failure` leaves out those that could not connect. */
function attemptsIn(
  hook: string,
  { baseUrl = DOTCOM }: GithubHost,
): Pick<ManagementApi, 'missed' | 'redelivery'> {
  const missed: Missed = {
    ofAccount: false,
    path: `${hook}/deliveries`,
    query: { per_page: '100' },
    items: '',
    next: { linked: 'cursor' },
    id: '/id', // over 2^53
    event: '/guid',
    type: '/event',
    time: { at: '/delivered_at', unit: 'rfc3339' },
    status: { at: '/status_code', delivered: '2xx' },
    // https://docs.github.com/en/webhooks/testing-and-troubleshooting-webhooks/viewing-webhook-deliveries, 2026-11-28
    keepsDays: /^https:\/\/api\.(?:github\.com|[^./]+\.ghe\.com)$/.test(baseUrl) ? 3 : 7,
    record: {
      trust: 'signed',
      call: { path: `${hook}/deliveries/{id}` },
      headers: '/request/headers',
      body: '/request/payload',
    },
  }
  // 80 requests a minute may make something: https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api, 2026-11-28
  return { missed, redelivery: { method: 'POST', path: `${hook}/deliveries/{id}/attempts`, perMinute: 60 } }
}
