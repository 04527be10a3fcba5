import { describe, expect, it, onTestFinished } from 'vitest'
import { webhookHandler } from '../../adapters/web.ts'
import { defineListener, type WebhookEvent } from '../../src/index.ts'
import { Client } from '../../src/management/client.ts'
import { inspect, type ManagementFetch, type RecoverOptions, recover } from '../../src/management/index.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { KILL_TIMES } from '../support/kills.ts'
import { FACTS } from './facts.ts'
import { type EndpointChange, FakeSender, FOREIGN_TOKEN, TOKEN, URL_HERE } from './fake-sender.ts'
import { SENDERS } from './senders.ts'

/** `npm run test:kills`: 200. */
const TIMES = Math.min(200, 20 * KILL_TIMES)
const DAY = 86_400
const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000)
const since = hoursAgo(24)

/** A sender, and an endpoint that remembers for long and records what ran. */
async function start(name: string) {
  const form = SENDERS[name] as (typeof SENDERS)[string]
  const sender = await FakeSender.start(form)
  onTestFinished(() => sender.server.close())
  const { auth, api } = form
  const store = memoryStore({ replayWindowSeconds: 30 * DAY })
  const listener = defineListener({ id: 'recovered', auth, store, onError: null, onVerdict: null })
  const events: WebhookEvent<unknown>[] = []
  const handler = (event: WebhookEvent<unknown>) => {
    events.push(event)
  }
  const options: RecoverOptions = { api, token: TOKEN, url: URL_HERE, since, fetch: sender.server.fetch }
  return { sender, form, listener, handler, events, handle: webhookHandler(listener, handler), options }
}

const NAMES = Object.keys(SENDERS)
const LISTED = NAMES.filter((name) => SENDERS[name]?.event !== undefined)

describe.each(LISTED)('recover, of %s', (name) => {
  it('what was missed runs oldest first over all pages, with its ID, type and time, and is a duplicate then', async () => {
    const { sender, form, listener, handler, events, handle, options } = await start(name)
    sender.pageSize = 2
    sender.create(form.types[0], hoursAgo(25))
    const created = [3, 1, 5, 2, 4].map((hours) =>
      sender.create(form.types[hours % 2 ? 0 : 1], hoursAgo(hours)),
    )
    await sender.deliver(created[4] as (typeof created)[4], handle)
    events.length = 0
    const dry = await recover(listener, handler, options)
    const saysWhat = (form.api.missed?.status ?? form.api.missed?.undelivered) !== undefined
    expect(dry.found).toBe(saysWhat ? 4 : 5)
    expect(
      sender.server.requests.some((each) => each.startsWith('POST') && !each.endsWith('/v2/events')),
    ).toBe(false)
    const recovery = await recover(listener, handler, { ...options, run: true, atOnce: 1 })
    expect(recovery).toMatchObject({ ran: 4, duplicates: saysWhat ? 0 : 1, asked: 0, waiting: 0, failed: [] })
    expect(events.map(({ id }) => id)).toEqual(
      [5, 3, 2, 1].map((hours) => created[[3, 1, 5, 2].indexOf(hours)]?.id),
    )
    expect(events.map(({ type }) => type)).toEqual([
      form.types[0],
      form.types[0],
      form.types[1],
      form.types[0],
    ])
    expect(events[0]?.auth).toEqual({ method: 'api', scheme: form.api.scheme })
    expect(Math.abs((events[0]?.sentAt.getTime() ?? 0) - hoursAgo(5).getTime())).toBeLessThan(60_000)
    expect(JSON.stringify(events[0]?.payload)).toMatch(/"4"|:4\b/) // what the API has
    const again = await recover(listener, handler, { ...options, run: true })
    expect(again).toMatchObject({ ran: 0, duplicates: again.found })
  })

  it.each(['before', 'while', 'after'] as const)(
    `an event runs once, recovered %s it is delivered: ${TIMES} times`,
    async (order) => {
      const { sender, form, listener, handler, events, handle, options } = await start(name)
      const created = Array.from({ length: TIMES }, () => sender.create(form.types[0], hoursAgo(1)))
      const recovering = () => recover(listener, handler, { ...options, all: true, run: true })
      const deliver = () => Promise.all(created.map((each) => sender.deliver(each, handle)))
      if (order === 'while') await Promise.all([recovering(), deliver()])
      else for (const step of order === 'before' ? [recovering, deliver] : [deliver, recovering]) await step()
      expect(events.map(({ id }) => id).toSorted()).toEqual(created.map(({ id }) => id).toSorted())
      expect(created.every(({ delivered }) => delivered)).toBe(true)
      expect((await recovering()).duplicates).toBe(TIMES)
    },
  )

  it('a token of another account, and an account without this endpoint, bring nothing, and the token is in no message', async () => {
    const { sender, form, listener, handler, events, options } = await start(name)
    sender.create(form.types[0], hoursAgo(1))
    const run = { ...options, run: true }
    const refused = await recover(listener, handler, { ...run, token: FOREIGN_TOKEN }).catch((error) => error)
    expect(refused).toMatchObject({
      code: 'ERR_API_TOKEN',
      message: expect.stringContaining(form.api.token.reads),
    })
    expect(`${refused.stack} ${JSON.stringify(refused)}`).not.toContain(FOREIGN_TOKEN)
    sender.endpoints = [{ url: 'https://other.example/webhooks' }]
    await expect(recover(listener, handler, run)).rejects.toMatchObject({ code: 'ERR_API_ENDPOINT' })
    expect(events).toEqual([])
    expect(sender.server.requests.some((each) => each.includes(`${form.eventsPath}?`))).toBe(false)
  })

  it('its redelivery is the documented request', async () => {
    const { sender, form, options } = await start(name)
    if (form.resend === undefined) return expect(form.api.redelivery).toBeUndefined()
    const { redelivery, missed, endpoints, parameters } = form.api
    const sent = sender.create(form.types[0], hoursAgo(1))
    const [event, endpoint] = [form.event?.(sent) ?? {}, form.endpoint({})]
    const values = {
      ...parameters,
      id: `${Reflect.get(event, (missed?.id ?? '').slice(1))}`,
      hook: `${Reflect.get(endpoint, (endpoints.id ?? '').slice(1))}`,
    }
    const path = (redelivery?.path ?? '').replace(/\{(\w+)\}/g, (_, value: keyof typeof values) =>
      encodeURIComponent(values[value] ?? ''),
    )
    const headers = { [form.api.token.header]: form.api.token.before + TOKEN }
    const init = { method: 'POST', redirect: 'manual', headers, signal: AbortSignal.timeout(60_000) } as const
    const response = await options.fetch?.(form.api.baseUrl + path, init)
    expect(response?.status).toBe(202)
    expect(sender.resent).toEqual([sent.id])
  })
})

