import { Gitlab } from '@gitbeaker/rest'
import { Octokit } from '@octokit/rest'
import { Paddle } from '@paddle/paddle-node-sdk'
import { Resend } from 'resend'
import { SquareClient } from 'square'
import Stripe from 'stripe'
import { Svix } from 'svix'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { FakeGithub, GITHUB_TOKEN } from '../../management/fake-github.ts'
import { FakeSender, TOKEN } from '../../management/fake-sender.ts'
import { FakeStripe, LIVE_KEY } from '../../management/fake-stripe.ts'
import { SENDERS } from '../../management/senders.ts'

// The senders' own clients, and GitBeaker of GitLab, can read what the fakes of test/management answer. fakes.test.ts holds it to what the senders publish.

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000)

describe('the fake of Stripe', () => {
  it('stripe-node lists its endpoints and, over all pages, its undelivered events', async () => {
    const fake = await FakeStripe.start()
    onTestFinished(() => fake.server.close())
    fake.pageSize = 2
    for (const hours of [3, 2, 1]) fake.create('invoice.paid', hoursAgo(hours))
    fake.create('invoice.paid', hoursAgo(30))
    const { hostname: host, port } = new URL(fake.server.origin)
    const client = new Stripe(LIVE_KEY, { host, port, protocol: 'http' })
    const endpoints: Stripe.WebhookEndpoint[] = (await client.webhookEndpoints.list({ limit: 100 })).data
    expect(endpoints).toEqual(fake.endpoints)
    const events: Stripe.Event[] = []
    const created = { gte: Math.floor(hoursAgo(24).getTime() / 1000) }
    for await (const event of client.events.list({ created, delivery_success: false, limit: 100 }))
      events.push(event)
    expect(events).toEqual(fake.events.slice(0, 3).toReversed())
  })
})

const HOOK = { hook_id: 712_345_678 }
const REPOSITORY = { owner: 'octocat', repo: 'hello-world' }

type Rest = Octokit['rest']
const KINDS = {
  repository: {
    hooks: ({ repos }: Rest) =>
      repos.listWebhooks(REPOSITORY).then(({ data }) => data.map(({ config }) => config)),
    deliveries: ({ repos }: Rest) => repos.listWebhookDeliveries({ ...REPOSITORY, ...HOOK }),
    path: `/repos/octocat/hello-world/hooks/${HOOK.hook_id}/deliveries/`,
  },
  organization: {
    hooks: ({ orgs }: Rest) =>
      orgs.listWebhooks({ org: 'octo-org' }).then(({ data }) => data.map(({ config }) => config)),
    deliveries: ({ orgs }: Rest) => orgs.listWebhookDeliveries({ org: 'octo-org', ...HOOK }),
    path: `/orgs/octo-org/hooks/${HOOK.hook_id}/deliveries/`,
  },
  app: {
    hooks: ({ apps }: Rest) => apps.getWebhookConfigForApp().then(({ data }) => [data]),
    deliveries: ({ apps }: Rest) => apps.listWebhookDeliveries(),
    path: '/app/hook/deliveries/',
  },
}

describe('the fake of GitHub', () => {
  it.each(['repository', 'organization', 'app'] as const)(
    'Octokit lists the webhooks and deliveries of its %s, reads one, and asks for it again',
    async (kind) => {
      const fake = await FakeGithub.start(kind)
      onTestFinished(() => fake.server.close())
      for (const number of [1, 2, 3])
        await fake.deliver(fake.sign('push', number), hoursAgo(number), undefined)
      const octokit = new Octokit({ auth: GITHUB_TOKEN, baseUrl: fake.server.origin })
      const { hooks, deliveries, path } = KINDS[kind]
      expect((await hooks(octokit.rest)).map(({ url }) => url)).toEqual([fake.url])
      const { data } = await deliveries(octokit.rest)
      expect(data.map(({ guid }) => guid)).toEqual(fake.attempts.map(({ sent }) => sent.guid).toReversed())
      const id = `${data[0]?.id}` // its types say number, which would lose digits
      expect(id).toBe(fake.attempts.at(-1)?.id)
      const { data: record } = await octokit.request(`GET ${path}${id}`)
      expect(record.request.headers['X-GitHub-Delivery']).toBe(data[0]?.guid)
      expect((await octokit.request(`POST ${path}${id}/attempts`)).status).toBe(202)
      expect(fake.attempts.at(-1)).toMatchObject({ redelivery: true, sent: { guid: data[0]?.guid } })
    },
  )
})

