import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { webhookHandler } from '../../adapters/web.ts'
import {
  defineListener,
  type Json,
  type Listener,
  type ListenerOptions,
  type WebhookEvent,
} from '../../src/index.ts'
import { Client } from '../../src/management/client.ts'
import { githubAppApi, githubOrganizationApi, githubRepositoryApi } from '../../src/management/github.ts'
import { type RecoverOptions, type Recovery, recover } from '../../src/management/index.ts'
import { endpointsOf, findMissed } from '../../src/management/missed.ts'
import { stripeApi } from '../../src/management/stripe.ts'
import { checkoutCom } from '../../src/schemes/checkout-com.ts'
import { docusign } from '../../src/schemes/docusign.ts'
import { github } from '../../src/schemes/github.ts'
import { hubspot } from '../../src/schemes/hubspot.ts'
import { meta } from '../../src/schemes/meta.ts'
import { stripe } from '../../src/schemes/stripe.ts'
import { twilio } from '../../src/schemes/twilio.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { fakeClock } from '../support/clock.ts'
import { FakeGithub, GITHUB_SECRET, GITHUB_TOKEN, GITHUB_URL, READ_ONLY_TOKEN } from './fake-github.ts'
import { FakeStripe, LIVE_KEY, STRIPE_SECRET, STRIPE_URL, TEST_KEY } from './fake-stripe.ts'

const DAY = 86_400
const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000)
const since = hoursAgo(24)

/** A listener whose memory store remembers for long, and an endpoint in front of it that records what ran. */
function endpoint(auth: ListenerOptions['auth'], given: Partial<ListenerOptions> = {}) {
  const store = memoryStore({ replayWindowSeconds: 30 * DAY })
  const listener = defineListener({ id: 'recovered', auth, store, onError: null, onVerdict: null, ...given })
  const ran: string[] = []
  const events: WebhookEvent[] = []
  const handler = (event: WebhookEvent) => {
    events.push(event)
    ran.push(event.id)
  }
  return { listener, ran, events, handler, handle: webhookHandler(listener, handler) }
}

async function stripeAccount(given: Partial<ListenerOptions> = {}) {
  const sender = await FakeStripe.start()
  onTestFinished(() => sender.server.close())
  const receiver = endpoint(stripe({ secrets: STRIPE_SECRET }), given)
  const options = { api: stripeApi, token: LIVE_KEY, url: STRIPE_URL, since, fetch: sender.server.fetch }
  return { sender, ...receiver, options }
}

async function githubWebhook(kind: FakeGithub['kind'] = 'repository', given: Partial<ListenerOptions> = {}) {
  const sender = await FakeGithub.start(kind)
  onTestFinished(() => sender.server.close())
  const receiver = endpoint(github({ secrets: GITHUB_SECRET }), given)
  sender.handle = receiver.handle
  const api = {
    repository: () => githubRepositoryApi({ owner: 'octocat', repo: 'hello-world' }),
    organization: () => githubOrganizationApi({ org: 'octo-org' }),
    app: () => githubAppApi(),
  }[kind]()
  const options = { api, token: GITHUB_TOKEN, url: GITHUB_URL, since, fetch: sender.server.fetch }
  return { sender, ...receiver, options }
}

/** The counts that are not 0, and why events failed. */
function inShort({ since: _, found: __, types: ___, failed, warnings, ...counts }: Recovery) {
  return {
    ...Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0)),
    ...(failed.length > 0 && { failed: failed.map(({ id, why }) => `${id} ${why}`) }),
    ...(warnings.length > 0 && { warnings }),
  }
}

