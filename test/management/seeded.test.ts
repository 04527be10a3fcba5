import { describe, expect, it } from 'vitest'
import { githubAppApi, githubOrganizationApi, githubRepositoryApi } from '../../src/management/github.ts'
import { graphApi } from '../../src/management/graph.ts'
import { type Finding, type InspectOptions, inspect } from '../../src/management/index.ts'
import { stripeApi } from '../../src/management/stripe.ts'
import { FakeGithub, GITHUB_TOKEN, GITHUB_URL } from './fake-github.ts'
import { type EndpointChange, FakeSender, TOKEN, URL_HERE } from './fake-sender.ts'
import { FakeStripe, LIVE_KEY, STRIPE_URL, TEST_KEY } from './fake-stripe.ts'
import { SENDERS } from './senders.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const OTHER = 'https://shop.example/other'
const ago = (ms: number) => new Date(Date.now() - ms)

type Asks = Partial<InspectOptions>
type Account = (ask: (options: InspectOptions) => Promise<readonly Finding[]>) => Promise<readonly Finding[]>
type StripeEndpoint = Partial<FakeStripe['endpoints'][number]>

/** An event that was not received. */
interface Missed {
  readonly type?: string
  readonly ago: number
}

/** Endpoints of a Stripe account. With `missed`, an event that some endpoint has not received. */
const stripe =
  (endpoints: readonly StripeEndpoint[], asks: Asks = {}, missed?: Missed): Account =>
  async (ask) => {
    const fake = await FakeStripe.start()
    const [usual] = fake.endpoints
    if (usual === undefined) throw new Error('the fake has no endpoint')
    fake.endpoints = endpoints.map((change) => ({ ...usual, ...change }))
    if (missed) fake.create(missed.type ?? 'invoice.paid', ago(missed.ago))
    const types = ['invoice.paid', 'customer.created']
    const options = { api: stripeApi, token: LIVE_KEY, url: STRIPE_URL, types, fetch: fake.server.fetch }
    return ask({ ...options, ...asks }).finally(() => fake.server.close())
  }

const GITHUB_APIS = {
  repository: githubRepositoryApi({ owner: 'octocat', repo: 'hello-world' }),
  organization: githubOrganizationApi({ org: 'octo-org' }),
  app: githubAppApi(),
}

/** A webhook of GitHub, and its attempts: how long ago, with which status. All are of one event. */
const github =
  (
    kind: FakeGithub['kind'],
    change: Partial<FakeGithub>,
    asks: Asks = {},
    attempts: readonly (readonly [ago: number, status: number])[] = [],
  ): Account =>
  async (ask) => {
    const fake = Object.assign(await FakeGithub.start(kind), change)
    const sent = fake.sign('push', 1)
    for (const [before, status] of attempts)
      await fake.deliver(
        sent,
        ago(before),
        status === 0 ? undefined : async () => new Response(null, { status }),
      )
    const types = ['push', 'issues']
    const options = { api: GITHUB_APIS[kind], token: GITHUB_TOKEN, url: GITHUB_URL, types }
    return ask({ ...options, fetch: fake.server.fetch, ...asks }).finally(() => fake.server.close())
  }

/** Endpoints of another sender. With `missed`, an event that the endpoint has not received. */
const sender =
  (name: string, endpoints: readonly EndpointChange[], asks: Asks = {}, missed?: Missed): Account =>
  async (ask) => {
    const form = SENDERS[name]
    if (form === undefined) throw new Error(`no fake of ${name}`)
    const fake = await FakeSender.start(form)
    fake.endpoints = [...endpoints]
    if (missed) fake.create(missed.type ?? form.types[0], ago(missed.ago))
    const { api, types, secret } = form
    const isShown = form.shows !== undefined || name === 'Paddle'
    const options = { api, token: TOKEN, url: URL_HERE, types, ...(isShown && { secrets: secret }) }
    return ask({ ...options, fetch: fake.server.fetch, ...asks }).finally(() => fake.server.close())
  }

/** A subscription of Microsoft Graph to a mailbox, which lasts a week at most. */
const graph =
  (minutes: number): Account =>
  (ask) =>
    ask({
      ...{ api: graphApi, token: TOKEN, url: URL_HERE },
      fetch: async () =>
        Response.json({
          value: [
            {
              ...{ id: '1', resource: 'me/messages', notificationUrl: URL_HERE, changeType: 'created' },
              ...{ clientState: null, lifecycleNotificationUrl: null, includeResourceData: null },
              expirationDateTime: new Date(Date.now() + minutes * MINUTE).toISOString(),
            },
          ],
        }),
    })

