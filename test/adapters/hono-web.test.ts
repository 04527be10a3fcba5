import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { type VerifyWebhookOptions, verifyWebhook } from '../../adapters/hono.ts'
import type { RawRequest } from '../support/raw-http.ts'
import { changed, type Endpoint, hmacEndpoint, jwtEndpoint, sentHeader } from '../support/sender.ts'

const LIMIT = 65_536

/** Calls the app like a platform without sockets: with a web request and nothing else. */
async function send(
  { listener }: Endpoint,
  request: RawRequest,
  { body, ...options }: VerifyWebhookOptions & { body?: ReadableStream<Uint8Array> } = {},
) {
  let handled = 0
  const app = new Hono()
  app.all('/hook', verifyWebhook(listener, options), (c) => {
    handled += 1
    return c.text('ok')
  })
  const headers = request.headers.map(([name, value]): [string, string] => [name, value])
  const hasBody = request.method !== 'GET' && request.method !== 'HEAD'
  const sent = hasBody ? { body: body ?? Buffer.from(request.body), duplex: 'half' as const } : {}
  const response = await app.fetch(
    new Request(`http://localhost${request.path}`, { method: request.method, headers, ...sent }),
  )
  return { response, handled, status: response.status, text: await response.text() }
}

/** A stream that gives 10,000 bytes per pull, counts its pulls and knows whether it was cancelled. */
function meteredStream(pulls: number, end: 'close' | 'error' | 'hang' = 'close') {
  const seen = { pulled: 0, cancelled: false }
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        seen.pulled += 1
        if (seen.pulled <= pulls) return controller.enqueue(Buffer.alloc(10_000, ' '))
        if (end === 'close') return controller.close()
        if (end === 'error') return controller.error(new Error('reset'))
        return new Promise(() => {})
      },
      cancel() {
        seen.cancelled = true
      },
    },
    { highWaterMark: 0 },
  )
  return { stream, seen }
}

const problem = (status: number, title: string, code: string) => JSON.stringify({ status, title, code })
const TOO_LARGE = problem(400, 'Bad Request', 'body_too_large')
const INCOMPLETE = problem(400, 'Bad Request', 'body_incomplete')

describe('a body that is a web stream', () => {
  it('a web stream of 65,536 bytes is accepted, and one of 65,537 refused', async () => {
    for (const [bytes, status] of [
      [LIMIT, 200],
      [LIMIT + 1, 400],
    ] as const) {
      const endpoint = hmacEndpoint()
      const request = await endpoint.request({ body: `"${'x'.repeat(bytes - 2)}"` })
      const body = new Blob([Buffer.from(request.body)]).stream()
      expect(await send(endpoint, request, { body })).toMatchObject({
        status,
        handled: status === 200 ? 1 : 0,
      })
    }
  })

  it('a web stream is read no further than the chunk in which it exceeds the limit, and then cancelled', async () => {
    const endpoint = hmacEndpoint()
    const { stream, seen } = meteredStream(1000)
    const { text, response } = await send(endpoint, await endpoint.request(), { body: stream })
    expect(text).toBe(TOO_LARGE)
    expect(response.headers.get('connection')).toBe('close')
    expect(seen).toEqual({ pulled: 7, cancelled: true })
  })

  it('a web stream is counted whatever Content-Length says', async () => {
    const endpoint = hmacEndpoint()
    const { stream } = meteredStream(1000)
    const lying = changed(await endpoint.request(), { 'content-length': '2' })
    expect((await send(endpoint, lying, { body: stream })).text).toBe(TOO_LARGE)
  })

  it('a web stream is not read if its Content-Length is over the limit', async () => {
    const endpoint = hmacEndpoint()
    const { stream, seen } = meteredStream(1000)
    const announced = changed(await endpoint.request(), { 'content-length': '99999999' })
    expect((await send(endpoint, announced, { body: stream })).text).toBe(TOO_LARGE)
    expect(seen.pulled).toBe(0)
  })

  it('a web stream is given up at its deadline', async () => {
    const endpoint = hmacEndpoint()
    const { stream } = meteredStream(1, 'hang')
    const options = { body: stream, bodyTimeoutSeconds: 0.05 }
    expect(await send(endpoint, await endpoint.request(), options)).toMatchObject({
      text: INCOMPLETE,
      handled: 0,
    })
    expect(endpoint.verdicts.entries).toEqual(['body_incomplete'])
    expect(endpoint.calls.entries).toEqual([])
  })

  it('a web stream that fails on the way makes no claim', async () => {
    const endpoint = hmacEndpoint()
    const { stream } = meteredStream(1, 'error')
    expect((await send(endpoint, await endpoint.request(), { body: stream })).text).toBe(INCOMPLETE)
    expect(endpoint.calls.entries).toEqual([])
  })

  it('a request without a web stream is refused', async () => {
    const endpoint = hmacEndpoint()
    const request = { ...(await endpoint.request()), method: 'GET' }
    expect((await send(endpoint, request)).text).toBe(problem(400, 'Bad Request', 'method_not_post'))
    const empty = await endpoint.request({ body: '' })
    expect((await send(endpoint, empty)).text).toBe(problem(400, 'Bad Request', 'body_not_json'))
  })
})