describe('recover, of Stripe', () => {
  it('a dry run counts by type, runs nothing, and sends nothing but reads', async () => {
    const { sender, listener, handler, ran, options } = await stripeAccount()
    sender.create('invoice.paid', hoursAgo(3))
    sender.create('invoice.paid', hoursAgo(2))
    sender.create('customer.created', hoursAgo(1))
    const recovery = await recover(listener, handler, options)
    expect(recovery).toEqual({
      since,
      found: 3,
      types: { 'invoice.paid': 2, 'customer.created': 1 },
      ...{ ran: 0, duplicates: 0, asked: 0, waiting: 0, failed: [], warnings: [] },
    })
    expect(ran).toEqual([])
    expect(sender.server.requests.filter((request) => !request.startsWith('GET '))).toEqual([])
  })

  it('what was missed runs oldest first, over all pages, and is a duplicate when it is repeated', async () => {
    const { sender, listener, handler, ran, options } = await stripeAccount()
    sender.pageSize = 2
    for (const hours of [1, 5, 3, 2, 4]) sender.create('invoice.paid', hoursAgo(hours))
    const run = { ...options, run: true, atOnce: 1 }
    expect(inShort(await recover(listener, handler, run))).toEqual({ ran: 5 })
    expect(ran).toEqual(['evt_2', 'evt_5', 'evt_3', 'evt_4', 'evt_1'])
    expect(inShort(await recover(listener, handler, run))).toEqual({ duplicates: 5 })
    expect(ran).toHaveLength(5)
  })

  it('handlers can tell an event that nobody signed, and get its time and its bytes', async () => {
    const { sender, listener, handler, events, options } = await stripeAccount()
    const { created, id } = sender.create('invoice.paid', hoursAgo(1))
    await recover(listener, handler, { ...options, run: true })
    const [event] = events
    expect(event).toMatchObject({ id, type: 'invoice.paid', auth: { method: 'api', scheme: 'stripe' } })
    expect(event?.sentAt.getTime()).toBe(created * 1000)
    expect(JSON.parse(new TextDecoder().decode(event?.rawBody))).toEqual(event?.payload)
  })

  it('events before the time, of other types, or that were delivered are left out, but for `all`', async () => {
    const { sender, listener, handler, ran, handle, options } = await stripeAccount()
    sender.create('invoice.paid', hoursAgo(25))
    sender.create('charge.refunded', hoursAgo(2))
    await sender.deliver(sender.create('invoice.paid', hoursAgo(1)), handle)
    expect(ran).toEqual(['evt_3'])
    expect((await recover(listener, handler, options)).found).toBe(0)
    expect(inShort(await recover(listener, handler, { ...options, all: true, run: true }))).toEqual({
      duplicates: 1,
    })
  })

  it('the second of `since` and that of `until` are in, and those beside them are out', async () => {
    const { sender, listener, handler, ran, options } = await stripeAccount()
    const at = (time: Date, seconds: number) => new Date((Math.floor(time.getTime() / 1000) + seconds) * 1000)
    const until = at(hoursAgo(1), 0)
    for (const time of [at(since, -1), at(since, 0), until, at(until, 1)]) sender.create('invoice.paid', time)
    await recover(listener, handler, { ...options, until, run: true, atOnce: 1 })
    expect(ran).toEqual(['evt_2', 'evt_3'])
  })

  it('a list whose order is off by minutes loses nothing', async () => {
    const { sender, listener, handler, ran, options } = await stripeAccount()
    for (const minutes of [9, -1]) sender.create('invoice.paid', new Date(since.getTime() - minutes * 60_000))
    const reversed: typeof options.fetch = async (url, init) => {
      const response = await options.fetch(url.replace('created%5Bgte%5D', 'x'), init)
      const list = (await response.json()) as { readonly data: readonly object[] }
      return Response.json({ ...list, data: list.data.toReversed() })
    }
    await recover(listener, handler, { ...options, fetch: reversed, run: true })
    expect(ran).toEqual(['evt_2'])
  })

  it('an endpoint of connected accounts is refused, or left out beside one of the account', async () => {
    const { sender, listener, handler, options } = await stripeAccount()
    const [own] = sender.endpoints
    const connected = sender.endpoints.map((each) => ({ ...each, id: 'we_2', application: 'ca_1' }))
    sender.create('invoice.paid', hoursAgo(1))
    sender.endpoints = connected
    await expect(recover(listener, handler, { ...options, run: true })).rejects.toMatchObject({
      code: 'ERR_API_ENDPOINT',
      message: expect.stringContaining('gets events of connected accounts (Connect)'),
    })
    if (own) sender.endpoints.push(own)
    const { ran, warnings } = await recover(listener, handler, { ...options, run: true })
    expect(ran).toBe(1)
    expect(warnings).toEqual([expect.stringMatching(/^an endpoint at this URL is left out: it gets events/)])
  })

  it.each([
    ['events', { events: 3, bytes: 1e6 }, { events: 2, bytes: 1e6 }],
    ['bytes', { events: 9, bytes: 3000 }, { events: 9, bytes: 500 }],
  ])('more %s than can be held are refused, with what to do', async (_, enough, little) => {
    const { sender, options } = await stripeAccount()
    for (const hours of [3, 2, 1]) sender.create('invoice.paid', hoursAgo(hours))
    const client = new Client({ ...options, clock: Date })
    const [found] = await endpointsOf(client, stripeApi.endpoints)
    const { missed } = stripeApi
    if (found === undefined || missed === undefined) throw new Error('no endpoint')
    const find = (most: typeof enough) =>
      findMissed(client, { sender: 'Stripe', missed }, found, { since, mode: 'live', all: false, most })
    expect(await find(enough)).toHaveLength(3)
    await expect(find(little)).rejects.toThrow(/too much at a time: recover them in parts, the oldest first/)
  })

  it('an endpoint that gets all types has all of them recovered', async () => {
    const { sender, listener, handler, options } = await stripeAccount()
    for (const each of sender.endpoints) each.enabled_events = ['*']
    sender.create('charge.refunded', hoursAgo(2))
    expect((await recover(listener, handler, options)).types).toEqual({ 'charge.refunded': 1 })
  })

  it('the payload schema refuses what the endpoint would refuse, and another API version is warned of', async () => {
    const payload = {
      '~standard': {
        version: 1,
        vendor: 'test',
        validate: (value: unknown): { issues: { message: string }[] } | { value: Json } =>
          JSON.stringify(value).includes('2020-08-27')
            ? { issues: [{ message: 'old' }] }
            : { value: value as Json },
      },
    } as const
    const { sender, listener, handler, options } = await stripeAccount({ payload })
    sender.create('invoice.paid', hoursAgo(2), { api_version: '2020-08-27' })
    sender.create('invoice.paid', hoursAgo(1))
    expect(inShort(await recover(listener, handler, { ...options, run: true }))).toEqual({
      ran: 1,
      failed: ['evt_1 payload_invalid: the payload does not fit at payload'],
      warnings: [
        "the endpoint's payloads have the API version 2026-10-28.endive, but these have 2020-08-27: 1",
      ],
    })
  })

  it.each(['constructor', '__proto__'])('an event of the type %s is counted like any other', async (type) => {
    const { sender, listener, handler, options } = await stripeAccount()
    for (const each of sender.endpoints) each.enabled_events = ['*']
    sender.create(type, hoursAgo(1))
    expect(Object.entries((await recover(listener, handler, options)).types)).toEqual([[type, 1]])
  })

  it('two endpoints at this URL have one event once', async () => {
    const { sender, listener, handler, ran, options } = await stripeAccount()
    for (const each of [...sender.endpoints]) sender.endpoints.push({ ...each, id: 'we_2' })
    sender.create('invoice.paid', hoursAgo(1))
    const recovery = await recover(listener, handler, { ...options, run: true })
    expect(recovery).toMatchObject({ found: 1, types: { 'invoice.paid': 1 }, ran: 1, duplicates: 0 })
    expect(ran).toEqual(['evt_1'])
  })

  it('what the listener comes to forget while it is listed does not run again', async () => {
    const clock = fakeClock(Date.now())
    const { sender, listener, handler, ran, options } = await stripeAccount({ clock })
    sender.create('invoice.paid', hoursAgo(7 * 24 - 1))
    sender.create('invoice.paid', hoursAgo(7 * 24 - 3))
    const slow: typeof options.fetch = async (url, init) => {
      if (url.includes('/events')) clock.advance(2 * 3_600_000)
      return options.fetch(url, init)
    }
    const given = { ...options, since: hoursAgo(7 * 24 - 0.5), fetch: slow, all: true, run: true }
    const { failed } = await recover(listener, handler, given)
    expect(failed).toMatchObject([{ id: 'evt_1', why: expect.stringContaining('raise retentionSeconds') }])
    expect(ran).toEqual(['evt_2'])
  })

  it('an event over the limit of a body, or without an ID that may be claimed, is refused by the same checks', async () => {
    const { sender, listener, handler, options } = await stripeAccount({ maxBodyBytes: 1000 })
    sender.create('invoice.paid', hoursAgo(2), { data: { object: { text: 'x'.repeat(1000) } } })
    sender.create('invoice.paid', hoursAgo(1), { id: `evt_${'x'.repeat(300)}` })
    const { failed, ran } = await recover(listener, handler, { ...options, run: true })
    expect(ran).toBe(0)
    expect(failed.map(({ why }) => why.split(':')[0])).toEqual(['body_too_large', 'event_id_malformed'])
  })
})

