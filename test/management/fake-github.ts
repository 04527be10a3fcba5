import { createHmac } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type FakeServer, sendJson, startFake } from './fake-server.ts'

export const GITHUB_URL = 'https://ci.example/webhooks/github'
export const GITHUB_SECRET = 'the secret of this webhook'
export const GITHUB_TOKEN = 'github_pat_of_these_tests'
export const READ_ONLY_TOKEN = 'github_pat_that_may_only_read'

/** As GitHub counts since 2026: a double cannot tell these from their neighbours. */
const FIRST_ID = 3_804_004_623_172_239_366n
const HOOK_ID = 712_345_678

/** How the API spells a recorded payload: GitHub parses what it sent, and writes it again. `another value` cannot verify. */
export type Spelling = 'as sent' | 'indented' | 'other escapes' | 'another value'

type Handle = (request: Request) => Promise<Response>

interface Sent {
  readonly guid: string
  readonly type: string
  readonly body: string
  readonly headers: { readonly [name: string]: string }
}

interface Attempt {
  readonly id: string
  readonly sent: Sent
  readonly at: Date
  readonly status: number
  readonly redelivery: boolean
}

const PATHS = {
  repository: '/repos/octocat/hello-world/hooks',
  organization: '/orgs/octo-org/hooks',
  app: '/app/hook',
}

const USER = 'https://api.github.com/users/octocat'
const OWNER_URLS = [
  ...['followers', 'following', 'gists', 'starred', 'subscriptions', 'organizations', 'repos', 'events'],
  'received_events',
]

const APP = {
  id: 1,
  slug: 'octoapp',
  node_id: 'MDExOkludGVncmF0aW9uMQ==',
  owner: {
    ...{ login: 'octocat', id: 1, node_id: 'MDQ6VXNlcjE=', type: 'User', site_admin: false },
    ...{ avatar_url: 'https://github.com/images/octocat.gif', gravatar_id: '', url: USER },
    html_url: 'https://github.com/octocat',
    ...Object.fromEntries(OWNER_URLS.map((name) => [`${name}_url`, `${USER}/${name}`])),
  },
  name: 'Octo App',
  description: null,
  external_url: 'https://ci.example/',
  html_url: 'https://github.com/apps/octoapp',
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
  permissions: { contents: 'read' },
}

/** A fake of GitHub: one webhook of a repository, an organisation or an app, and the attempts to deliver its events, newest first. */
export class FakeGithub {
  readonly attempts: Attempt[] = []
  readonly kind: keyof typeof PATHS
  url = GITHUB_URL
  pageSize = 100
  spelling: Spelling = 'as sent'
  contentType: 'json' | 'form' = 'json'
  /** False: the webhook is another's, such as the organisation's. */
  isListed = true
  active = true
  events: readonly string[] = ['push', 'issues']
  secret: string | undefined = '********'
  insecureSsl: '0' | '1' = '0'
  /** Answers redeliveries. */
  handle: Handle = async () => new Response()
  server!: FakeServer // started by `start`

  constructor(kind: keyof typeof PATHS) {
    this.kind = kind
  }

