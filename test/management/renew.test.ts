import { describe, expect, it } from 'vitest'
import {
  googleCalendarApi,
  googleDriveChangesApi,
  googleDriveFileApi,
} from '../../src/management/google-channels.ts'
import { graphApi } from '../../src/management/graph.ts'
import {
  type Channel,
  inspect,
  type ManagementFetch,
  type RenewOptions,
  renew,
} from '../../src/management/index.ts'
import { jiraApi } from '../../src/management/jira.ts'
import { stripeApi } from '../../src/management/stripe.ts'
import { fakeClock } from '../support/clock.ts'

const URL_ = 'https://shop.example/webhooks/graph'
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const TOKEN = 'a-token-of-these-tests'

interface Subscription {
  readonly id: string
  resource?: string
  url?: string
  lifecycleNotificationUrl?: string
  includeResourceData?: boolean
  until: number
}

/** A sender of subscriptions in memory, and what it was asked for. */
function sender(
  of: 'graph' | 'jira',
  subscriptions: Subscription[],
  change?: (init: Init) => Response | undefined,
) {
  const asked: string[] = []
  const written: (of: Subscription) => object =
    of === 'graph'
      ? ({ id, resource = 'me/messages', url = URL_, until, ...given }: Subscription) => ({
          ...{ id, resource, notificationUrl: url, changeType: 'created,updated', clientState: null },
          ...{ lifecycleNotificationUrl: null, includeResourceData: null, ...given },
          expirationDateTime: new Date(until).toISOString().replace('Z', '0000Z'),
        })
      : ({ id, url = URL_, until }: Subscription) => ({
          ...{ id: Number(id), url, events: ['jira:issue_updated'], jqlFilter: 'project = PRJ' },
          expirationDate: new Date(until).toISOString().replace('Z', '+0000'),
        })
  const fetch: ManagementFetch = async (url, init) => {
    asked.push(`${init.method} ${url} ${init.body ?? ''}`.trim())
    expect(init.headers.authorization).toBe(`Bearer ${TOKEN}`)
    if (init.method === 'GET')
      return Response.json(
        of === 'graph' ? { value: subscriptions.map(written) } : { values: subscriptions.map(written) },
      )
    const refusal = change?.(init)
    if (refusal) return refusal
    const body = JSON.parse(init.body ?? '')
    const id = of === 'graph' ? decodeURIComponent(url.split('/').at(-1) ?? '') : String(body.webhookIds[0])
    const found = subscriptions.find((each) => each.id === id)
    if (found === undefined) return new Response(null, { status: 404 })
    found.until = of === 'graph' ? Date.parse(body.expirationDateTime) : clock.now() + 30 * DAY
    return Response.json(of === 'graph' ? written(found) : { expirationDate: found.until })
  }
  const clock = fakeClock(Date.now())
  const api = of === 'graph' ? graphApi : jiraApi({ cloudId: 'c1' })
  const options = { api, token: TOKEN, url: URL_, fetch, clock }
  const renewing = (given: Partial<RenewOptions> = {}) => renew({ ...options, run: true, ...given })
  return { asked, clock, renewing, options, changes: () => asked.filter((each) => !each.startsWith('GET ')) }
}

type Init = Parameters<ManagementFetch>[1]

const inMinutes = (minutes: number) => Date.now() + minutes * MINUTE