describe('nothing is fed before the account has shown the endpoint', () => {
  it.each([
    [
      'of a test key, if the endpoint is there too',
      { token: TEST_KEY },
      /is of the test mode: give a token of the live mode/,
    ],
    ['at another URL', { url: 'https://other.example/webhooks' }, /has no endpoint at this URL/],
    ['at the same URL with a slash', { url: `${STRIPE_URL}/` }, /has no endpoint at this URL/],
    [
      'of the test mode, with a live key',
      { mode: 'test' },
      /is of the live mode: give a token of the test mode/,
    ],
  ] as const)('%s', async (_, given, message) => {
    const { sender, listener, handler, ran, options } = await stripeAccount()
    for (const each of [...sender.endpoints])
      if ('token' in given) sender.endpoints.push({ ...each, id: 'we_2', livemode: false })
    sender.create('invoice.paid', hoursAgo(1))
    sender.create('invoice.paid', hoursAgo(1), { livemode: false })
    const recovering = recover(listener, handler, { ...options, ...given, run: true })
    await expect(recovering).rejects.toMatchObject({
      code: 'ERR_API_ENDPOINT',
      message: expect.stringMatching(message),
    })
    expect(ran).toEqual([])
    expect(sender.server.requests.some((request) => request.includes('/v1/events'))).toBe(false)
  })

  it('an API whose list has events of the other mode is not believed', async () => {
    const { sender, listener, handler, ran, options } = await stripeAccount()
    sender.create('invoice.paid', hoursAgo(1))
    const fetched: typeof options.fetch = async (url, init) => {
      const text = await (await options.fetch(url, init)).text()
      return new Response(
        url.includes('/events') ? text.replace('"livemode": true', '"livemode": false') : text,
      )
    }
    const recovering = recover(listener, handler, { ...options, fetch: fetched, run: true })
    await expect(recovering).rejects.toThrow(/the token is not of the live mode/)
    expect(ran).toEqual([])
  })

  it('GitHub too: a webhook at another URL is none of ours', async () => {
    const { sender, listener, handler, ran, options } = await githubWebhook()
    await sender.deliver(sender.sign('push', 1), hoursAgo(1), undefined)
    const recovering = recover(listener, handler, { ...options, url: 'https://other.example/', run: true })
    await expect(recovering).rejects.toMatchObject({ code: 'ERR_API_ENDPOINT' })
    expect(ran).toEqual([])
  })
})

