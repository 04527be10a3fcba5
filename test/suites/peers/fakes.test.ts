import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import ts from 'typescript'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { FakeGithub, GITHUB_TOKEN } from '../../management/fake-github.ts'
import { FakeSender, TOKEN } from '../../management/fake-sender.ts'
import type { FakeServer } from '../../management/fake-server.ts'
import { FakeStripe, LIVE_KEY } from '../../management/fake-stripe.ts'
import { SENDERS } from '../../management/senders.ts'

// The fakes of test/management answer what the senders publish. GitHub alone has its schemas in a package. Adyen, Linear, Paddle, Resend, Square,
// Stripe and Svix make the types of their SDKs from theirs, so the JSON of the fakes has to be of these types, as a literal: nothing may be
// missing, and nothing may be there that they do not know. GitLab, Jira, SendGrid and Shopify publish neither in a package: the members that
// their fakes have are those of test/management/facts.ts.

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000)

async function answerOf(
  { origin }: FakeServer,
  path: string,
  headers: Record<string, string>,
  body?: object,
) {
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
  const response = await fetch(origin + path, { ...init, headers })
  return { status: `${response.status}`, text: await response.text() }
}

interface Operation {
  readonly responses: { readonly [status: string]: { readonly content?: object } }
}

describe('the fake of GitHub answers by its published schemas', () => {
  const NAME = 'api.github.com.json'
  let ajv: Ajv
  let paths: { readonly [path: string]: { readonly [method: string]: Operation } }

  beforeAll(() => {
    const file = new URL(`./node_modules/@octokit/openapi/generated/${NAME}`, import.meta.url)
    const document = JSON.parse(readFileSync(fileURLToPath(file), 'utf8'))
    ;({ paths } = document)
    ajv = new Ajv({ strict: false, allErrors: true, validateFormats: true })
    addFormats.default(ajv)
    ajv.addSchema({ $id: NAME, ...document })
  })

  /** What is wrong with an answer. An answer that the document does not have is an error. */
  function problemsOf(path: string, method: string, { status, text }: { status: string; text: string }) {
    const responses = paths[path]?.[method]?.responses
    if (responses?.[status] === undefined) return [`no ${status} of ${method} ${path}`]
    if (!responses[status].content) return text === '' || text === '{}' ? [] : ['has a body']
    const steps = ['paths', path, method, 'responses', status, 'content', 'application/json', 'schema']
    const pointer = steps.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1')))
    const validate = ajv.compile({ $ref: `${NAME}#/${pointer.join('/')}` })
    validate(JSON.parse(text))
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
  }

  const KINDS = {
    repository: ['/repos/octocat/hello-world/hooks', '/repos/{owner}/{repo}/hooks'],
    organization: ['/orgs/octo-org/hooks', '/orgs/{org}/hooks'],
    app: ['/app/hook', '/app/hook'],
  } as const

  it.each(['repository', 'organization', 'app'] as const)('of a %s', async (kind) => {
    const fake = await FakeGithub.start(kind)
    onTestFinished(() => fake.server.close())
    for (const number of [1, 2]) await fake.deliver(fake.sign('push', number), hoursAgo(number), undefined)
    const [at, path] = KINDS[kind]
    const hook = kind === 'app' ? ['', ''] : ['/712345678', '/{hook_id}']
    const id = fake.attempts[0]?.id
    const [here, there] = [`${at}${hook[0]}/deliveries`, `${path}${hook[1]}/deliveries`]
    const calls: [string, string, 'get' | 'post'][] = [
      kind === 'app' ? [`${at}/config`, `${path}/config`, 'get'] : [at, path, 'get'],
      [here, there, 'get'],
      [`${here}/${id}`, `${there}/{delivery_id}`, 'get'],
      [`${here}/${id}/attempts`, `${there}/{delivery_id}/attempts`, 'post'],
    ]
    if (kind === 'app') calls.push(['/app', '/app', 'get'])
    const authorization = `Bearer ${GITHUB_TOKEN}`
    for (const [asked, template, method] of calls) {
      const answer = await answerOf(fake.server, asked, { authorization }, method === 'post' ? {} : undefined)
      expect(problemsOf(template, method, answer), template).toEqual([])
    }
  })
})