describe.each(LISTED)('a hostile API in the place of %s', (name) => {
  type Fetch = NonNullable<RecoverOptions['fetch']>

  /** What recovering comes to if `change` answers in its place: a message, and the hosts that were asked. */
  async function recoverBy(change: (answer: Response, url: string) => Response | Promise<Response>) {
    const { sender, form, listener, handler, events, options } = await start(name)
    sender.create(form.types[0], hoursAgo(1))
    const asked = new Set<string>()
    const fetch: Fetch = async (url, init) => {
      asked.add(new URL(url).origin)
      return change((await options.fetch?.(url, init)) ?? new Response(), url)
    }
    const recovering = recover(listener, handler, { ...options, fetch, run: true })
    const said = await recovering.then(
      ({ ran }) => `ran ${ran}`,
      (error: Error) => `${error.message} ${error.stack} ${JSON.stringify(error)}`,
    )
    expect(said).not.toContain(TOKEN)
    expect([...asked]).toEqual([new URL(form.api.baseUrl).origin])
    return { said, events }
  }

  it('is followed nowhere, neither by a redirect nor by a next page', async () => {
    const location = 'https://stranger.example/?page=2&after=2&cursor=2&iterator=2'
    const redirected = await recoverBy(() => new Response(null, { status: 307, headers: { location } }))
    expect(redirected.said).toContain('has status 307')
    const link = `<${location}>; rel="next"`
    const { said } = await recoverBy(async (answer) => {
      const text = (await answer.text()).replaceAll('https://api.paddle.com', 'https://stranger.example')
      return new Response(text, { headers: { link } })
    })
    expect(said).toMatch(name.startsWith('GitLab') ? /has its next page elsewhere/ : /^ran 1$/)
  })

  it('is cut if it sends without an end, and refused if it sends no list or no JSON', async () => {
    const chunk = new Uint8Array(4_194_304).fill(0x20)
    const endless = () => new Response(new ReadableStream({ pull: (to) => to.enqueue(chunk) }))
    expect((await recoverBy(endless)).said).toContain('is over 33554432 bytes')
    expect((await recoverBy(() => new Response('{}'))).said).toContain('has no list')
    expect((await recoverBy(() => new Response('<html>'))).said).toContain('is no JSON')
  })

  it('that was asked too often is asked again when it says so', async () => {
    const { sender, form, options } = await start(name)
    const pauses: number[] = []
    const pause = async (milliseconds: number) => pauses.push(milliseconds)
    let asked = 0
    const fetch: Fetch = async (url, init) => {
      asked += 1
      if (asked > 1) return (await options.fetch?.(url, init)) ?? new Response()
      return new Response(null, { status: 429, headers: { 'retry-after': '7' } })
    }
    const client = new Client({ api: form.api, token: TOKEN, fetch, pause, clock: Date })
    if (form.api.missed === undefined) throw new Error('lists nothing')
    sender.create(form.types[0], hoursAgo(1))
    const hook = `${Reflect.get(form.endpoint({}), (form.api.endpoints.id ?? '').slice(1))}`
    const listed: Uint8Array[] = []
    const query = { since: since.toISOString(), from: since.toISOString() }
    for await (const item of client.list(form.api.missed, { hook }, query)) listed.push(item)
    expect([listed.length, pauses]).toEqual([1, [7000]])
  })

  it('whose events have no ID or no time is not believed', async () => {
    const eventsPath = `${SENDERS[name]?.eventsPath}`
    for (const change of [/"(?:msg_|evt_|6a8f|3a42)[^"]*"/g, /"20\d\d-\d\d-\d\dT[^"]*Z"/g]) {
      const { said, events } = await recoverBy(async (answer, url) => {
        const text = await answer.text()
        const isList = decodeURIComponent(new URL(url).pathname).endsWith(eventsPath)
        return new Response(isList ? text.replace(change, 'null') : text)
      })
      expect(said).toContain('has no ID, event or time')
      expect(events).toEqual([])
    }
  })

  it('that has not kept a body is named with its event, which does not run as what stands for it', async () => {
    const record = SENDERS[name]?.api.missed?.record
    const lost = record?.trust === 'fetched' ? record.lost : undefined
    if (lost === undefined) return
    const { said, events } = await recoverBy(async (answer) => {
      const text = await answer.text()
      return new Response(
        text.replace(/("payload"|"request_data"): \{[^}]*\}/, `$1: ${lost.replace(':', ' : ')}`),
      )
    })
    expect(said).toBe('ran 0')
    expect(events).toEqual([])
  })
})