describe('recover, of GitHub', () => {
  it.each(['repository', 'organization', 'app'] as const)(
    'the webhook of a %s has what failed run by its recorded signature, over all pages',
    async (kind) => {
      const { sender, listener, handler, events, options } = await githubWebhook(kind)
      sender.pageSize = 2
      for (const number of [1, 2, 3, 4, 5])
        await sender.deliver(sender.sign('issues', number), hoursAgo(10 - number), undefined)
      expect(inShort(await recover(listener, handler, { ...options, run: true, atOnce: 1 }))).toEqual({
        ran: 5,
      })
      expect(events.map(({ id }) => Number(id.slice(-2)))).toEqual([1, 2, 3, 4, 5])
      expect(events[0]).toMatchObject({
        type: 'issues',
        auth: { method: 'scheme', scheme: 'github', covers: 'body' },
      })
    },
  )

  it('no source address is asked for: a record has none', async () => {
    const { sender, listener, handler, options } = await githubWebhook('repository', {
      allowedCidrs: ['192.0.2.0/24'],
    })
    await sender.deliver(sender.sign('push', 1), hoursAgo(1), undefined)
    expect(inShort(await recover(listener, handler, { ...options, run: true }))).toEqual({ ran: 1 })
  })

  it.each(['as sent', 'indented', 'other escapes'] as const)(
    'a record that the API spells %s still verifies, as JSON and in a form, and nobody hears of the other spellings',
    async (spelling) => {
      const onVerdict = vi.fn()
      const { sender, listener, handler, options } = await githubWebhook('repository', { onVerdict })
      sender.spelling = spelling
      await sender.deliver(sender.sign('push', 1), hoursAgo(2), undefined)
      expect(inShort(await recover(listener, handler, { ...options, run: true }))).toEqual({ ran: 1 })
      expect(onVerdict.mock.calls.map(([verdict]) => verdict.ok)).toEqual([true])
      sender.contentType = 'form'
      sender.attempts.length = 0
      await sender.deliver(sender.sign('push', 2), hoursAgo(2), undefined)
      expect(inShort(await recover(listener, handler, { ...options, run: true }))).toEqual({ ran: 1 })
    },
  )

  it('what does not verify is asked for again by its exact ID, runs as a delivery, and is missed no more', async () => {
    const { sender, listener, handler, events, options } = await githubWebhook()
    sender.spelling = 'another value'
    await sender.deliver(sender.sign('push', 1), hoursAgo(2), undefined)
    expect(inShort(await recover(listener, handler, { ...options, run: true }))).toEqual({ asked: 1 })
    expect(sender.server.requests.filter((each) => each.startsWith('POST'))).toEqual([
      'POST /repos/octocat/hello-world/hooks/712345678/deliveries/3804004623172239366/attempts',
    ])
    expect(events.map(({ auth }) => auth.method)).toEqual(['scheme'])
    expect(inShort(await recover(listener, handler, { ...options, run: true }))).toEqual({})
  })

  it('a record with another signature is never believed', async () => {
    const { sender, handler, ran, options } = await githubWebhook()
    const { listener } = endpoint(github({ secrets: 'another secret' }))
    sender.handle = async () => new Response(null, { status: 401 })
    await sender.deliver(sender.sign('push', 1), hoursAgo(2), undefined)
    expect(inShort(await recover(listener, handler, { ...options, run: true }))).toEqual({ asked: 1 })
    expect(ran).toEqual([])
  })

  it('a token that may not ask is told so once, and each event is named', async () => {
    const { sender, listener, handler, options } = await githubWebhook()
    sender.spelling = 'another value'
    for (const number of [1, 2]) await sender.deliver(sender.sign('push', number), hoursAgo(2), undefined)
    const { failed } = await recover(listener, handler, { ...options, token: READ_ONLY_TOKEN, run: true })
    expect(failed.map(({ why }) => why)).toEqual(
      Array(2).fill(expect.stringMatching(/refuses the token \(403\): it needs write access to Webhooks/)),
    )
    expect(sender.server.requests.filter((each) => each.startsWith('POST'))).toHaveLength(1)
  })

  it('an attempt is of one webhook, though two at this URL have its event: each record is tried, and the event runs once', async () => {
    const { sender, listener, handler, ran, options } = await githubWebhook()
    await sender.deliver(sender.sign('push', 1), hoursAgo(1), undefined)
    const twoHooks: typeof options.fetch = async (url, init) => {
      const response = await options.fetch(url.replace('/hooks/2/', '/hooks/712345678/'), init)
      if (!/hooks\?/.test(url)) return response
      const [hook] = (await response.json()) as [object]
      return Response.json([hook, { ...hook, id: 2 }])
    }
    const recovery = await recover(listener, handler, { ...options, fetch: twoHooks, run: true, atOnce: 1 })
    expect(inShort(recovery)).toEqual({ ran: 1, duplicates: 1 })
    expect(ran).toHaveLength(1)
  })

  it('of several attempts, one that succeeded ends it, and what could not connect counts as missed', async () => {
    const { sender, listener, handler, ran, handle, options } = await githubWebhook()
    const [one, two] = [sender.sign('push', 1), sender.sign('push', 2)]
    await sender.deliver(one, hoursAgo(4), async () => new Response(null, { status: 500 }))
    await sender.deliver(two, hoursAgo(3), undefined)
    await sender.deliver(one, hoursAgo(2), handle, true)
    await sender.deliver(two, hoursAgo(1), undefined, true)
    expect(ran).toHaveLength(1)
    expect(inShort(await recover(listener, handler, { ...options, run: true }))).toEqual({ ran: 1 })
    expect(ran.map((id) => id.at(-1))).toEqual(['1', '2'])
  })
})

