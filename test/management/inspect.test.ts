import { describe, expect, it, onTestFinished } from 'vitest'
import { defineListener, route } from '../../src/index.ts'
import { githubAppApi, githubOrganizationApi, githubRepositoryApi } from '../../src/management/github.ts'
import { type InspectOptions, inspect } from '../../src/management/index.ts'
import { stripeApi } from '../../src/management/stripe.ts'
import { stripe } from '../../src/schemes/stripe.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { FakeGithub, GITHUB_TOKEN, GITHUB_URL } from './fake-github.ts'
import { FakeStripe, LIVE_KEY, STRIPE_SECRET, STRIPE_URL, TEST_KEY } from './fake-stripe.ts'

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000)
const VERSION = '2026-10-28.endive'
const HANDLED = ['invoice.paid', 'customer.created', '*']

/** What is found at a Stripe that was changed by `seed`, as `what: seen`. */
async function ofStripe(seed: (sender: FakeStripe) => unknown, given: Partial<InspectOptions> = {}) {
  const sender = await FakeStripe.start()
  onTestFinished(() => sender.server.close())
  await seed(sender)
  const found = await inspect({
    ...{ api: stripeApi, token: LIVE_KEY, url: STRIPE_URL, fetch: sender.server.fetch },
    ...{ types: HANDLED, version: VERSION, ...given },
  })
  expect(sender.server.requests.every((request) => request.startsWith('GET '))).toBe(true)
  for (const { fix } of found) expect(fix).not.toBe('')
  return found.map(({ what, seen }) => `${what}: ${seen}`)
}

async function ofGithub(
  seed: (sender: FakeGithub) => unknown,
  kind: FakeGithub['kind'] = 'repository',
  given: Partial<InspectOptions> = {},
) {
  const sender = await FakeGithub.start(kind)
  onTestFinished(() => sender.server.close())
  await seed(sender)
  const api = {
    repository: () => githubRepositoryApi({ owner: 'octocat', repo: 'hello-world' }),
    organization: () => githubOrganizationApi({ org: 'octo-org' }),
    app: () => githubAppApi(),
  }[kind]()
  const options = {
    api,
    token: GITHUB_TOKEN,
    url: GITHUB_URL,
    types: ['push', 'issues', '*'],
    fetch: sender.server.fetch,
  }
  const found = await inspect({ ...options, ...given })
  return found.map(({ what, seen }) => `${what}: ${seen}`)
}

type Endpoint = FakeStripe['endpoints'][number]
const change = (members: Partial<Endpoint>) => (sender: FakeStripe) => {
  sender.endpoints = sender.endpoints.map((each) => ({ ...each, ...members }))
}
const add = (members: Partial<Endpoint>) => (sender: FakeStripe) => {
  sender.endpoints.push(...sender.endpoints.map((each) => ({ ...each, id: 'we_2', ...members })))
}
const other = 'https://other.example/webhooks'
const NOWHERE = 'unregistered: none of 1 endpoints has this URL'
const NEARLY =
  'unregistered: an endpoint is registered that differs only in a slash, letter case, query, scheme or port'

describe('inspect names what is wrong, and nothing else', () => {
  it.each<[string, (sender: FakeStripe) => unknown, Partial<InspectOptions>, string | string[]]>([
    [
      'is in another account, which has none',
      (sender) => {
        sender.endpoints = []
      },
      {},
      'unregistered: none of 0 endpoints has this URL',
    ],
    ['is at this path of another host', change({ url: STRIPE_URL.replace('shop', 'staging') }), {}, NOWHERE],
    ['is at another path', change({ url: `${STRIPE_URL}/v2` }), {}, NOWHERE],
    ['is there in capitals', change({ url: STRIPE_URL.replace('webhooks', 'Webhooks') }), {}, NEARLY],
    ['is there with a query', change({ url: `${STRIPE_URL}?tenant=1` }), {}, NEARLY],
    ['is there with a port', change({ url: STRIPE_URL.replace('.example', '.example:8443') }), {}, NEARLY],
    [
      'is of the live mode, if the test mode is meant',
      () => {},
      { mode: 'test' },
      'mode: the endpoint at this URL is not of the test mode',
    ],
    [
      'has a type that is misspelt in the code',
      () => {},
      { types: ['invoice.payed', 'customer.*', '*'] },
      [
        'unsubscribed: handled, but not sent to this URL: invoice.payed',
        "unhandled: sent to this URL, but handled by '*' alone: invoice.paid",
      ],
    ],
    [
      'is disabled, and has another version',
      change({ status: 'disabled', api_version: '2020-08-27' }),
      {},
      ['disabled: its status is disabled', 'version: it sends the API version 2020-08-27'],
    ],
    [
      'is there twice, of which one is disabled',
      add({ status: 'disabled' }),
      {},
      [
        'repeated: 2 endpoints have this URL, so each event comes 2 times, signed with different secrets',
        'disabled: its status is disabled',
      ],
    ],
    [
      'has failed beside one of the test mode, which is another list',
      (sender) => {
        add({ livemode: false })(sender)
        sender.create('customer.created', hoursAgo(23))
      },
      {},
      'failed: events of the last 24 hours that were not delivered: 1',
    ],
    ['is nowhere', change({ url: other }), {}, NOWHERE],
    [
      'is there by http',
      change({ url: STRIPE_URL.replace('https', 'http') }),
      {},
      'unregistered: an endpoint is registered that differs only in a slash, letter case, query, scheme or port',
    ],
    [
      'gets a type that nothing handles',
      () => {},
      { types: ['invoice.paid', '*'] },
      "unhandled: sent to this URL, but handled by '*' alone: customer.created",
    ],
    [
      "has the account's version",
      change({ api_version: null }),
      {},
      "version: it sends the account's API version, which changes",
    ],
    [
      'is there twice for connected accounts',
      (sender) => {
        change({ application: 'ca_1' })(sender)
        add({})(sender)
      },
      {},
      'repeated: 2 endpoints have this URL, so each event comes 2 times, signed with different secrets',
    ],
    [
      'has failed',
      (sender) => sender.create('invoice.paid', hoursAgo(1)),
      {},
      'failed: events of the last 24 hours that were not delivered: 1',
    ],
  ])('an endpoint of Stripe that %s', async (_, seed, given, finding) => {
    expect(await ofStripe(seed, given)).toEqual([finding].flat())
  })

  it.each<[string, (sender: FakeGithub) => unknown, string | string[]]>([
    [
      'has another URL but for a slash',
      (sender) => {
        sender.url = `${GITHUB_URL}/`
      },
      NEARLY,
    ],
    [
      'neither verifies TLS nor has a secret',
      (sender) => {
        sender.insecureSsl = '1'
        sender.secret = undefined
      },
      ['insecure: its config/insecure_ssl is 1', 'unsigned: its config/secret is not set'],
    ],
    [
      'has another URL',
      (sender) => {
        sender.url = other
      },
      'unregistered: none of 1 endpoints has this URL',
    ],
    [
      'gets a type that nothing handles',
      (sender) => {
        sender.events = ['push', 'issues', 'star']
      },
      "unhandled: sent to this URL, but handled by '*' alone: star",
    ],
  ])('a webhook of GitHub that %s', async (_, seed, finding) => {
    const found = [finding].flat()
    expect(await ofGithub(seed)).toEqual(found)
    expect(await ofGithub(seed, 'organization')).toEqual(found)
    expect(await ofGithub(seed, 'app')).toEqual(found.map((each) => each.replace('config/', '')))
  })
})