describe('renew', () => {
  it.each<[string, Partial<Subscription>, number]>([
    ['me/messages', {}, 10_080],
    ['me/messages', { includeResourceData: false }, 10_080],
    ['me/messages', { includeResourceData: true }, 1440],
    ["users/a/mailFolders('inbox')/messages", {}, 10_080],
    ['/users/a/events', {}, 10_080],
    ['me/contacts', {}, 10_080],
    ['communications/presences/1', { lifecycleNotificationUrl: URL_ }, 60],
    ['/chats/1/messages', {}, 60],
    ['/chats/1/messages', { lifecycleNotificationUrl: URL_ }, 4320],
    ['/chats/1/messages', { lifecycleNotificationUrl: URL_, includeResourceData: true }, 4320],
    ['users/a/chats/getAllMessages', { lifecycleNotificationUrl: URL_ }, 4320],
    ['teams/getAllChannels', {}, 60],
    ['/appCatalogs/teamsApps/1/installedToChats', {}, 60],
    ['me/drive/root', {}, 42_300],
    ['sites/a/lists/b', {}, 42_300],
    ['users', {}, 41_760],
    ['/groups/1/members', {}, 41_760],
    ['groups/1/conversations', {}, 4230],
    ['me/todo/lists/1/tasks', {}, 4230],
    ['communications/callRecords', {}, 4230],
    ['/security/alerts/?$filter=status', {}, 43_200],
  ])(
    'what watches %s, with %j, is renewed past half of its life, for all of it',
    async (resource, given, minutes) => {
      const due = { id: 'due', resource, ...given, until: inMinutes(minutes / 2 - 1) }
      const early = { id: 'early', resource, ...given, until: inMinutes(minutes / 2 + 1) }
      const { clock, renewing, changes } = sender('graph', [due, early])
      const until = new Date(clock.now() + (minutes - 5) * MINUTE)
      expect(await renewing()).toEqual([
        { id: 'due', state: 'renewed', until },
        { id: 'early', state: 'early', until: expect.any(Date) },
      ])
      expect(changes()).toEqual([
        `PATCH https://graph.microsoft.com/v1.0/subscriptions/due {"expirationDateTime":"${until.toISOString()}"}`,
      ])
    },
  )

  it('a subscription with another URL is never touched', async () => {
    const foreign = { id: 'foreign', url: 'https://other.example/webhooks', until: inMinutes(5) }
    const { renewing, changes } = sender('graph', [foreign, { id: 'ours', until: inMinutes(5) }])
    expect(await renewing()).toMatchObject([{ id: 'ours', state: 'renewed' }])
    expect(changes()).toHaveLength(1)
    const none = sender('graph', [foreign])
    await expect(none.renewing()).rejects.toMatchObject({
      code: 'ERR_API_ENDPOINT',
      message: expect.stringContaining('there is no subscription at this URL'),
    })
    expect(none.changes()).toEqual([])
  })

  it('without `run`, it only reads', async () => {
    const { renewing, asked } = sender('graph', [{ id: 'due', until: inMinutes(5) }])
    expect(await renewing({ run: false })).toMatchObject([{ id: 'due', state: 'due' }])
    expect(asked).toEqual(['GET https://graph.microsoft.com/v1.0/subscriptions'])
  })

  it('repeated, it renews nothing twice, until half of the life is over again', async () => {
    const { clock, renewing, changes } = sender('graph', [{ id: 'due', until: inMinutes(5) }])
    for (const _ of [1, 2]) await renewing()
    expect(changes()).toHaveLength(1)
    clock.advance((10_080 / 2) * MINUTE)
    await renewing()
    expect(changes()).toHaveLength(2)
  })

  it('a webhook of Jira is refreshed by its number, and its zone may lack a colon', async () => {
    const { clock, renewing, changes } = sender('jira', [
      { id: '10000', until: Date.now() + 14 * DAY },
      { id: '10001', until: Date.now() + 16 * DAY },
    ])
    expect(await renewing()).toEqual([
      { id: '10000', state: 'renewed', until: new Date(clock.now() + 30 * DAY) },
      { id: '10001', state: 'early', until: expect.any(Date) },
    ])
    expect(changes()).toEqual([
      'PUT https://api.atlassian.com/ex/jira/c1/rest/api/3/webhook/refresh {"webhookIds":[10000]}',
    ])
  })

  it.each<[string, Partial<Subscription>, ((init: Init) => Response) | undefined, RegExp]>([
    ['of a resource whose life is not known', { resource: 'solutions/x' }, undefined, /not known how long/],
    ['that has ended meanwhile', {}, () => new Response(null, { status: 404 }), /has status 404/],
    [
      'that the token may not renew',
      {},
      () => new Response(null, { status: 403 }),
      /refuses the token \(403\)/,
    ],
    [
      'that the sender answers, but does not extend',
      {},
      () => Response.json({ expirationDateTime: new Date(0).toISOString() }),
      /did not make it last longer/,
    ],
    [
      'that the sender answers with nothing',
      {},
      () => new Response(null, { status: 204 }),
      /did not make it last/,
    ],
  ])('one %s is named, and the next is renewed', async (_, given, change, why) => {
    let count = 0
    const { renewing } = sender(
      'graph',
      [
        { id: 'first', until: inMinutes(5), ...given },
        { id: 'second', until: inMinutes(5) },
      ],
      (init) => {
        count += 1
        return count === 1 ? change?.(init) : undefined
      },
    )
    const renewed = await renewing()
    expect(renewed).toMatchObject([
      { id: 'first', state: 'failed', why: expect.stringMatching(why) },
      { id: 'second', state: 'renewed' },
    ])
    expect(JSON.stringify(renewed)).not.toContain(TOKEN)
  })

  it('refuses a sender whose endpoints do not end', async () => {
    const { options } = sender('graph', [])
    await expect(renew({ ...options, api: stripeApi })).rejects.toThrow(/^api: has nothing to renew/)
  })
})