describe('an event runs once, whether it is recovered before, while or after it is delivered', () => {
  const TIMES = 200

  it.each(['before', 'while', 'after'] as const)('%s, 200 events of Stripe', async (order) => {
    const { sender, listener, handler, ran, handle, options } = await stripeAccount()
    const events = Array.from({ length: TIMES }, () => sender.create('invoice.paid', hoursAgo(1)))
    const deliver = () => Promise.all(events.map((event) => sender.deliver(event, handle)))
    const recovering = () => recover(listener, handler, { ...options, all: true, run: true })
    await inOrder(order, recovering, deliver)
    expect(ran.toSorted()).toEqual(events.map(({ id }) => id).toSorted())
    expect((await recovering()).duplicates).toBe(TIMES)
  })

  it.each(['before', 'while', 'after'] as const)('%s, 200 events of GitHub', async (order) => {
    const { sender, listener, handler, ran, handle, options } = await githubWebhook()
    const spellings = ['as sent', 'indented', 'other escapes'] as const
    const sent = Array.from({ length: TIMES }, (_, number) => sender.sign('push', number))
    for (const each of sent) await sender.deliver(each, hoursAgo(1), undefined)
    let asked = 0
    Object.defineProperty(sender, 'spelling', { get: () => spellings[asked++ % 3] })
    const deliver = () => Promise.all(sent.map((each) => sender.deliver(each, hoursAgo(0), handle, true)))
    const recovering = () => recover(listener, handler, { ...options, all: true, run: true })
    await inOrder(order, recovering, deliver)
    expect(ran.toSorted()).toEqual(sent.map(({ guid }) => guid).toSorted())
  })

  async function inOrder(order: string, recovering: () => Promise<unknown>, deliver: () => Promise<unknown>) {
    if (order === 'while') return Promise.all([recovering(), deliver()])
    for (const step of order === 'before' ? [recovering, deliver] : [deliver, recovering]) await step()
  }
})