/** What JSON has in the place of dates and enums of a text. */
const WIRE = `type Wire<T> = T extends Date ? string : T extends string ? \`${'$'}{T}\` : T extends object ? { [K in keyof T]: Wire<T[K]> } : T
`
/** Of the payloads, which have hundreds of types, what each has. */
const BARE = `type Bare<T, K extends keyof T, As> = Omit<T, K> & { [name in K]: As }
`
const PADDLE = './node_modules/@paddle/paddle-node-sdk/dist/types/types'
const ADYEN = './node_modules/@adyen/api-library/lib/src/typings/management/models'
const SQUARE = './node_modules/square/serialization/types'

/** By sender, the imports, and by path the type of the answer. */
const TYPES: {
  readonly [sender: string]: { readonly from: string; readonly answers: { readonly [path: string]: string } }
} = {
  Svix: {
    from: `import type { ListResponseEndpointMessageOut, ListResponseEndpointOut, EndpointSecretOut } from 'svix'`,
    answers: {
      '/api/v1/app/app_1/endpoint': 'Wire<ListResponseEndpointOut>',
      '/api/v1/app/app_1/endpoint/ep_1/msg': 'Wire<ListResponseEndpointMessageOut>',
      '/api/v1/app/app_1/endpoint/ep_1/secret': 'EndpointSecretOut',
    },
  },
  Resend: {
    from: `import type { GetWebhookEventResponseSuccess, GetWebhookResponseSuccess, ListWebhookEventsResponseSuccess, ListWebhooksResponseSuccess } from 'resend'`,
    answers: {
      '/webhooks': 'ListWebhooksResponseSuccess',
      '/webhooks/4dd369bc-aa82-4ff3-97de-514ae3000ee0': 'GetWebhookResponseSuccess',
      '/webhooks/4dd369bc-aa82-4ff3-97de-514ae3000ee0/events': 'ListWebhookEventsResponseSuccess',
      '/webhooks/4dd369bc-aa82-4ff3-97de-514ae3000ee0/events/{event}':
        "Bare<GetWebhookEventResponseSuccess, 'payload', { type: string; data: object }>",
    },
  },
  Paddle: {
    from: `import type { INotificationSettingsResponse } from '${PADDLE}/notification-settings/index.js'
import type { INotificationResponse } from '${PADDLE}/notifications/index.js'
import type { IEvents } from '${PADDLE}/events/index.js'
import type { MetaPaginated } from '${PADDLE}/../internal/types/response.js'`,
    answers: {
      '/notification-settings': `{ data: INotificationSettingsResponse[]; meta: MetaPaginated }`,
      '/notifications?notification_setting_id=ntfset_1': `{ data: Bare<INotificationResponse, 'payload', Wire<Bare<IEvents, 'data', object>>>[]; meta: MetaPaginated }`,
    },
  },
  Square: {
    from: `import type { ListWebhookSubscriptionsResponse } from '${SQUARE}/ListWebhookSubscriptionsResponse.js'
import type { GetWebhookSubscriptionResponse } from '${SQUARE}/GetWebhookSubscriptionResponse.js'
import type { SearchEventsResponse } from '${SQUARE}/SearchEventsResponse.js'`,
    answers: {
      '/v2/webhooks/subscriptions': 'ListWebhookSubscriptionsResponse.Raw',
      '/v2/webhooks/subscriptions/wbhk_1': 'GetWebhookSubscriptionResponse.Raw',
      '/v2/events': 'SearchEventsResponse.Raw',
    },
  },
  Adyen: {
    from: `import type { ListWebhooksResponse } from '${ADYEN}.js'`,
    answers: { '/merchants/M1/webhooks': 'Wire<ListWebhooksResponse>' },
  },
  Linear: {
    from: `import type { PageInfo, Webhook } from '@linear/sdk'`,
    answers: {
      '/graphql': `{ data: { webhooks: { nodes: Pick<Webhook, 'id' | 'url' | 'enabled' | 'resourceTypes'>[]; pageInfo: Pick<PageInfo, 'hasNextPage' | 'endCursor'> } } }`,
      '/graphql#webhook(id: $hook) { secret }': `{ data: { webhook: Pick<Webhook, 'secret'> } }`,
    },
  },
  Stripe: {
    from: `import type Stripe from 'stripe'`,
    answers: {
      '/v1/webhook_endpoints': 'Stripe.ApiList<Stripe.WebhookEndpoint>',
      '/v1/events': `Stripe.ApiList<Bare<Stripe.Event, 'type' | 'data', unknown>>`,
    },
  },
}