describe.each(NAMES)('inspect, of %s', (name) => {
  const found = async (change: EndpointChange, given: object = {}, seed = (_: FakeSender) => {}) => {
    const { sender, form, options } = await start(name)
    sender.endpoints = [change]
    seed(sender)
    const { api, token, url, fetch } = options
    const findings = await inspect({ api, token, url, fetch, types: [...form.types, '*'], ...given })
    for (const { fix } of findings) expect(fix).not.toBe('')
    return findings.map(({ what }) => what)
  }

  it('finds what is wrong, and nothing else', async () => {
    const [one = ''] = SENDERS[name]?.types ?? []
    expect(await found({})).toEqual([])
    const tells = SENDERS[name]?.api.endpoints.should.some(({ finding }) => finding === 'disabled')
    expect(await found({ disabled: true })).toEqual(tells ? ['disabled'] : [])
    expect(await found({ url: 'https://other.example/' })).toEqual(['unregistered'])
    expect(await found({ types: [one] })).toEqual(['unsubscribed'])
    expect(await found({}, { types: [one] })).toEqual(['unhandled'])
  })

  it('compares the secret, if the sender shows it and it is given, and tells nobody', async () => {
    const { form, options } = await start(name)
    const { api, token, url } = options
    const asked: number[] = []
    const found = async (
      secrets: string | string[] | undefined,
      change: EndpointChange = {},
      refusesAt?: string,
    ) => {
      const { sender } = await start(name)
      sender.endpoints = [change]
      const fetch: ManagementFetch = async (to, init) =>
        refusesAt && to.endsWith(refusesAt)
          ? new Response(null, { status: 403 })
          : sender.server.fetch(to, init)
      const findings = await inspect({ api, token, url, secrets, fetch })
      asked.push(sender.server.requests.length)
      expect(JSON.stringify(findings)).not.toMatch(/of another|of these|whsec_|pdl_/)
      return findings.map(({ what, seen, fix }) => `${what}: ${seen}. ${fix}`)
    }
    const other = [
      "secret: the secret here is another one than the sender's. give your endpoint the secret that this URL's endpoint has at the sender",
    ]
    const shows = api.endpoints.secret !== undefined
    expect(shows).toBe(['Linear', 'Paddle', 'Resend', 'Square', 'Svix'].includes(name))
    expect(await found(undefined, { secret: 'of another' })).toEqual([])
    expect(await found('of another')).toEqual(shows ? other : [])
    expect(await found(form.secret || 'of these', { secret: 'of another' })).toEqual(shows ? other : [])
    expect(await found(['of another', `${form.secret} `])).toEqual(shows ? other : [])
    expect(await found(form.secret || 'of these')).toEqual([])
    expect(await found(['of another', form.secret || 'of these'])).toEqual([])
    const unseen = [
      'secret: the sender did not show its secret, so it was not compared. give the token the right to read it, or compare without a secret here',
    ]
    expect(await found('of another', { secret: null })).toEqual(shows ? unseen : [])
    const [asks = 0, ...asksWith] = asked
    expect(new Set(asksWith)).toEqual(new Set([api.endpoints.secret?.call ? asks + 1 : asks]))
    if (name === 'Svix') expect(await found('of another', {}, '/secret')).toEqual(unseen)
  })

  it('tells failures of this endpoint, if the sender does', async () => {
    const form = SENDERS[name]
    const tells = form?.api.missed?.status !== undefined
    const seed = (sender: FakeSender) => sender.create(form?.types[0] ?? '', hoursAgo(1))
    expect(await found({}, {}, seed)).toEqual(tells ? ['failed'] : [])
  })

  it('reads all pages, sends nothing but reads, and tells a token that is refused what it needs', async () => {
    const { sender, form, options } = await start(name)
    sender.pageSize = 1
    const tells = form.api.endpoints.next !== undefined
    if (tells) sender.endpoints = [{ url: 'https://other.example/' }, {}]
    const { api, token, url, fetch } = options
    expect(await inspect({ api, token, url, fetch, types: form.types })).toEqual([])
    const inspecting = inspect({ api, token: FOREIGN_TOKEN, url, fetch })
    await expect(inspecting).rejects.toThrow(form.api.token.reads)
    const isRead = (each: string) => each.startsWith('GET ') || /graphql|v2\/events/.test(each)
    expect(sender.server.requests.filter((each) => !isRead(each))).toEqual([])
  })
})