describe('inspect', () => {
  it.each([
    ['is about to end', 2500, ['ending']],
    ['has a third of its life left', 3360, []],
  ])('names a subscription that %s', async (_, minutes, what) => {
    const { options } = sender('graph', [{ id: 'one', until: inMinutes(minutes) }])
    const { clock: _clock, ...rest } = options
    expect((await inspect(rest)).map((each) => each.what)).toEqual(what)
  })
})

const URI = 'https://www.googleapis.com/drive/v3/changes?alt=json&pageToken=1'

/** Google, which knows channels by their ID, and lists none. */
function google(api = googleCalendarApi({ calendar: 'a#b@group.example' }), lifeMinutes = 10_080) {
  const clock = fakeClock(Date.now())
  const SECRET = 'channel-token-of-these-tests'
  const live = new Map<string, string>()
  const asked: { readonly path: string; readonly body: Record<string, unknown> }[] = []
  const steps: string[] = []
  let resource = 'r1'
  let resourceUri: string | undefined = URI
  let ends = true
  let fails: ((path: string) => Response | undefined) | undefined
  const fetch: ManagementFetch = async (url, { method, body, headers }) => {
    const path = url.replace('https://www.googleapis.com', '')
    const sent = JSON.parse(body ?? '')
    asked.push({ path: `${method} ${path}`, body: sent })
    expect(headers.authorization).toBe(`Bearer ${TOKEN}`)
    const failure = fails?.(path)
    if (failure) return failure
    if (path.endsWith('/channels/stop')) {
      steps.push(`stopped ${sent.id}`)
      return live.get(sent.id) === sent.resourceId && live.delete(sent.id)
        ? new Response(null, { status: 204 })
        : new Response(null, { status: 404 })
    }
    steps.push('watched')
    live.set(sent.id, resource)
    const { id, token, expiration } = sent
    return Response.json({
      kind: 'api#channel',
      id,
      resourceId: resource,
      resourceUri,
      token,
      ...(ends && { expiration: `${expiration}` }),
    })
  }
  const kept: Channel = {
    id: 'old',
    resourceId: 'r1',
    resourceUri: URI,
    token: SECRET,
    expiration: `${clock.now() + lifeMinutes * 30_000 - 1}`,
  }
  live.set('old', 'r1')
  const saved: Channel[] = []
  const keep = (channel: Channel) => {
    steps.push('kept')
    saved.push(channel)
  }
  const channel = { kept, secret: SECRET, keep }
  const renewing = (given: Partial<RenewOptions> = {}) =>
    renew({ api, token: TOKEN, url: URL_, fetch, clock, run: true, channel, ...given })
  return {
    ...{ renewing, channel, kept, saved, steps, asked, live, clock, SECRET },
    watchOther: () => {
      resource = 'r2'
    },
    watchAt: (uri: string | undefined) => {
      resource = 'r2' // as each page token has
      resourceUri = uri
    },
    endless: () => {
      ends = false
    },
    fail: (by: typeof fails) => {
      fails = by
    },
  }
}