describe('inspect finds nothing where all is well', () => {
  it.each<[string, (sender: FakeStripe) => unknown, Partial<InspectOptions>]>([
    ['', () => {}, {}],
    ['whose types are not compared', () => {}, { types: undefined }],
    ['whose version is not compared', change({ api_version: null }), { version: undefined }],
    ['beside one of connected accounts at the same URL', add({ application: 'ca_1' }), {}],
    [
      'of connected accounts, while events of the account fail',
      (sender) => {
        change({ application: 'ca_1' })(sender)
        sender.create('invoice.paid', hoursAgo(1))
      },
      {},
    ],
    ['of the test mode, if that is meant', change({ livemode: false }), { token: TEST_KEY, mode: 'test' }],
    [
      'beside failures of types that it does not get',
      (sender) => sender.create('charge.refunded', hoursAgo(1)),
      {},
    ],
    [
      'that has failed, but was delivered since',
      async (sender) => {
        await sender.deliver(sender.create('invoice.paid', hoursAgo(1)), async () => new Response())
      },
      {},
    ],
    [
      'whose URL is written with its default port',
      change({ url: STRIPE_URL.replace('.example', '.example:443') }),
      {},
    ],
    ['that failed two days ago', (sender) => sender.create('invoice.paid', hoursAgo(49)), {}],
  ])('an endpoint of Stripe %s', async (_, seed, given) => {
    expect(await ofStripe(seed, given)).toEqual([])
  })

  it.each(['repository', 'organization', 'app'] as const)('a webhook of GitHub, of a %s', async (kind) => {
    expect(await ofGithub(() => {}, kind)).toEqual([])
  })
})

describe('inspect', () => {
  it('takes the types of what route() returns', () => {
    const listener = defineListener({
      id: 'L1',
      auth: stripe({ secrets: STRIPE_SECRET }),
      store: memoryStore(),
    })
    const handle = route(listener, { 'invoice.paid': () => {}, 'customer.*': () => {}, '*': () => {} })
    expect(handle.types).toEqual(['invoice.paid', 'customer.*', '*'])
  })

  it('names a hundred types of those that an API has, and how many more', async () => {
    const types = Array.from({ length: 102 }, (_, number) => `t${number}`)
    const [said = ''] = await ofStripe(change({ enabled_events: [...types] as never }), { types: ['*'] })
    expect(said).toMatch(/: t0, t1, .*, t99 and 2 more$/)
    const hundred = change({ enabled_events: types.slice(0, 100) as never })
    expect((await ofStripe(hundred, { types: ['*'] }))[0]).toMatch(/, t99$/)
  })

  it('of an API with more endpoints than can be held is refused', async () => {
    const endpoints = (count: number) => `{"has_more":false,"data":[${Array(count).fill('{}')}]}`
    const ofMany = (count: number) =>
      inspect({
        ...{ api: stripeApi, token: LIVE_KEY, url: STRIPE_URL },
        fetch: async () => new Response(endpoints(count)),
      })
    expect(await ofMany(100_000)).toMatchObject([{ what: 'unregistered' }])
    await expect(ofMany(100_001)).rejects.toThrow('there are too many endpoints at /v1/webhook_endpoints')
  })

  it('cannot judge with a token that is refused', async () => {
    await expect(ofStripe(() => {}, { token: 'rk_live_revoked' })).rejects.toMatchObject({
      code: 'ERR_API_TOKEN',
    })
  })
})