describe('the handler of a recovered event', () => {
  it.each([
    ['throws', () => Promise.reject(new Error('no room')), 'no room'],
    ['answers 500', () => new Response(null, { status: 500 }), 'the handler answered 500'],
  ])('that %s is named, and its event runs the next time', async (_, fails, why) => {
    const { sender, listener, handler, options } = await stripeAccount()
    sender.create('invoice.paid', hoursAgo(1))
    expect(inShort(await recover(listener, fails, { ...options, run: true }))).toEqual({
      failed: [`evt_1 ${why}`],
    })
    expect(inShort(await recover(listener, handler, { ...options, run: true }))).toEqual({ ran: 1 })
  })

  it('that answers 503 may still run, so its event waits for the end of its lease', async () => {
    const { sender, listener, handler, ran, options } = await stripeAccount({ leaseSeconds: 0.2 })
    sender.create('invoice.paid', hoursAgo(1))
    await recover(listener, () => new Response(null, { status: 503 }), { ...options, run: true })
    const before = performance.now()
    expect(inShort(await recover(listener, handler, { ...options, run: true }))).toEqual({ ran: 1 })
    expect(performance.now() - before).toBeGreaterThan(40)
    expect(ran).toEqual(['evt_1'])
  })

  it('keeps its lease for as long as it runs', async () => {
    const { sender, listener, handler, ran, options } = await stripeAccount({ leaseSeconds: 0.2 })
    sender.create('invoice.paid', hoursAgo(1))
    let finish = () => {}
    const ended = new Promise<void>((resolve) => {
      finish = resolve
    })
    const running = vi.fn(() => ended)
    const first = recover(listener, running, { ...options, run: true })
    await expect.poll(() => running.mock.calls.length).toBe(1)
    // Longer than the lease, in six rounds.
    expect(inShort(await recover(listener, handler, { ...options, run: true }))).toEqual({ waiting: 1 })
    finish()
    expect(inShort(await first)).toEqual({ ran: 1 })
    expect(ran).toEqual([])
  })

  it('that hangs is waited for no longer than `maxRunSeconds`', async () => {
    const { sender, listener, options } = await stripeAccount({ leaseSeconds: 0.1, maxRunSeconds: 0.2 })
    sender.create('invoice.paid', hoursAgo(1))
    const { failed } = await recover(listener, () => new Promise(() => {}), { ...options, run: true })
    expect(failed.map(({ why }) => why)).toEqual([expect.stringContaining('longer than maxRunSeconds')])
  })

  it('commits itself if the listener says so, and is not committed for it', async () => {
    const { sender, listener, options } = await stripeAccount({ settle: 'manual' })
    sender.create('invoice.paid', hoursAgo(1))
    const handler = (event: WebhookEvent<unknown>) => event.release()
    expect(inShort(await recover(listener, handler, { ...options, run: true }))).toEqual({ ran: 1 })
    const committing = (event: WebhookEvent<unknown>) => event.commit()
    expect(inShort(await recover(listener, committing, { ...options, run: true }))).toEqual({ ran: 1 })
    expect(inShort(await recover(listener, committing, { ...options, run: true }))).toEqual({ duplicates: 1 })
  })

  it('of a store that is away is not called, and its event waits', async () => {
    const away = () => Promise.reject(new Error('away'))
    const store = { claim: away, commit: away, release: away }
    const { sender, listener, handler, ran, options } = await stripeAccount({ store, leaseSeconds: 0.02 })
    sender.create('invoice.paid', hoursAgo(1))
    expect(inShort(await recover(listener, handler, { ...options, run: true }))).toEqual({ waiting: 1 })
    expect(ran).toEqual([])
  })

  it('whose commit fails is named, and not released: the commit may have been carried out', async () => {
    const inner = memoryStore({ replayWindowSeconds: 30 * DAY })
    const released = vi.fn()
    const store = { ...inner, commit: () => Promise.reject(new Error('away')), release: released }
    const { sender, listener, handler, options } = await stripeAccount({ store })
    sender.create('invoice.paid', hoursAgo(1))
    const { failed } = await recover(listener, handler, { ...options, run: true })
    expect(failed.map(({ why }) => why)).toEqual([expect.stringContaining('event store')])
    expect(released).not.toHaveBeenCalled()
  })

  it('at most as many run at once as `atOnce` says, with progress after each', async () => {
    const { sender, listener, options } = await stripeAccount()
    for (let number = 0; number < 10; number += 1) sender.create('invoice.paid', hoursAgo(1))
    let [running, most] = [0, 0]
    const handler = async () => {
      running += 1
      most = Math.max(most, running)
      await new Promise((resolve) => setImmediate(resolve))
      running -= 1
    }
    const seen: number[] = []
    const onProgress = ({ ran }: Recovery) => {
      seen.push(ran)
      throw new Error('ignored')
    }
    await recover(listener, handler, { ...options, run: true, atOnce: 3, onProgress })
    expect(most).toBe(3)
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  })
})