describe('the fakes of Svix, Resend, Square, Paddle and GitLab', () => {
  /** One with three events, the newest first, in pages of two. */
  async function fakeOf(name: string, type = SENDERS[name]?.types[0] ?? '') {
    const fake = await FakeSender.start(SENDERS[name] as (typeof SENDERS)[string])
    onTestFinished(() => fake.server.close())
    fake.pageSize = 2
    const ids = [1, 2, 3].map((hours) => fake.create(type, hoursAgo(hours)).id)
    return { fake, ids, baseUrl: fake.server.origin }
  }
  const url = 'https://shop.example/webhooks'

  /** What the client asks at the sender's own origin goes to the fake. */
  function atItsOrigin({ form, server }: FakeSender) {
    const real = fetch
    const toFake = (to: string) => to.replace(form.api.baseUrl, server.origin)
    vi.stubGlobal('fetch', (to: string | Request, init?: RequestInit) =>
      real(typeof to === 'string' ? toFake(to) : new Request(toFake(to.url), to), init),
    )
    onTestFinished(() => void vi.unstubAllGlobals())
  }

  it('svix lists the endpoints and, over all pages, the messages of one, and asks for one again', async () => {
    const { fake, ids, baseUrl } = await fakeOf('Svix')
    const client = new Svix(TOKEN, { serverUrl: baseUrl })
    const { data } = await client.endpoint.list('app_1')
    expect(data.map((each) => [each.url, each.disabled])).toEqual([[url, false]])
    const [endpoint] = data
    const options = { withContent: true, after: new Date(0) }
    const found: string[] = []
    for (let iterator: string | undefined, done = false; !done; ) {
      const page = await client.messageAttempt.listAttemptedMessages('app_1', endpoint?.id ?? '', {
        ...options,
        ...(iterator && { iterator }),
      })
      found.push(...page.data.map(({ id, status }) => `${id} ${status}`))
      iterator = page.iterator ?? undefined
      done = page.done
    }
    expect(found).toEqual(ids.map((id) => `${id} 2`)) // failed
    await client.messageAttempt.resend('app_1', ids[0] ?? '', endpoint?.id ?? '')
    expect(fake.resent).toEqual([ids[0]])
  })

  it('resend lists the webhooks and their events, reads one, and asks for it again', async () => {
    const { fake, ids, baseUrl } = await fakeOf('Resend')
    const { webhooks } = new Resend(TOKEN, { baseUrl })
    const [webhook] = (await webhooks.list()).data?.data ?? []
    expect(webhook).toMatchObject({ endpoint: url, status: 'enabled' })
    const webhookId = webhook?.id ?? ''
    const { data } = await webhooks.events.list({ webhookId })
    expect(data?.has_more).toBe(true)
    expect(data?.data.map(({ id, status }) => `${id} ${status}`)).toEqual(
      ids.slice(0, 2).map((id) => `${id} failed`),
    )
    const eventId = ids[0] ?? ''
    const event = (await webhooks.events.get({ webhookId, eventId })).data
    expect(event).toMatchObject({
      id: eventId,
      type: fake.form.types[0],
      payload: { type: fake.form.types[0] },
    })
    expect((await webhooks.events.replay({ webhookId, eventId })).error).toBeNull()
    expect(fake.resent).toEqual([eventId])
  })

  it('square lists the subscriptions, and the events since a time', async () => {
    const { ids, baseUrl } = await fakeOf('Square')
    const client = new SquareClient({ token: TOKEN, baseUrl })
    const subscriptions = await client.webhooks.subscriptions.list({ includeDisabled: true })
    expect(subscriptions.data.map((each) => [each.notificationUrl, each.enabled])).toEqual([[url, true]])
    const filter = { createdAt: { startAt: new Date(0).toISOString() } }
    const query = { filter, sort: { order: 'DESC' as const } }
    const first = await client.events.searchEvents({ limit: 100, query })
    const { cursor } = first
    const rest = await client.events.searchEvents({ limit: 100, query, ...(cursor && { cursor }) })
    const events = [...(first.events ?? []), ...(rest.events ?? [])]
    expect(events.map(({ eventId }) => eventId)).toEqual(ids)
  })

  it('paddle-node-sdk lists the settings and, over all pages, the notifications of one, and asks for one again', async () => {
    // Of a type that it knows, it would want a whole transaction.
    const { fake, ids } = await fakeOf('Paddle', 'a_type.of_tomorrow')
    atItsOrigin(fake)
    const { notificationSettings, notifications } = new Paddle(TOKEN)
    const [setting, ...others] = await notificationSettings.list()
    expect(others).toEqual([])
    expect(setting).toMatchObject({ destination: url, active: true, trafficSource: 'platform' })
    const found: string[] = []
    const query = { notificationSettingId: [setting?.id ?? ''], perPage: 200 }
    for await (const { payload, status } of notifications.list(query))
      found.push(`${payload?.eventId} ${status}`)
    expect(found).toEqual(ids.map((id) => `${id} failed`))
    const { notificationId } = await notifications.replay('ntf_1')
    expect(notificationId).toBe('ntf_replayed_1')
    expect(fake.resent).toEqual([ids[0]])
  })

  it.each(['GitLab', 'GitLab, of a group, signed'])(
    'GitBeaker, which knows no log, lists the webhooks over all pages of %s',
    async (name) => {
      const { fake } = await fakeOf(name)
      atItsOrigin(fake)
      fake.endpoints = [{}, { disabled: true }, { url: `${url}/3` }]
      const { ProjectHooks, GroupHooks } = new Gitlab({ token: TOKEN })
      const hooks =
        name === 'GitLab' ? await ProjectHooks.all('group/project') : await GroupHooks.all('group/subgroup')
      expect(hooks.map((hook) => [hook.url, hook.alert_status])).toEqual([
        [url, 'executable'],
        [url, 'disabled'],
        [`${url}/3`, 'executable'],
      ])
    },
  )
})