/** What is wrong, and what names it. Written by somebody who had not read the checks, from the page and the senders' dashboards. */
const WRONG: readonly (readonly [string, Account, ...Finding['what'][]])[] = [
  ['Stripe: the URL has a slash at its end', stripe([{ url: `${STRIPE_URL}/` }]), 'unregistered'],
  ['Stripe: made in the test mode only', stripe([{ livemode: false }], { token: TEST_KEY }), 'mode'],
  ['Stripe: disabled after days of failures', stripe([{ status: 'disabled' }]), 'disabled'],
  [
    'Stripe: a type is new in the code, and was not chosen',
    stripe([{}], { types: ['invoice.paid', 'customer.created', 'charge.refunded'] }),
    'unsubscribed',
  ],
  [
    'Stripe: no type of a family that the code handles',
    stripe([{ enabled_events: ['invoice.paid'] }], { types: ['invoice.paid', 'customer.*', '*'] }),
    'unsubscribed',
  ],
  [
    'Stripe: an API version of last year',
    stripe([{ api_version: '2025-09-30.clover' }], { version: '2026-10-28.endive' }),
    'version',
  ],
  ['Stripe: made twice, once by hand and once by a script', stripe([{}, { id: 'we_2' }]), 'repeated'],
  [
    'Stripe: disabled, and a type was not chosen',
    stripe([{ status: 'disabled', enabled_events: ['invoice.paid'] }]),
    'disabled',
    'unsubscribed',
  ],
  ['GitHub: not active', github('repository', { active: false }), 'disabled'],
  ['GitHub: SSL verification is off', github('organization', { insecureSsl: '1' }), 'insecure'],
  ['GitHub: no secret', github('repository', { secret: undefined }), 'unsigned'],
  ["GitHub: the webhook is the organization's", github('repository', { isListed: false }), 'unregistered'],
  ['GitHub: just the push event', github('organization', { events: ['push'] }), 'unsubscribed'],
  ['GitHub: nobody answers', github('repository', {}, {}, [[HOUR, 0]]), 'failed'],
  [
    'GitHub: answered 500, again and again',
    github('app', {}, {}, [
      [HOUR, 500],
      [MINUTE, 500],
    ]),
    'failed',
  ],
  ["GitHub App: the URL is still a tunnel's", github('app', { url: 'https://smee.io/a1' }), 'unregistered'],
  ['GitHub App: Issues is not ticked', github('app', { events: ['push'] }), 'unsubscribed'],
  [
    'GitLab: disabled after 40 failures',
    sender('GitLab', [{ disabled: true }], {}, { ago: HOUR }),
    'disabled',
    'failed',
  ],
  [
    'GitLab: waits after four failures',
    sender('GitLab', [
      { has: { alert_status: 'temporarily_disabled', disabled_until: ago(-HOUR).toISOString() } },
    ]),
    'disabled',
  ],
  [
    'GitLab: the signing token was removed',
    sender('GitLab, of a group, signed', [{ has: { signing_token_present: false } }]),
    'unsigned',
  ],
  [
    'GitLab: SSL verification is off',
    sender('GitLab', [{ has: { enable_ssl_verification: false } }]),
    'insecure',
  ],
  [
    'GitLab: tag pushes are sent, and not handled',
    sender('GitLab', [{ types: ['Push Hook', 'Issue Hook', 'Tag Push Hook'] }]),
    'unhandled',
  ],
  [
    'Resend: http instead of https',
    sender('Resend', [{ url: URL_HERE.replace('https', 'http') }]),
    'unregistered',
  ],
  [
    'Resend: the secret of another webhook, and a type was not chosen',
    sender('Resend', [{ types: ['email.sent'] }], {
      secrets: `whsec_${Buffer.alloc(24, 'another').toString('base64')}`,
    }),
    'secret',
    'unsubscribed',
  ],
  ['Paddle: simulations only', sender('Paddle', [{ has: { traffic_source: 'simulation' } }]), 'mode'],
  [
    'Square: disabled, and an API version of last year',
    sender('Square', [{ disabled: true }], { version: '2025-10-16' }),
    'disabled',
    'version',
  ],
  [
    'Svix: the secret was rotated, and deliveries fail since then',
    sender(
      'Svix',
      [{ secret: `whsec_${Buffer.alloc(24, 'rotated').toString('base64')}` }],
      {},
      { ago: HOUR },
    ),
    'secret',
    'failed',
  ],
  ['Shopify: an API version of last quarter', sender('Shopify', [{}], { version: '2026-07' }), 'version'],
  [
    'Shopify: the subscription to one topic has another URL',
    sender('Shopify', [{ types: ['orders/create'] }, { url: OTHER, types: ['products/update'] }]),
    'unsubscribed',
  ],
  [
    'Linear: disabled, and the secret of another webhook',
    sender('Linear', [{ disabled: true }], { secrets: 'lin_wh_another' }),
    'disabled',
    'secret',
  ],
  [
    'Adyen: no HMAC key was generated',
    sender('Adyen', [{ has: { hmacKeyCheckValue: undefined } }]),
    'unsigned',
  ],
  [
    'Adyen: accepts self-signed certificates',
    sender('Adyen', [{ has: { acceptsSelfSignedCertificate: true } }]),
    'insecure',
  ],
  [
    'Adyen: at another port',
    sender('Adyen', [{ url: 'https://shop.example:8443/webhooks' }]),
    'unregistered',
  ],
  ['SendGrid: signature verification is off', sender('SendGrid', [{ has: { public_key: '' } }]), 'unsigned'],
  ['SendGrid: opens are sent, and not handled', sender('SendGrid', [{ has: { open: true } }]), 'unhandled'],
  [
    'Jira: made twice, and in neither a type was chosen',
    sender('Jira', [{ types: ['jira:issue_created'] }, { types: ['jira:issue_created'] }]),
    'repeated',
    'unsubscribed',
  ],
  ['Microsoft Graph: ends in ten minutes', graph(10), 'ending'],
]