it('a binding named incoming is not mistaken for a request of Node', async () => {
  const { listener, request } = hmacEndpoint()
  const app = new Hono().post('/hook', verifyWebhook(listener), (c) => c.text('ok'))
  const { method, path, headers, body } = await request()
  const sent = { method, headers: headers.map(([name, value]): [string, string] => [name, value]) }
  const response = await app.request(path, { ...sent, body: Buffer.from(body) }, { incoming: {} })
  expect(response.status).toBe(200)
})

it('the error of a middleware that failed to read the body reaches the error handler', async () => {
  const { listener } = hmacEndpoint()
  const errors: unknown[] = []
  const app = new Hono().use(async (c, next) => {
    await c.req.arrayBuffer().catch(() => {})
    await next()
  })
  app.post('/hook', verifyWebhook(listener), (c) => c.text('ok'))
  app.onError((error, c) => {
    errors.push(error)
    return c.body(null, 500)
  })
  const body = meteredStream(1, 'error').stream
  const init: RequestInit = { method: 'POST', body, duplex: 'half' }
  expect((await app.fetch(new Request('http://localhost/hook', init))).status).toBe(500)
  expect(errors).toEqual([new Error('reset')])
})

it('a new Request can be made of a clone of c.req.raw', async () => {
  const { listener, request, verdicts } = hmacEndpoint()
  const app = new Hono()
  app.post('/hook', verifyWebhook(listener), async (c) => {
    const { raw } = c.req
    const texts = [new Request(raw.clone()), new Request('http://localhost/2', raw.clone()), raw.clone(), raw]
    return c.json(await Promise.all(texts.map((made) => made.text())))
  })
  const { method, path, headers, body } = await request()
  const sent = { method, headers: headers.map(([name, value]): [string, string] => [name, value]) }
  const response = await app.request(path, { ...sent, body: Buffer.from(body) })
  expect(await response.json()).toEqual(Array(4).fill(Buffer.from(body).toString()))
  await verdicts.reaches(1)
  expect(verdicts.entries).toEqual(['accepted'])
})

describe('headers that came more than once, joined by the platform', () => {
  const repeated = problem(400, 'Bad Request', 'header_repeated')
  const unauthorized = problem(401, 'Unauthorized', 'unauthorized')

  it.each([
    ['B24', 'content-type', repeated],
    ['T09', 'webhook-timestamp', repeated],
    ['U08', 'webhook-event-id', repeated],
    ['H16', 'webhook-signature', unauthorized],
  ])('%s %s is refused', async (_, name, expected) => {
    const endpoint = hmacEndpoint()
    const request = await endpoint.request()
    const value = sentHeader(request, name)
    expect((await send(endpoint, changed(request, { [name]: [value, value] }))).text).toBe(expected)
    expect(endpoint.calls.entries).toEqual([])
  })

  it('a repeated content-encoding is refused', async () => {
    const endpoint = hmacEndpoint()
    const request = await endpoint.request({ headers: { 'content-encoding': ['identity', 'identity'] } })
    expect((await send(endpoint, request)).text).toBe(repeated)
  })

  it('a repeated authorization is refused', async () => {
    const endpoint = await jwtEndpoint()
    const request = await endpoint.request()
    const token = sentHeader(request, 'authorization')
    const { text, response } = await send(endpoint, changed(request, { authorization: [token, token] }))
    expect(text).toBe(unauthorized)
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
  })
})

describe('the replies without a socket', () => {
  it('the replies are the same as with a socket', async () => {
    const endpoint = hmacEndpoint()
    const request = await endpoint.request()
    const first = await send(endpoint, request)
    expect(first).toMatchObject({ status: 200, handled: 1 })
    const second = await send(endpoint, request)
    expect(second).toMatchObject({
      status: 409,
      text: problem(409, 'Conflict', 'event_duplicate'),
      handled: 0,
    })
    expect([...second.response.headers]).toEqual([['content-type', 'application/problem+json']])
  })

  it('a 503 carries Retry-After', async () => {
    const endpoint = hmacEndpoint({}, () => ({
      claim: async () => Promise.reject(new Error('down')),
      commit: () => 'lost',
      release: () => false,
    }))
    const { status, response, handled } = await send(endpoint, await endpoint.request())
    expect({ status, retryAfter: response.headers.get('retry-after'), handled }).toEqual({
      status: 503,
      retryAfter: '5',
      handled: 0,
    })
  })
})

describe('where no code may run after the response', () => {
  it.each([
    ['waits for the commit', 200, 'commit'],
    ['waits for the release', 500, 'release'],
  ] as const)('it %s before the response leaves', async (_, status, verb) => {
    const done: string[] = []
    /** The store answers a turn of the event loop later. */
    const answer = async <Answer>(name: string, given: Answer) => {
      await new Promise((resolve) => setTimeout(resolve))
      done.push(name)
      return given
    }
    const { listener, request } = hmacEndpoint({}, () => ({
      claim: () => answer('claim', 'acquired'),
      commit: () => answer('commit', 'committed'),
      release: () => answer('release', true),
    }))
    const app = new Hono()
    app.post('/hook', verifyWebhook(listener), (c) => c.body(null, status))
    const { method, path, headers, body } = await request()
    const sent = { method, headers: headers.map(([name, value]): [string, string] => [name, value]) }
    await app.fetch(new Request(`http://localhost${path}`, { ...sent, body: Buffer.from(body) }))
    expect(done).toEqual(['claim', verb])
  })
})