describe('beside the endpoint, in its process', () => {
  it('a recovery is no second listener of the same id', async () => {
    const onError = vi.fn()
    const { sender, listener, handler, handle, options } = await stripeAccount({ onError })
    const [before, missed, after] = [4, 3, 2].map((hours) => sender.create('invoice.paid', hoursAgo(hours)))
    if (!before || !missed || !after) throw new Error('none was created')
    expect(await sender.deliver(before, handle)).toBe(200)
    expect(inShort(await recover(listener, handler, { ...options, run: true }))).toEqual({ ran: 2 })
    expect(await sender.deliver(after, handle)).toBe(200)
    expect(onError).not.toHaveBeenCalled()
  })
})

describe('recover refuses', () => {
  const refusal = async (listener: Listener<unknown>, given: Partial<RecoverOptions>) => {
    const options = { api: stripeApi, token: LIVE_KEY, url: STRIPE_URL, since, fetch: notCalled, ...given }
    return recover(listener, () => {}, options).then(
      () => 'nothing',
      (error: Error) => error.message,
    )
  }
  const notCalled = () => {
    vi.spyOn(Client.prototype, 'pause').mockResolvedValue(undefined)
    return Promise.reject(new Error('was called'))
  }
  const ofStripe = (given: Partial<ListenerOptions> = {}) =>
    endpoint(stripe({ secrets: STRIPE_SECRET }), given).listener
  const ofGithub = (given: Partial<ListenerOptions> = {}, dedupe?: 'off') =>
    endpoint(github({ secrets: GITHUB_SECRET, dedupe }), given).listener
  const repository = githubRepositoryApi({ owner: 'octocat', repo: 'hello-world' })

  it('to look back further than the listener remembers, or its store, or the sender, or into the future', async () => {
    const daysAgo = (days: number) => hoursAgo(days * 24)
    expect(await refusal(ofStripe(), { since: daysAgo(7.1) })).toMatch(
      /^since: must be .* the listener remembers no further back/,
    )
    expect(await refusal(ofStripe(), { since: daysAgo(6.9) })).toMatch(
      /^Stripe: the answer to GET .* did not come/,
    )
    const store = memoryStore({ replayWindowSeconds: DAY })
    expect(await refusal(ofStripe({ store }), { since: daysAgo(1.1) })).toMatch(
      /the listener remembers no further back/,
    )
    const retentionSeconds = 31 * DAY
    const long = { retentionSeconds, store: memoryStore({ replayWindowSeconds: retentionSeconds }) }
    expect(await refusal(ofStripe(long), { since: daysAgo(30.1) })).toMatch(/Stripe keeps events for 30 days/)
    expect(await refusal(ofGithub(), { api: repository, since: daysAgo(3.1) })).toMatch(
      /GitHub keeps events for 3 days/,
    )
    expect(await refusal(ofGithub(), { api: repository, since: daysAgo(2.9) })).toMatch(/did not come/)
    expect(await refusal(ofStripe(), { since: hoursAgo(-1) })).toBe('since: is in the future')
    expect(await refusal(ofStripe(), { since: new Date('yesterday') })).toBe('since: must be a valid Date')
  })

  it("another sender's listener", async () => {
    expect(await refusal(ofGithub(), {})).toBe("listener: verifies GitHub, and api is Stripe's")
  })

  // Adyen, Jira, Linear, SendGrid and Shopify: rows.test.ts
  it.each<[string, ListenerOptions['auth'], RegExp]>([
    ['Checkout.com', checkoutCom({ secrets: 'secret' }), /: resend them from the webhook’s failures/],
    ['DocuSign', docusign({ secrets: 'secret' }), /: republish them from its Connect log/],
    ['HubSpot', hubspot({ secrets: 'secret', publicUrl: STRIPE_URL }), /: read the objects that matter/],
    ['Meta', meta({ secrets: 'secret' }), /: read the objects that matter/],
    ['Twilio', twilio({ secrets: 'secret', publicUrl: STRIPE_URL }), /: read the calls and messages/],
  ])('%s by name, with what to do instead', async (sender, auth, instead) => {
    const said = await refusal(endpoint(auth).listener, {})
    expect(said).toContain(`listener: verifies ${sender}`)
    expect(said).toMatch(/, whose events cannot be recovered, because no API of it lists them/)
    expect(said).toMatch(instead)
  })

  it('a listener that claims something else than what the API has, or nothing', async () => {
    const { listener } = endpoint(stripe({ secrets: STRIPE_SECRET, dedupe: 'signed-bytes' }))
    expect(await refusal(listener, {})).toMatch(
      /has dedupe: 'signed-bytes', but Stripe's API has other bytes/,
    )
    expect(await refusal(ofGithub({}, 'off'), { api: repository })).toMatch(/what ran before would run again/)
  })

  it.each([
    [{ api: githubRepositoryApi as never }, 'api: is a function; call it'],
    [{ url: '/webhooks/stripe' }, 'url: must be the whole URL of your endpoint, as the sender knows it'],
    [{ dryRun: true } as never, /^dryRun: recover has no such option/],
    [{ atOnce: 0 }, /^atOnce: must be a whole number above 0/],
    [{ token: '' }, /the token for Stripe is empty/],
  ])('%j', async (given, message) => {
    const said = await refusal(ofStripe(), given)
    if (typeof message === 'string') expect(said).toBe(message)
    else expect(said).toMatch(message)
  })

  it('a base URL of GitHub that is not https, or has more than a path', () => {
    for (const baseUrl of [
      'http://ghe.example/api/v3',
      'https://u:p@ghe.example',
      'https://ghe.example/?a',
      'https://ghe.example/',
    ])
      expect(() => githubAppApi({ baseUrl })).toThrow(/^baseUrl: must be an https URL/)
    expect(githubAppApi({ baseUrl: 'https://ghe.example/api/v3' }).missed?.keepsDays).toBe(7)
  })
})