/** The server of a sender's fake, with one event, and the headers of its calls. */
async function fakeOf(sender: string) {
  if (sender === 'Stripe') {
    const fake = await FakeStripe.start()
    fake.create('invoice.paid', hoursAgo(1))
    return { server: fake.server, event: '', headers: { authorization: `Bearer ${LIVE_KEY}` } }
  }
  const fake = await FakeSender.start(SENDERS[sender] as (typeof SENDERS)[string]) // a name of it
  const { token } = fake.form.api
  const { id } = fake.create(fake.form.types[0], hoursAgo(1))
  return { server: fake.server, event: id, headers: { [token.header]: token.before + TOKEN } }
}

const EVENTS_OF_SQUARE = { query: { filter: { created_at: { start_at: '2026-01-01T00:00:00Z' } } } }

/** What the compiler says of a file of this folder, which need not be there. */
function problemsOf(source: string): readonly string[] {
  const file = fileURLToPath(new URL('./fakes.answers.ts', import.meta.url))
  const options: ts.CompilerOptions = {
    ...{ strict: true, noEmit: true, skipLibCheck: true, types: [], target: ts.ScriptTarget.ES2023 },
    ...{ module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext },
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts'],
  }
  const host = ts.createCompilerHost(options)
  const { getSourceFile } = host
  host.getSourceFile = (name, ...rest) =>
    name === file ? ts.createSourceFile(name, source, rest[0]) : getSourceFile(name, ...rest)
  const { fileExists } = host
  host.fileExists = (name) => name === file || fileExists(name)
  const program = ts.createProgram([file], options, host)
  const found = ts.getPreEmitDiagnostics(program).filter((each) => each.file?.fileName === file)
  return found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))
}

describe('the fake answers by the types of the SDK', () => {
  it.each(Object.keys(TYPES))('of %s', { timeout: 120_000 }, async (sender) => {
    const { from, answers } = TYPES[sender] as (typeof TYPES)[string]
    const { server, event, headers } = await fakeOf(sender)
    onTestFinished(() => server.close())
    const literals: string[] = []
    for (const [path, type] of Object.entries(answers)) {
      const [to = '', query] = path.replace('{event}', event).split('#')
      const body =
        to === '/v2/events' ? EVENTS_OF_SQUARE : to === '/graphql' ? { query, variables: {} } : undefined
      const answer = await answerOf(server, to, headers, body)
      expect(answer.status, path).toBe('200')
      expect(answer.text, 'an empty list has every type').not.toMatch(
        /"(?:data|events|subscriptions|nodes)": ?\[\]/,
      )
      literals.push(`export const answer${literals.length}: ${type} = ${answer.text}`)
    }
    const problems = (each: readonly string[]) => problemsOf(`${from}\n${WIRE}${BARE}${each.join('\n')}`)
    expect(problems(literals)).toEqual([])
    const broken = literals.map((each) => each.replace(/"(\w+)"(?= ?:)/, '"$1_"')) // a member has another name
    expect(problems(broken).length).toBeGreaterThanOrEqual(literals.length)
  })
})
