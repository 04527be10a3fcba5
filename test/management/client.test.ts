import type { IncomingMessage, ServerResponse } from 'node:http'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { ManagementApi } from '../../src/management/api.ts'
import { Client, type ClientOptions } from '../../src/management/client.ts'
import { githubRepositoryApi } from '../../src/management/github.ts'
import { stripeApi } from '../../src/management/stripe.ts'
import { fakeClock } from '../support/clock.ts'
import { type FakeServer, sendJson, startFake } from './fake-server.ts'

const clock = fakeClock()
const TOKEN = 'sk_live_never_in_a_message'

type Answer = (request: IncomingMessage, response: ServerResponse, url: URL) => unknown

/** A client, and a hostile server in the place of the sender's. */
async function clientOf(api: ManagementApi, answer: Answer, given: Partial<ClientOptions> = {}) {
  const server = await startFake(api.baseUrl, answer)
  onTestFinished(() => server.close())
  const pauses: number[] = []
  const pause = async (milliseconds: number) => pauses.push(milliseconds)
  const client = new Client({ api, clock, token: TOKEN, fetch: server.fetch, pause, ...given })
  return { client, server, pauses }
}

/** What listing the events comes to: their texts, or the message. */
async function listed(client: Client, { missed, endpoints }: ManagementApi = stripeApi): Promise<unknown> {
  const items: unknown[] = []
  try {
    for await (const item of client.list(missed ?? endpoints, { hook: '1' }))
      items.push(new TextDecoder().decode(item))
    return items
  } catch (error) {
    expect(`${Reflect.get(Object(error), 'stack')} ${JSON.stringify(error)}`).not.toContain(TOKEN)
    expect(Reflect.get(Object(error), 'cause')).toBeUndefined()
    return `${Reflect.get(Object(error), 'code')} ${Reflect.get(Object(error), 'message')}`
  }
}

const github = githubRepositoryApi({ owner: 'octocat', repo: 'hello-world' })
const empty = { object: 'list', has_more: false, data: [] }

/** Counts what a stranger's server hears. */
async function stranger(): Promise<FakeServer> {
  const server = await startFake('https://stranger.example', (_, response) => sendJson(response, 200, empty))
  onTestFinished(() => server.close())
  return server
}