describe('inspect finds what one sender alone says', () => {
  it.each<[string, string, string, string[]]>([
    ['GitLab', '"token_present": true', '"token_present": false', ['unsigned: its token_present is false']],
    ['GitLab', '"signing_token_present": true', '"signing_token_present": false', []],
    ['Adyen', '"hasError": false', '"hasError": true', ['failed: its hasError is true']],
    ['Adyen', '"hasError": false', '"networkType": null', []],
  ])('%s, of %s as %s', async (name, said, other, found) => {
    const { options } = await start(name)
    const { api, token, url } = options
    let isSaid = false
    const fetch: typeof options.fetch = async (to, init) => {
      const text = await ((await options.fetch?.(to, init)) ?? new Response()).text()
      isSaid ||= text.includes(said)
      return new Response(text.replace(said, other))
    }
    const findings = await inspect({ api, token, url, fetch })
    expect(isSaid).toBe(true)
    expect(findings.map(({ what, seen }) => `${what}: ${seen}`)).toEqual(found)
  })

  it.each(NAMES)(
    'the test mode is refused, of %s, as no sender but Stripe has both in one API',
    async (name) => {
      const { sender, listener, handler, options } = await start(name)
      const { api, token, url, fetch } = options
      const inspecting = inspect({ api, token, url, fetch, mode: 'test' })
      await expect(inspecting).rejects.toThrow(/^mode: is not for \w+, whose API has one mode only$/)
      await inspect({ api, token, url, fetch, mode: 'live' })
      if (api.missed === undefined) return
      const asked = sender.server.requests.length
      await expect(recover(listener, handler, { ...options, mode: 'test' })).rejects.toThrow(
        /^mode: is not for/,
      )
      expect(sender.server.requests).toHaveLength(asked)
    },
  )

  it.each(NAMES)('an API version is compared only where endpoints have one, of %s', async (name) => {
    const { options } = await start(name)
    const { api, token, url, fetch } = options
    const inspecting = inspect({ api, token, url, fetch, version: 'of tomorrow' })
    if (['Paddle', 'Shopify', 'Square'].includes(name))
      expect((await inspecting).map(({ what }) => what)).toContain('version')
    else await expect(inspecting).rejects.toThrow(/^version: is not for \w+, whose endpoints have none$/)
  })
})