describe("renew, of a channel of Google's", () => {
  it.each([
    [
      googleCalendarApi({ calendar: 'a#b@group.example' }),
      10_080,
      '/calendar/v3/calendars/a%23b%40group.example/events/watch',
    ],
    [googleDriveFileApi({ file: 'f/../1' }), 1440, '/drive/v3/files/f%2F..%2F1/watch'],
    [googleDriveChangesApi({ pageToken: '47&11' }), 10_080, '/drive/v3/changes/watch?pageToken=47%2611'],
  ])(
    'watches again past half of its life, has the new one kept, and then stops the old one (%#)',
    async (api, minutes, path) => {
      const { renewing, kept, saved, steps, asked, live, clock, SECRET } = google(api, minutes)
      const [renewed, ...rest] = await renewing()
      const id = saved[0]?.id ?? ''
      const until = clock.now() + minutes * MINUTE
      expect(renewed).toEqual({ id, state: 'renewed', until: new Date(until) })
      expect(rest).toEqual([])
      expect(id).toMatch(/^[0-9a-f-]{36}$/)
      expect(saved).toEqual([expect.objectContaining({ id, resourceId: 'r1', expiration: until })])
      expect(steps).toEqual(['watched', 'kept', 'stopped old'])
      expect(asked[0]).toEqual({
        path: `POST ${path}`,
        body: { id, type: 'web_hook', address: URL_, token: SECRET, expiration: until },
      })
      expect(asked[1]?.body).toEqual({ id: 'old', resourceId: kept.resourceId })
      expect([...live.keys()]).toEqual([id])
    },
  )

  it('is early, due without `run`, and has ended, and then asks nothing', async () => {
    const { renewing, kept, channel, clock, asked } = google()
    const at = (expiration: number) => renewing({ channel: { ...channel, kept: { ...kept, expiration } } })
    expect(await at(clock.now() + 5041 * MINUTE)).toMatchObject([{ id: 'old', state: 'early' }])
    expect(await renewing({ run: false })).toMatchObject([{ id: 'old', state: 'due' }])
    expect(await at(clock.now())).toMatchObject([
      { state: 'failed', why: expect.stringContaining('it has ended: watch again') },
    ])
    expect(await at(clock.now() + 1)).toMatchObject([{ state: 'renewed' }])
    expect(asked).toHaveLength(2)
  })

  it('whose kept record is of something else is left alone, and the new one is stopped', async () => {
    const { renewing, watchOther, saved, live } = google()
    watchOther()
    expect(await renewing()).toMatchObject([
      { id: 'old', state: 'failed', why: expect.stringContaining('something else') },
    ])
    expect([saved, [...live.keys()]]).toEqual([[], ['old']])
  })

  const ofDrive = (parameters: string) => `https://www.googleapis.com/drive/v3/changes${parameters}`

  it.each([ofDrive('?alt=json&pageToken=4711'), ofDrive('?pageToken=4711&alt=json')])(
    'of the changes of a Drive is known by its URL without the page token: %s',
    async (uri) => {
      const { renewing, watchAt, saved, live } = google(googleDriveChangesApi({ pageToken: '4711' }))
      watchAt(uri)
      expect(await renewing()).toMatchObject([{ state: 'renewed' }])
      expect([...live.keys()]).toEqual([saved[0]?.id])
    },
  )

  it.each<[string, string | undefined, string | undefined]>([
    ['a file', 'https://www.googleapis.com/drive/v3/files/f1?alt=json', URI],
    ['a shared drive', ofDrive('?alt=json&driveId=d1&pageToken=1'), URI],
    ['what it does not say', undefined, URI],
    ['what is no URL', 'changes', 'changes'],
    ['what Google does not say', URI, undefined],
    ['what neither says', undefined, undefined],
  ])(
    'that watches %s is no channel of the changes of a Drive, and is left alone',
    async (_, uri, answered) => {
      const { renewing, channel, watchAt, saved, live } = google(googleDriveChangesApi({ pageToken: '4711' }))
      watchAt(answered)
      const { resourceUri: _uri, ...rest } = channel.kept
      const kept = { ...rest, ...(uri !== undefined && { resourceUri: uri }) }
      expect(await renewing({ channel: { ...channel, kept } })).toMatchObject([
        { id: 'old', state: 'failed', why: expect.stringContaining('something else') },
      ])
      expect([saved, [...live.keys()]]).toEqual([[], ['old']])
    },
  )

  it('with another token than the secret is not watched again, and neither is told', async () => {
    const { renewing, channel, asked, SECRET } = google()
    const secret = 'the secret of another sender'
    const renewed = await renewing({ channel: { ...channel, secret } })
    expect(renewed).toMatchObject([
      { id: 'old', state: 'failed', why: expect.stringContaining('not the token of this channel') },
    ])
    expect(asked).toEqual([])
    expect(JSON.stringify(renewed)).not.toMatch(new RegExp(`${secret}|${SECRET}`))
    const { token: _token, ...kept } = channel.kept
    expect(await renewing({ channel: { ...channel, kept, secret } })).toMatchObject([{ state: 'renewed' }])
  })

  it('whose new one does not say when it ends goes on, and the new one is stopped', async () => {
    const { renewing, saved, live, endless } = google()
    endless()
    expect(await renewing()).toMatchObject([
      { id: 'old', state: 'failed', why: expect.stringContaining('last longer') },
    ])
    expect([saved, [...live.keys()]]).toEqual([[], ['old']])
  })

  it('that cannot be kept goes on, and the new one is stopped', async () => {
    const { renewing, channel, live } = google()
    const keep = () => Promise.reject(new Error('disk full'))
    const renewed = await renewing({ channel: { ...channel, keep } })
    expect(renewed).toMatchObject([{ id: 'old', state: 'failed', why: expect.stringContaining('disk full') }])
    expect([...live.keys()]).toEqual(['old'])
  })

  it('killed before it is kept goes on, and is renewed the next time', async () => {
    const { renewing, channel, saved, live } = google()
    const killed = renewing({ channel: { ...channel, keep: () => new Promise(() => {}) } })
    await expect.poll(() => live.size).toBe(2)
    expect(await Promise.race([killed, 'still there'])).toBe('still there')
    expect(await renewing()).toMatchObject([{ state: 'renewed' }])
    expect(live.has(saved[0]?.id ?? '')).toBe(true)
    expect(live.has('old')).toBe(false)
  })

  it.each<[string, (path: string) => Response | undefined, object, number]>([
    [
      'the token may not watch',
      () => new Response(null, { status: 403 }),
      { state: 'failed', why: expect.stringContaining('needs the scope') },
      1,
    ],
    [
      'Google fails, which may have heard it',
      () => new Response(null, { status: 500 }),
      { state: 'failed' },
      1,
    ],
    [
      'Google is overloaded, which may have heard it, and says when to come again',
      () => new Response(null, { status: 503, headers: { 'retry-after': '1' } }),
      { state: 'failed' },
      1,
    ],
    [
      'Google names another channel',
      () => Response.json({ id: 'other', resourceId: 'r1' }),
      { state: 'failed' },
      1,
    ],
    [
      'the old one cannot be stopped',
      (path) => (path.endsWith('stop') ? new Response(null, { status: 500 }) : undefined),
      { state: 'renewed' },
      2,
    ],
  ])('if %s, is told so, once asked', async (_, by, told, requests) => {
    const { renewing, fail, asked, SECRET } = google()
    fail(by)
    const renewed = await renewing()
    expect(renewed).toMatchObject([told])
    expect(asked).toHaveLength(requests)
    expect(JSON.stringify(renewed)).not.toMatch(new RegExp(`${TOKEN}|${SECRET}`))
  })

  it('needs what was kept, and no other sender takes it', async () => {
    const { renewing, channel } = google()
    await expect(renewing({ channel: undefined })).rejects.toThrow('channel: is missing: Google lists none')
    await expect(renewing({ api: graphApi })).rejects.toThrow('channel: is not for Microsoft Graph')
    for (const [given, message] of [
      [{ ...channel, kept: { id: 'old' } }, 'must have kept'],
      [{ ...channel, secret: '' }, 'must have secret'],
      [{ ...channel, keep: undefined }, 'must have keep'],
      [[], 'must have kept, secret and keep'],
    ] as const)
      await expect(renewing({ channel: given as never })).rejects.toThrow(`channel: ${message}`)
    const inspecting = inspect({ api: googleCalendarApi({ calendar: 'primary' }), token: TOKEN, url: URL_ })
    await expect(inspecting).rejects.toThrow('api: cannot be inspected')
  })
})