describe('a hostile API', () => {
  it.each([301, 302, 303, 307, 308])(
    'that redirects by %d is refused, and nobody else gets the token',
    async (status) => {
      const other = await stranger()
      const { client } = await clientOf(stripeApi, (_, response) =>
        response.writeHead(status, { location: `${other.origin}/v1/events` }).end(),
      )
      expect(await listed(client)).toBe(
        `ERR_API_ANSWER Stripe: the answer to GET /v1/events has status ${status}`,
      )
      expect(other.requests).toEqual([])
    },
  )

  it('whose next page is elsewhere is refused', async () => {
    const other = await stranger()
    const { client, server } = await clientOf(github, (_, response) =>
      sendJson(response, 200, '[{"id":1}]', { link: `<${other.origin}/deliveries?cursor=2>; rel="next"` }),
    )
    expect(await listed(client, github)).toMatch(/^ERR_API_ANSWER GitHub: .* has its next page elsewhere$/)
    expect(server.requests).toHaveLength(1)
    expect(other.requests).toEqual([])
  })

  it('of a next page only the cursor is taken: its path and its other parameters go nowhere', async () => {
    const link =
      '<https://api.github.com/user/emails?cursor=%26a%2F..&per_page=1>; rel="next", <https://api.github.com/?cursor=0>; rel="first"'
    const { client, server } = await clientOf(github, (_, response, { searchParams }) =>
      searchParams.has('cursor')
        ? sendJson(response, 200, '[{"id":2}]')
        : sendJson(response, 200, '[{"id":1}]', { link }),
    )
    expect(await listed(client, github)).toEqual(['{"id":1}', '{"id":2}'])
    expect(server.requests).toEqual([
      'GET /repos/octocat/hello-world/hooks/1/deliveries?per_page=100',
      'GET /repos/octocat/hello-world/hooks/1/deliveries?per_page=100&cursor=%26a%2F..',
    ])
  })

  it('with pages that come again is refused', async () => {
    const { client, server } = await clientOf(stripeApi, (_, response) =>
      sendJson(response, 200, { ...empty, has_more: true, data: [{ id: 'evt_1' }] }),
    )
    expect(await listed(client)).toBe(
      'ERR_API_ANSWER Stripe: the answer to GET /v1/events goes on with pages without an end',
    )
    expect(server.requests).toHaveLength(2)
  })

  it.each([
    ['has more, but no items', { has_more: true, data: [] }],
    ['has more after an item without an ID', { has_more: true, data: [{}] }],
    ['does not say whether it has more', { has_more: undefined, data: [{ id: 'evt_1' }] }],
  ])('whose list %s is refused: the rest would be lost unnoticed', async (_, given) => {
    const { client } = await clientOf(stripeApi, (_request, response) =>
      sendJson(response, 200, { ...empty, ...given }),
    )
    expect(await listed(client)).toBe(
      'ERR_API_ANSWER Stripe: the answer to GET /v1/events does not say whether and how it goes on',
    )
  })

  it.each([
    [8192, ['{"id":1}', '{"id":2}']],
    [8193, expect.stringMatching(/^ERR_API_ANSWER GitHub: .* has its next page at too long a place$/)],
  ])('whose next page is at a place of %d characters', async (length, outcome) => {
    const { client } = await clientOf(github, (_, response, { searchParams }) => {
      const link = `<https://api.github.com/x?cursor=${'c'.repeat(length)}>; rel="next"`
      return searchParams.has('cursor')
        ? sendJson(response, 200, '[{"id":2}]')
        : sendJson(response, 200, '[{"id":1}]', { link })
    })
    expect(await listed(client, github)).toEqual(outcome)
  })

  it('with an empty page before the last is listed to its end', async () => {
    const link = '<https://api.github.com/x?cursor=2>; rel="next"'
    const { client } = await clientOf(github, (_, response, { searchParams }) =>
      searchParams.has('cursor')
        ? sendJson(response, 200, '[{"id":2}]')
        : sendJson(response, 200, '[]', { link }),
    )
    expect(await listed(client, github)).toEqual(['{"id":2}'])
  })

  it('that sends without an end is cut', { timeout: 60_000 }, async () => {
    const chunk = Buffer.alloc(1_048_576, ' ')
    let sent = 0
    const { client } = await clientOf(stripeApi, (_, response) => {
      const send = () => {
        while (!response.destroyed && response.write(chunk)) sent += 1
        sent += 1
      }
      response.on('drain', send)
      send()
    })
    expect(await listed(client)).toBe(
      'ERR_API_ANSWER Stripe: the answer to GET /v1/events is over 33554432 bytes',
    )
    expect(sent).toBeLessThan(64)
  })

  it.each([
    ['never answers', () => {}],
    [
      'answers bit by bit',
      (_: unknown, response: ServerResponse) => {
        const timer = setInterval(() => response.write(' '), 10)
        response.on('close', () => clearInterval(timer))
      },
    ],
  ])('that %s is waited for only so long', async (_, answer) => {
    const { client } = await clientOf(stripeApi, answer, { timeoutMs: 50 })
    expect(await listed(client)).toBe(
      'ERR_API_ANSWER Stripe: the answer to GET /v1/events did not come within 50 ms',
    )
  })

  it.each([
    ['no JSON', '<html>', 'is no JSON'],
    ['bytes that are no UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'is no JSON'],
    ['no list', '{"data":{}}', 'has no list'],
    ['nothing', '', 'has no list'],
  ])('that sends %s is refused', async (_, body, problem) => {
    const { client } = await clientOf(stripeApi, (_request, response) => response.end(body))
    expect(await listed(client)).toBe(`ERR_API_ANSWER Stripe: the answer to GET /v1/events ${problem}`)
  })

  it.each([
    [401, 'ERR_API_TOKEN Stripe refuses the token (401): it needs a restricted key'],
    [403, 'ERR_API_TOKEN Stripe refuses the token (403): it needs a restricted key'],
    [
      404,
      "ERR_API_ANSWER Stripe: the answer to GET /v1/events has status 404, which may be the token's fault: it needs",
    ],
    [400, 'ERR_API_ANSWER Stripe: the answer to GET /v1/events has status 400'],
  ])('that answers %d and shows the token has neither in the message', async (status, message) => {
    const { client, server } = await clientOf(stripeApi, ({ headers }, response) =>
      sendJson(response, status, { error: { message: `${headers.authorization}` } }),
    )
    expect(await listed(client)).toMatch(new RegExp(`^${message.replaceAll(/[().]/g, '\\$&')}`))
    expect(server.requests).toHaveLength(1)
  })

  it('that is away is named by its code', async () => {
    const { client, server } = await clientOf(stripeApi, () => {})
    await server.close()
    expect(await listed(client)).toBe(
      'ERR_API_ANSWER Stripe: the answer to GET /v1/events did not come (ECONNREFUSED)',
    )
  })
})

describe('an API that fails for a while', () => {
  const FIVE = [1000, 2000, 4000, 8000]

  /** Fails so many times, then answers. */
  const failing = (times: number, fail: (response: ServerResponse) => unknown): Answer => {
    let asked = 0
    return (_, response) => {
      asked += 1
      return asked > times ? sendJson(response, 200, empty) : fail(response)
    }
  }
  const status = (code: number, headers = {}) => ({
    fail: (response: ServerResponse) => sendJson(response, code, {}, headers),
  })
  const broken = {
    before: (response: ServerResponse) => response.destroy(),
    within: (response: ServerResponse) => {
      response.writeHead(200, { 'content-length': 100 }).write('{')
      setImmediate(() => response.destroy())
    },
  }

  it.each([
    ['has status 500', status(500).fail, 'has status 500'],
    ['has status 502', status(502).fail, 'has status 502'],
    ['closes the connection', broken.before, 'did not come (UND_ERR_SOCKET)'],
    ['closes it within an answer', broken.within, 'did not come (UND_ERR_SOCKET)'],
  ])('and %s four times lists all the same; the fifth time ends it', async (_, fail, problem) => {
    const { client, pauses } = await clientOf(stripeApi, failing(4, fail))
    expect(await listed(client)).toEqual([])
    expect(pauses).toEqual(FIVE)
    const never = await clientOf(stripeApi, failing(5, fail))
    expect(await listed(never.client)).toBe(`ERR_API_ANSWER Stripe: the answer to GET /v1/events ${problem}`)
    expect(never.server.requests).toHaveLength(5)
  })

  it('goes on with the page at which it failed', async () => {
    let failed = false
    const { client, server } = await clientOf(stripeApi, (_, response, { searchParams }) => {
      if (!searchParams.has('starting_after'))
        return sendJson(response, 200, { ...empty, has_more: true, data: [{ id: 'evt_1' }] })
      if (failed) return sendJson(response, 200, { ...empty, data: [{ id: 'evt_2' }] })
      failed = true
      return response.destroy()
    })
    expect(await listed(client)).toHaveLength(2)
    expect(server.requests).toHaveLength(3)
  })

  it('and says with a 503 when to come is asked again then, if that is soon', async () => {
    const soon = await clientOf(stripeApi, failing(1, status(503, { 'retry-after': '7' }).fail))
    expect(await listed(soon.client)).toEqual([])
    expect(soon.pauses).toEqual([7000])
    const late = await clientOf(stripeApi, failing(1, status(503, { 'retry-after': '3600' }).fail))
    expect(await listed(late.client)).toMatch(/has status 503$/)
    expect(late.pauses).toEqual([])
  })

  it('and says with a 503 when to come is not asked to act twice, as it may have heard', async () => {
    const answer = failing(1, status(503, { 'retry-after': '7' }).fail)
    const { client, server, pauses } = await clientOf(stripeApi, answer)
    const acting = client.call({ method: 'POST', path: '/watch', acts: true, body: {} }, {})
    await expect(acting).rejects.toThrow(/has status 503$/)
    expect([server.requests, pauses]).toEqual([['POST /watch'], []])
  })

  it.each([
    ['has status 500', status(500).fail, /has status 500$/],
    ['closes the connection', broken.before, /did not come/],
  ])('and %s is not asked for a redelivery twice, as it may have heard', async (_, fail, message) => {
    const { client, server } = await clientOf(github, failing(1, fail))
    const asking = client.call({ method: 'POST', path: '/attempts' }, {})
    await expect(asking).rejects.toThrow(message)
    expect(server.requests).toEqual(['POST /attempts'])
  })
})

describe('a sender that was asked too often', () => {
  const slowDown = (headers: Record<string, string>, status = 429, times = 2): Answer => {
    let asked = 0
    return (_, response) => {
      asked += 1
      sendJson(response, asked > times ? 200 : status, empty, asked > times ? {} : headers)
    }
  }
  const inSeconds = (seconds: number) => clock.seconds() + seconds

  it.each([
    ['Retry-After in seconds', slowDown({ 'retry-after': '7' }), 7000],
    [
      'Retry-After with a date',
      slowDown({ 'retry-after': new Date(clock.now() + 60_000).toUTCString() }),
      60_000,
    ],
    ['a 403 with Retry-After, as of GitHub', slowDown({ 'retry-after': '60' }, 403), 60_000],
    [
      "GitHub's limit, with its end",
      slowDown({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': `${inSeconds(60)}` }, 403),
      60_000,
    ],
  ])('is asked again after %s', async (_, answer, pauseMs) => {
    const { client, pauses } = await clientOf(stripeApi, answer)
    expect(await listed(client)).toEqual([])
    expect(pauses).toEqual([pauseMs, pauseMs])
  })

  const said: Answer = (_, response) =>
    sendJson(response, 403, {
      message: 'You have exceeded a secondary rate limit. Please wait a few minutes.',
    })

  it("GitHub's secondary limit, which only its message tells, is waited for: a minute, and no longer than two", async () => {
    let asked = 0
    const { client, pauses } = await clientOf(github, (request, response, url) => {
      asked += 1
      return asked > 2 ? sendJson(response, 200, '[]') : said(request, response, url)
    })
    expect(await listed(client, github)).toEqual([])
    expect(pauses).toEqual([60_000, 60_000])
    const always = await clientOf(github, said)
    expect(await listed(always.client, github)).toMatch(/asks to wait 60 s: run it again then$/)
    expect(always.pauses).toHaveLength(4)
  })

  it('that text counts for senders whose row has it, and the start of an answer only', async () => {
    const ofStripe = await clientOf(stripeApi, said)
    expect(await listed(ofStripe.client)).toMatch(/^ERR_API_TOKEN/)
    const long = await clientOf(github, (_, response) =>
      sendJson(response, 403, { padding: 'x'.repeat(65_536), message: 'rate limit' }),
    )
    expect(await listed(long.client, github)).toMatch(/^ERR_API_TOKEN/)
  })

  it('is never asked again at once, even if its limit has ended', async () => {
    const past = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': `${inSeconds(-5)}` }
    for (const headers of [{ 'retry-after': '0' }, past]) {
      const { client, pauses } = await clientOf(github, slowDown(headers))
      await listed(client, github)
      expect(pauses).toEqual([1000, 2000])
    }
  })

  it('is asked again later and later if it does not say when, five times in all', async () => {
    const { client, pauses } = await clientOf(stripeApi, slowDown({}, 429, 9))
    expect(await listed(client)).toMatch(/asks to wait 16 s: run it again then$/)
    expect(pauses).toEqual([1000, 2000, 4000, 8000])
  })

  it('and wants a long pause is not waited for: the message says how long it is', async () => {
    const { client, pauses } = await clientOf(stripeApi, slowDown({ 'retry-after': '3600' }))
    expect(await listed(client)).toMatch(/asks to wait 3600 s: run it again then$/)
    expect(pauses).toEqual([])
  })

  it('a 403 that says nothing of limits is a refusal of the token', async () => {
    const { client, pauses } = await clientOf(stripeApi, slowDown({ 'x-ratelimit-remaining': '12' }, 403))
    expect(await listed(client)).toMatch(/^ERR_API_TOKEN/)
    expect(pauses).toEqual([])
  })
})

describe('what a user passes', () => {
  it.each(['', ' ', 'two words', `${TOKEN}\n`, `${TOKEN}\r\nx-admin: 1`, 'caf\u00e9', undefined as never])(
    'the token %j is refused before anything is sent',
    async (token) => {
      const { client, server } = await clientOf(stripeApi, () => {}, { token })
      expect(await listed(client)).toMatch(/^ERR_API_TOKEN the token for Stripe /)
      expect(server.requests).toEqual([])
    },
  )

  it('a function makes a token for each request, and what it throws is not shown', async () => {
    const token = vi.fn(async () => TOKEN)
    const { client } = await clientOf(stripeApi, (_, response) => sendJson(response, 200, empty), { token })
    await listed(client)
    await listed(client)
    expect(token).toHaveBeenCalledTimes(2)
    token.mockReturnValueOnce(new Promise(() => {}))
    const hanging = await clientOf(stripeApi, () => {}, { token, timeoutMs: 20 })
    expect(await listed(hanging.client)).toBe(
      'ERR_API_TOKEN the token for Stripe could not be made: token() took longer than 20 ms',
    )
    expect(hanging.server.requests).toEqual([])
    token.mockRejectedValue(new Error(TOKEN))
    expect(await listed(client)).toBe('ERR_API_TOKEN the token for Stripe could not be made: token() threw')
  })

  it.each(['a/b', '../admin', '%2e%2e', 'a?b=c#d', 'ä b', ';x'])(
    'the parameter %j stays one segment of the path',
    async (owner) => {
      const api = githubRepositoryApi({ owner, repo: 'r' })
      const { client, server } = await clientOf(api, (_, response) => sendJson(response, 200, '[]'))
      expect(await listed(client, api)).toEqual([])
      const [path = ''] = (server.requests[0] ?? '').replace('GET ', '').split('?')
      expect(path.split('/')).toHaveLength(7)
      expect(decodeURIComponent(path.split('/')[2] ?? '')).toBe(owner)
    },
  )

  it.each(['.', '..', '\ud800', 'x'.repeat(1025)])(
    'the parameter %j is no segment, and nothing is sent',
    async (owner) => {
      const api = { ...github, parameters: { owner, repo: 'r' } } // as one that an answer had
      const { client, server } = await clientOf(api, () => {})
      expect(await listed(client, api)).toBe(
        'ERR_API_ANSWER there is no owner for /repos/{owner}/{repo}/hooks/{hook}/deliveries',
      )
      expect(server.requests).toEqual([])
    },
  )
})