  static async start(kind: keyof typeof PATHS = 'repository'): Promise<FakeGithub> {
    const fake = new FakeGithub(kind)
    fake.server = await startFake('https://api.github.com', (...given) => fake.#answer(...given))
    return fake
  }

  /** Makes an event, and signs it. Its JSON has an escape in capitals, and a number that no double writes again. */
  sign(type: string, number: number): Sent {
    const guid = `00000000-0000-4000-8000-${`${number}`.padStart(12, '0')}`
    const json = `{"action":"opened","number":${number},"size":1.0,"id":98765432109876543${number % 10},"title":"\\u001B[0m caf\u00e9","url":"https://x/"}`
    const body = this.contentType === 'json' ? json : `${new URLSearchParams({ payload: json })}`
    const mac = createHmac('sha256', GITHUB_SECRET).update(body).digest('hex')
    const headers = {
      Accept: '*/*',
      'Content-Type': this.contentType === 'json' ? 'application/json' : 'application/x-www-form-urlencoded',
      'User-Agent': 'GitHub-Hookshot/0000000',
      'X-GitHub-Delivery': guid,
      'X-GitHub-Event': type,
      'X-GitHub-Hook-ID': `${HOOK_ID}`,
      'X-Hub-Signature-256': `sha256=${mac}`,
    }
    return { guid, type, body, headers }
  }

  /** Delivers it. Status 0: nobody answered. */
  async deliver(sent: Sent, at: Date, handle: Handle | undefined, redelivery = false): Promise<number> {
    const { headers, body } = sent
    const status =
      handle === undefined
        ? 0
        : (await handle(new Request(this.url, { method: 'POST', headers, body }))).status
    const id = `${FIRST_ID + BigInt(this.attempts.length)}`
    this.attempts.push({ id, sent, at, status, redelivery })
    return status
  }

  async #answer({ headers, method }: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const token = headers.authorization?.replace(/^(?:Bearer|token) /, '') ?? ''
    if (![GITHUB_TOKEN, READ_ONLY_TOKEN].includes(token))
      return sendJson(response, 401, { message: `Bad credentials: ${token}`, status: '401' })
    const base = PATHS[this.kind]
    const hook = this.kind === 'app' ? base : `${base}/${HOOK_ID}`
    const { pathname } = url
    if (method === 'GET' && pathname === (this.kind === 'app' ? `${base}/config` : base))
      return sendJson(response, 200, this.kind === 'app' ? this.#config : this.isListed ? [this.#hook] : [])
    if (method === 'GET' && pathname === '/app')
      return sendJson(response, 200, { ...APP, events: this.events })
    if (method === 'GET' && pathname === `${hook}/deliveries`) return this.#list(response, url)
    const [, id, isAsked] = new RegExp(`^${hook}/deliveries/(\\d+)(/attempts)?$`).exec(pathname) ?? []
    const attempt = this.attempts.find((each) => each.id === id)
    if (attempt === undefined || (method === 'POST') !== Boolean(isAsked))
      return sendJson(response, 404, { message: 'Not Found', status: '404' })
    if (method === 'GET') return sendJson(response, 200, this.#detailOf(attempt))
    if (token === READ_ONLY_TOKEN)
      return sendJson(response, 403, {
        message: 'Resource not accessible by personal access token',
        status: '403',
      })
    await this.deliver(attempt.sent, new Date(), this.handle, true)
    sendJson(response, 202, {})
  }

  /** The link has the repository's number, as GitHub's links do. */
  #list(response: ServerResponse, { pathname, searchParams }: URL): void {
    const all = this.attempts.toReversed()
    const from = Number(searchParams.get('cursor')?.replace('v1_', '') ?? 0)
    const to = from + Math.min(this.pageSize, Number(searchParams.get('per_page') ?? 30))
    const numbered = pathname.replace('/repos/octocat/hello-world', '/repositories/1296269')
    const link = `<https://api.github.com${numbered}?per_page=100&cursor=v1_${to}>; rel="next"`
    sendJson(
      response,
      200,
      `[${all.slice(from, to).map((attempt) => written(itemOf(attempt)))}]`,
      to < all.length ? { link } : {},
    )
  }

  #detailOf(attempt: Attempt): string {
    const { body, headers } = attempt.sent
    const json = this.contentType === 'json' ? body : (new URLSearchParams(body).get('payload') ?? '')
    const request = { headers, payload: null }
    const detail = { ...itemOf(attempt), url: this.url, request, response: { headers: {}, payload: '' } }
    return written(detail).replace('"payload":null', () => `"payload":${spelt(json, this.spelling)}`)
  }

  get #config() {
    const { secret } = this
    return {
      content_type: this.contentType,
      ...(secret && { secret }),
      url: this.url,
      insecure_ssl: this.insecureSsl,
    }
  }

  get #hook() {
    const url = `https://api.github.com${PATHS[this.kind]}/${HOOK_ID}`
    const isOfRepository = this.kind === 'repository'
    return {
      type: isOfRepository ? 'Repository' : 'Organization',
      id: HOOK_ID,
      name: 'web',
      active: this.active,
      events: this.events,
      config: this.#config,
      updated_at: '2026-11-01T00:00:00Z',
      created_at: '2026-11-01T00:00:00Z',
      url,
      ping_url: `${url}/pings`,
      deliveries_url: `${url}/deliveries`,
      ...(isOfRepository && {
        test_url: `${url}/test`,
        last_response: { code: null, status: 'unused', message: null },
      }),
    }
  }
}

function itemOf({ id, sent, at, status, redelivery }: Attempt) {
  const isSuccess = status >= 200 && status < 300
  return {
    id,
    guid: sent.guid,
    delivered_at: at.toISOString(),
    redelivery,
    duration: 0.27,
    status: isSuccess ? 'OK' : 'Invalid HTTP Response',
    status_code: status,
    event: sent.type,
    action: 'opened',
    installation_id: null,
    repository_id: 1_296_269,
  }
}

/** JSON in which IDs are numbers, with all of their digits. */
const written = (value: object) => JSON.stringify(value).replaceAll(/"id":"(\d+)"/g, '"id":$1')

function spelt(json: string, spelling: Spelling): string {
  if (spelling === 'indented') return json.replace(/([,{])"/g, '$1\n  "').replace(/":/g, '": ')
  if (spelling === 'other escapes')
    return json.replace('\\u001B', '\\u001b').replace('\u00e9', '\\u00e9').replaceAll('/', '\\/')
  return spelling === 'another value' ? json.replace('1.0', '1') : json
}