describe('what became of an event', () => {
  it('one that the sender is still at work on is no failure, but may be recovered', async () => {
    const { sender, form, listener, handler, options } = await start('Resend')
    sender.create(form.types[0], hoursAgo(1))
    const fetch: typeof options.fetch = async (url, init) => {
      const text = await ((await options.fetch?.(url, init)) ?? new Response()).text()
      return new Response(text.replace('"failed"', '"attempting"'))
    }
    const { api, token, url } = options
    expect(await inspect({ api, token, url, fetch })).toEqual([])
    expect(await recover(listener, handler, { ...options, fetch })).toMatchObject({ found: 1 })
  })

  it('one whose record has no ID is asked for again, and not claimed by its bytes', async () => {
    const { sender, form, listener, handler, options } = await start('Resend')
    sender.create(form.types[0], hoursAgo(1))
    const fetch: typeof options.fetch = async (url, init) => {
      const text = await ((await options.fetch?.(url, init)) ?? new Response()).text()
      return new Response(/events\/msg_\w+$/.test(url) ? text.replace('"id"', '"event_id"') : text)
    }
    const recovery = await recover(listener, handler, { ...options, fetch, run: true })
    expect(recovery).toMatchObject({ ran: 0, asked: 1 })
  })

  it('one that Paddle has sent again has its first time, and hides no older list', async () => {
    const { sender, form, listener, handler, options } = await start('Paddle')
    sender.create(form.types[0], hoursAgo(2))
    sender.create(form.types[0], hoursAgo(1))
    const fetch: typeof options.fetch = async (url, init) => {
      const text = await ((await options.fetch?.(url, init)) ?? new Response()).text()
      if (!url.includes('/notifications')) return new Response(text)
      const list = JSON.parse(text)
      list.data[0].occurred_at = hoursAgo(48).toISOString()
      return Response.json(list)
    }
    expect(await recover(listener, handler, { ...options, fetch })).toMatchObject({ found: 1 })
  })
})

describe('recover refuses by name what no API can bring', () => {
  it.each(NAMES.filter((name) => !LISTED.includes(name)))('%s, with what to do instead', async (name) => {
    const { sender, listener, handler, options } = await start(name)
    const recovering = recover(listener, handler, options)
    await expect(recovering).rejects.toThrow(
      /^listener: verifies .*, whose events cannot be recovered, .*: \w+/,
    )
    expect(sender.server.requests).toEqual([])
  })
})

describe.each(NAMES)('what the sender publishes holds, of %s', (name) => {
  const { endpoint: ofEndpoint = [], event: ofEvent = [], source } = FACTS[name] ?? {}
  const first = (pointer: string) => pointer.split('/')[1] ?? ''

  it('the row reads members that there are', () => {
    expect(source).toMatch(/^https:.*, 2026-\d\d-\d\d$/)
    const { endpoints, missed } = (SENDERS[name] as (typeof SENDERS)[string]).api
    const { id = '', url, version = '', types, flags = {}, secret, should } = endpoints
    const shown = secret?.call ? '' : (secret?.at ?? '')
    const read = [id, url, version, types, shown, ...should.map(({ at }) => at)]
      .map(first)
      .concat(Object.keys(flags))
    expect(ofEndpoint).toEqual(expect.arrayContaining(read.filter((member) => member !== '')))
    if (missed?.record.trust !== 'fetched') return
    const { record, time, status } = missed
    const places = [missed.id, missed.event, missed.type, time.at, status?.at ?? '', record.body ?? '']
    const inEvent = [...places, ...Object.values(record.headers ?? {})].map(first)
    expect(ofEvent).toEqual(expect.arrayContaining(inEvent.filter((member) => member !== '')))
  })

  it('the fake answers no others', () => {
    const { endpoint, event, detail } = SENDERS[name] as (typeof SENDERS)[string]
    for (const each of [endpoint({})].flat())
      expect(ofEndpoint).toEqual(expect.arrayContaining(Object.keys(each)))
    const sent = { number: 1, id: '1', type: '', at: new Date(), delivered: false }
    for (const each of [event?.(sent), detail?.json(sent)])
      expect(ofEvent).toEqual(expect.arrayContaining(Object.keys(each ?? {})))
  })
})