/** What may look wrong, and is right. */
const RIGHT: readonly (readonly [string, Account])[] = [
  [
    'Stripe: another endpoint of the account fails',
    stripe(
      [{}, { id: 'we_2', url: OTHER, enabled_events: ['charge.failed'] }],
      {},
      { type: 'charge.failed', ago: HOUR },
    ),
  ],
  [
    'Stripe: another endpoint fails, with a type that both get',
    stripe([{}, { id: 'we_2', url: OTHER }], {}, { ago: HOUR }),
  ],
  ['Stripe: another endpoint is disabled', stripe([{ id: 'we_2', url: OTHER, status: 'disabled' }, {}])],
  ['Stripe: the test mode has an endpoint at this URL too', stripe([{ id: 'we_2', livemode: false }, {}])],
  [
    'Stripe: the types are in another order',
    stripe([{ enabled_events: ['customer.created', 'invoice.paid'] }]),
  ],
  [
    'Stripe: the types of a family, one by one',
    stripe([{ enabled_events: ['customer.created', 'customer.updated', 'invoice.paid'] }], {
      types: ['invoice.paid', 'customer.*', '*'],
    }),
  ],
  [
    'Stripe: all types are sent, all go into one inbox',
    stripe([{ enabled_events: ['*'] }], { types: ['*'] }),
  ],
  ['Stripe: all types are sent, two are handled', stripe([{ enabled_events: ['*'] }])],
  ['GitHub: everything is sent, two are handled', github('repository', { events: ['*'] })],
  [
    'GitHub: failed, and arrived when asked for again',
    github('repository', {}, {}, [
      [HOUR, 500],
      [MINUTE, 200],
    ]),
  ],
  ['GitHub: failed two days ago', github('organization', {}, {}, [[48 * HOUR, 500]])],
  ['GitHub: the code answers the ping', github('repository', {}, { types: ['push', 'issues', 'ping'] })],
  [
    'GitHub App: the ping and installations are handled, which every app gets',
    github('app', {}, { types: ['push', 'issues', 'ping', 'installation', 'installation_repositories'] }),
  ],
  [
    'GitLab: version 18, which does not say whether there is a token',
    sender('GitLab', [{ has: { token_present: undefined, signing_token_present: undefined } }]),
  ],
  [
    'Resend: two secrets during a rotation',
    sender('Resend', [{}], {
      secrets: [`whsec_${btoa('another secret of 24 bytes')}`, SENDERS.Resend?.secret ?? ''],
    }),
  ],
  ['Paddle: simulations too', sender('Paddle', [{ has: { traffic_source: 'all' } }])],
  [
    'Square: the URL is written with its port, and in capitals',
    sender('Square', [{}], { url: 'https://SHOP.example:443/webhooks' }),
  ],
  [
    'Svix: another query is another endpoint',
    sender(
      'Svix',
      [{ url: `${URL_HERE}?of=1` }, { url: `${URL_HERE}?of=2`, disabled: true, has: { id: 'ep_2' } }],
      {
        url: `${URL_HERE}?of=1`,
      },
    ),
  ],
  [
    'Shopify: each topic has its subscription, and another URL has some',
    sender('Shopify', [{}, { url: OTHER }]),
  ],
  [
    "Adyen: another webhook's deliveries fail",
    sender('Adyen', [{}, { url: OTHER, has: { id: 'WBHK2', hasError: true } }]),
  ],
  [
    'SendGrid: another webhook is off',
    sender('SendGrid', [{ url: OTHER, disabled: true, has: { id: '2' } }, {}]),
  ],
  ['Linear: the types are in another order', sender('Linear', [{ types: ['Comment', 'Issue'] }])],
  ['Microsoft Graph: renewed an hour ago', graph(10_020)],
]

describe('inspect', () => {
  it.each(WRONG.map(([is, account, ...whats]) => ({ is, account, whats })))(
    '$is: $whats',
    async ({ account, whats }) => {
      const findings = await account(inspect)
      expect(findings.map(({ what }) => what).toSorted()).toEqual(whats.toSorted())
    },
  )

  it.each(RIGHT)('%s, which is no alarm', async (_is, account) => {
    expect(await account(inspect)).toEqual([])
  })
})
