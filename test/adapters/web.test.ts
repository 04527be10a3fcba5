import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { ReportedError } from '../../adapters/kit/warn.ts'
import { type OnWebhook, webhookHandler } from '../../adapters/web.ts'
import { ListenerConfigError, type Verdict, type VerdictContext, type WebhookEvent } from '../../src/index.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { hmacListener } from '../support/hmac-listener.ts'
import { Log } from '../support/log.ts'
import type { RawRequest } from '../support/raw-http.ts'
import { hmacEndpoint } from '../support/sender.ts'
import { spyStore } from '../support/spy-store.ts'

/** Bytes that would change if they were parsed and serialised again. */
const BODY = '{ "b":1.0, "a":"\\u00e9" }'

function webRequest({ method, path, headers, body }: RawRequest, signal?: AbortSignal): Request {
  const init = { method, headers: headers.map(([name, value]): [string, string] => [name, value]) }
  return new Request(`http://localhost${path}`, { ...init, body: Buffer.from(body), signal: signal ?? null })
}

/** The calls of the store, without the IDs. */
const verbs = ({ calls }: ReturnType<typeof hmacEndpoint>) => calls.entries.map((call) => call.split(' ')[0])

const nothing = () => {}

describe('webhookHandler', () => {
  it('webhookHandler gives the handler the event with the exact bytes, and the request', async () => {
    const { listener, request } = hmacEndpoint()
    const seen: [WebhookEvent, string][] = []
    const handle = webhookHandler(listener, (event, { url }) => {
      seen.push([event, url])
    })
    expect((await handle(webRequest(await request({ body: BODY })))).status).toBe(200)
    expect(seen).toMatchObject([[{ payload: { b: 1, a: 'é' } }, 'http://localhost/hook']])
    expect(Buffer.from(seen[0]?.[0].rawBody ?? []).toString()).toBe(BODY)
  })

  it('webhookHandler answers what the handler returns, or an empty 200 if it returns nothing', async () => {
    const { listener, request } = hmacEndpoint()
    const answer = async (handler: OnWebhook<unknown>) => {
      const response = await webhookHandler(listener, handler)(webRequest(await request()))
      return [response.status, await response.text()]
    }
    expect(await answer(() => Response.json({ a: 1 }, { status: 202 }))).toEqual([202, '{"a":1}'])
    expect(await answer(async () => new Response('x'))).toEqual([200, 'x'])
    expect(await answer(nothing)).toEqual([200, ''])
    expect(await answer(async () => {})).toEqual([200, ''])
  })

  it('webhookHandler commits the event before the response leaves', async () => {
    const endpoint = hmacEndpoint()
    await webhookHandler(endpoint.listener, nothing)(webRequest(await endpoint.request()))
    expect(verbs(endpoint)).toEqual(['claim', 'commit'])
  })

  it('webhookHandler frees the event when the handler throws, and rejects with its error for the platform', async () => {
    const endpoint = hmacEndpoint()
    const handle = webhookHandler(endpoint.listener, () => {
      throw new Error('no database')
    })
    await expect(handle(webRequest(await endpoint.request()))).rejects.toThrow('no database')
    expect(verbs(endpoint)).toEqual(['claim', 'release'])
  })

  it('webhookHandler tells onError which event could not be settled, and its listener', async () => {
    const told: unknown[] = []
    const store = memoryStore()
    const commit = () => Promise.reject(new Error('down'))
    const { listener, request } = hmacEndpoint({ onError: (_, context) => told.push(context) }, () => ({
      claim: store.claim.bind(store),
      commit,
      release: store.release.bind(store),
    }))
    const events: WebhookEvent[] = []
    await webhookHandler(listener, (event) => void events.push(event))(webRequest(await request()))
    expect(told).toEqual([{ listenerId: 'L1', eventId: events[0]?.id, durationMs: expect.any(Number) }])
  })

  it.each([[{ received: true }], ['ok'], [200]])(
    'webhookHandler frees the event when the handler returns %j, which is no response, and rejects with the fix',
    async (returned) => {
      const endpoint = hmacEndpoint()
      const handle = webhookHandler(endpoint.listener, () => returned as never)
      await expect(handle(webRequest(await endpoint.request())).catch(String)).resolves.toBe(
        'ListenerConfigError: handler: must return a Response, like Response.json(…), or nothing',
      )
      expect(verbs(endpoint)).toEqual(['claim', 'release'])
    },
  )

  it.each([
    [204, ['claim', 'commit']],
    [500, ['claim']],
  ])(
    'webhookHandler settles by a 2xx alone if the sender left before the handler ended: %i',
    async (status, calls) => {
      const endpoint = hmacEndpoint()
      const sender = new AbortController()
      const handle = webhookHandler(endpoint.listener, () => {
        sender.abort()
        return new Response(null, { status })
      })
      await handle(webRequest(await endpoint.request(), sender.signal))
      expect(verbs(endpoint)).toEqual(calls)
    },
  )

  it('webhookHandler lets the lease lapse if the sender left and the handler throws because of it', async () => {
    const endpoint = hmacEndpoint()
    const sender = new AbortController()
    const handle = webhookHandler(endpoint.listener, (_, { signal }) => {
      sender.abort()
      signal.throwIfAborted()
    })
    await expect(handle(webRequest(await endpoint.request(), sender.signal))).rejects.toThrow('aborted')
    expect(verbs(endpoint)).toEqual(['claim'])
  })

  it.each([null, {}, 'orders'])('the error says what a lookup returns instead of %j', async (found) => {
    const refusal = webhookHandler(() => found as never, nothing)(webRequest(await hmacEndpoint().request()))
    await expect(refusal).rejects.toThrow(ListenerConfigError)
    await expect(refusal).rejects.toThrow(
      'listener: a lookup must return the result of defineListener(), or undefined',
    )
  })

  it('webhookHandler tells the developer what to change when the body was read before', async () => {
    const endpoint = hmacEndpoint()
    const request = webRequest(await endpoint.request())
    await request.json()
    const refusal = webhookHandler(endpoint.listener, nothing)(request)
    await expect(refusal).rejects.toThrow(ListenerConfigError)
    await expect(refusal).rejects.toThrow(/before any body parser .*, .*request\.clone\(\)/)
    expect(verbs(endpoint)).toEqual([])
  })

  it('a parser may read a clone of the request, as that error advises', async () => {
    const { listener, request } = hmacEndpoint()
    const sent = webRequest(await request())
    await sent.clone().json()
    expect((await webhookHandler(listener, nothing)(sent)).status).toBe(200)
  })

  it('webhookHandler tells the developer what to change when somebody else holds the body', async () => {
    const { listener, request } = hmacEndpoint()
    const sent = webRequest(await request())
    sent.body?.getReader()
    await expect(webhookHandler(listener, nothing)(sent)).rejects.toThrow(/before any body parser/)
  })

  it('webhookHandler stops reading a late body, and frees its place', async () => {
    const { listener, verdicts } = hmacEndpoint()
    const cancelled = new Log<string>()
    const body = new ReadableStream({ cancel: () => cancelled.add('cancelled') })
    const init: RequestInit = { method: 'POST', body, duplex: 'half' }
    const handle = webhookHandler(listener, nothing, { bodyTimeoutSeconds: 0.01 })
    expect((await handle(new Request('http://localhost/hook', init))).status).toBe(400)
    expect(verdicts.entries).toEqual(['body_incomplete'])
    await cancelled.reaches(1)
  })

  it('webhookHandler ignores that a late body cannot be cancelled', async () => {
    const { listener, request } = hmacEndpoint()
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    onTestFinished(() => void process.off('unhandledRejection', unhandled))
    const body = new ReadableStream({ cancel: () => Promise.reject(new Error('cannot cancel')) })
    const { headers } = webRequest(await request())
    const init: RequestInit = { method: 'POST', headers, body, duplex: 'half' }
    const handle = webhookHandler(listener, nothing, { bodyTimeoutSeconds: 0.01 })
    expect((await handle(new Request('http://localhost/hook', init))).status).toBe(400)
    await new Promise((resolve) => setImmediate(resolve))
    expect(unhandled).not.toHaveBeenCalled()
  })

  it('webhookHandler tells onVerdict, even as the only hook, of a late body, its source and the time it took', async () => {
    const told: VerdictContext[] = []
    const onVerdict = (_: Verdict, context: VerdictContext) => void told.push(context)
    const { listener } = hmacEndpoint({ onVerdict, onError: undefined })
    const init: RequestInit = { method: 'POST', body: new ReadableStream(), duplex: 'half' }
    const startedAt = performance.now()
    await webhookHandler(listener, nothing, { bodyTimeoutSeconds: 0.01 })(
      new Request('http://localhost', init),
    )
    expect(told).toStrictEqual([{ listenerId: 'L1', durationMs: expect.any(Number) }])
    expect(told[0]?.durationMs).toBeLessThanOrEqual(performance.now() - startedAt)
  })

  it('webhookHandler gives a body 10 seconds by default', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { listener, verdicts } = hmacEndpoint()
    const init: RequestInit = { method: 'POST', body: new ReadableStream(), duplex: 'half' }
    const answer = webhookHandler(listener, nothing)(new Request('http://localhost', init))
    vi.advanceTimersByTime(9_999)
    await new Promise((resolve) => setImmediate(resolve))
    expect(verdicts.entries).toEqual([])
    vi.advanceTimersByTime(1)
    expect((await answer).status).toBe(400)
  })

  it('webhookHandler has room for 4,096 bodies at once by default, and cuts the slowest for one more', async () => {
    const told: unknown[] = []
    const { listener } = hmacEndpoint({ onError: (...given) => void told.push(given) })
    const handle = webhookHandler(listener, nothing)
    const senders: ReadableStreamDefaultController[] = []
    const begin = () => {
      const body = new ReadableStream({ start: (controller) => void senders.push(controller) })
      const init: RequestInit = { method: 'POST', body, duplex: 'half' }
      return handle(new Request('http://localhost', init))
    }
    const answers = Array.from({ length: 4096 }, begin)
    const last = begin()
    expect((await answers[0])?.status).toBe(503)
    const failure = new ReportedError(
      'ERR_TOO_MANY_BODIES',
      '4096 bodies are in flight already (maxConcurrentBodies), and this one was the slowest to arrive',
    )
    expect(told).toEqual([[failure, { listenerId: 'L1', durationMs: expect.any(Number) }]])
    for (const sender of senders) sender.error(new Error('reset'))
    const statuses = (await Promise.all([...answers.slice(1), last])).map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([400]))
  })

  it('webhookHandler tells onError when there is no room for the bytes of a body', async () => {
    const told: unknown[] = []
    const { listener } = hmacEndpoint({ onError: (error) => void told.push(error) })
    const handle = webhookHandler(listener, nothing, { maxConcurrentBytes: 65_536 })
    const stalled = (bytes: number) => {
      const start = (body: ReadableStreamDefaultController) => body.enqueue(new Uint8Array(bytes))
      const init: RequestInit = { method: 'POST', body: new ReadableStream({ start }), duplex: 'half' }
      return handle(new Request('http://localhost', init))
    }
    const answers = [stalled(5536), stalled(60_000), stalled(1)]
    expect((await Promise.race(answers)).status).toBe(503)
    expect(told.map(String)).toEqual([expect.stringMatching('bytes of bodies are in flight')])
  })

  it.each([
    ['came', (body: ReadableStreamDefaultController) => body.close(), 'header_missing'],
    [
      'broke off',
      (body: ReadableStreamDefaultController) => body.error(new Error('reset')),
      'body_incomplete',
    ],
  ])('webhookHandler frees exactly one place for a body that %s', async (_, end, code) => {
    const handle = webhookHandler(hmacEndpoint().listener, nothing, { maxConcurrentBodies: 1 })
    const begin = () => {
      let sender: ReadableStreamDefaultController | undefined
      const body = new ReadableStream({
        start(controller) {
          sender = controller
        },
      })
      const init: RequestInit = { method: 'POST', body, duplex: 'half' }
      const answer = handle(new Request('http://localhost', init)).then((response) => response.json())
      return { answer, end: () => sender && end(sender) }
    }
    for (let round = 0; round < 2; round += 1) {
      const [first, second] = [begin(), begin()]
      expect(await first.answer).toMatchObject({ code: 'unavailable' })
      second.end()
      expect(await second.answer).toMatchObject({ code })
    }
  })

  it.each(['0x11111', '1e9', '+70000', '70000, 70000'])(
    'webhookHandler ignores a Content-Length of %j and counts the bytes',
    async (length) => {
      const { listener, request } = hmacEndpoint()
      const asked = webRequest(await request())
      asked.headers.set('content-length', length)
      expect((await webhookHandler(listener, nothing)(asked)).status).toBe(200)
    },
  )

  it('webhookHandler refuses what is announced as too long by each of two listeners, one byte apart', async () => {
    for (const maxBodyBytes of [200_000, 200_001]) {
      const { listener, request } = hmacEndpoint({ maxBodyBytes })
      const asked = webRequest(await request())
      asked.headers.set('content-length', `${maxBodyBytes + 1}`)
      const response = await webhookHandler(listener, nothing)(asked)
      expect(await response.json()).toMatchObject({ status: 400, code: 'body_too_large' })
    }
  })

  it('webhookHandler answers 503 if the store throws synchronously, even without hooks', async () => {
    const { listener, deliver } = hmacListener({
      store: {
        ...spyStore(memoryStore()).store,
        claim: () => {
          throw new Error('down')
        },
      },
    })
    const { header, body } = await deliver()
    const names = ['content-type', 'webhook-timestamp', 'webhook-event-id', 'webhook-signature']
    const headers = names.map((name): [string, string] => [name, `${header(name)}`])
    const asked = new Request('http://localhost/', { method: 'POST', headers, body: Buffer.from(body) })
    expect((await webhookHandler(listener, nothing)(asked)).status).toBe(503)
  })

  it('webhookHandler leaves a throwing clock to the platform, because neither the sender nor the store caused it', async () => {
    const now = () => {
      throw new RangeError('no time')
    }
    const { request } = hmacEndpoint()
    const { listener } = hmacListener({ clock: { now } })
    const handle = webhookHandler(listener, nothing)
    await expect(handle(webRequest(await request()))).rejects.toThrow('no time')
  })

  it('webhookHandler throws for the same request twice, because that is not a duplicate', async () => {
    const { listener, request } = hmacEndpoint()
    const handle = webhookHandler(listener, nothing)
    const sent = webRequest(await request())
    await handle(sent)
    await expect(handle(sent)).rejects.toThrow(/mounted twice/)
  })
})

describe('the address given to webhookHandler', () => {
  const allowed = () => hmacEndpoint({ allowedCidrs: ['192.0.2.0/24'] })

  it.each([
    ['192.0.2.1', 200],
    ['203.0.113.9', 403],
    ['not an address', 403],
    [undefined, 403],
  ])('%s is answered %i where networks are configured', async (ip, status) => {
    const { listener, request } = allowed()
    expect(
      (await webhookHandler(listener, nothing)(webRequest(await request()), { sourceIp: ip })).status,
    ).toBe(status)
  })

  it.each([undefined, null, 'x', {}, { iP: '192.0.2.1' }])(
    'the address must be given if networks are configured, and is not taken for unknown: %j',
    async (source) => {
      const { listener, request } = allowed()
      const refusal = webhookHandler(listener, nothing)(webRequest(await request()), source as object)
      await expect(refusal).rejects.toThrow(/sourceIp: a listener with allowedCidrs needs it/)
    },
  )

  it('the address may be left out if no networks are configured', async () => {
    const { listener, request } = hmacEndpoint()
    expect((await webhookHandler(listener, nothing)(webRequest(await request()))).status).toBe(200)
  })
})

describe('a lookup given to webhookHandler', () => {
  it('a lookup is asked with the request, and undefined is 404', async () => {
    const { lookup, lookups, request } = hmacEndpoint()
    const handle = webhookHandler(({ url }) => (url.endsWith('/hook') ? lookup(url) : undefined), nothing)
    expect((await handle(webRequest(await request()))).status).toBe(200)
    expect((await handle(webRequest(await request({ path: '/other' })))).status).toBe(404)
    expect(lookups.entries).toEqual(['http://localhost/hook'])
  })

  it('a lookup that rejects is an error of the developer', async () => {
    const { request } = hmacEndpoint()
    const handle = webhookHandler(() => Promise.reject(new Error('no database')), nothing)
    await expect(handle(webRequest(await request()))).rejects.toThrow('no database')
  })
})

describe('a mistake in the call of webhookHandler', () => {
  const { listener } = hmacEndpoint()
  const mistakes: readonly (readonly [string, () => unknown, RegExp])[] = [
    ['an unknown option', () => webhookHandler(listener, nothing, { ip: 1 } as object), /no such option/],
    ['a timeout of 0', () => webhookHandler(listener, nothing, { bodyTimeoutSeconds: 0 }), /above 0/],
    ['no handler', () => webhookHandler(listener, undefined as never), /handler: must be a function/],
    ['no listener', () => webhookHandler({} as never, nothing), /defineListener/],
  ]

  it.each(mistakes)('webhookHandler throws at construction: %s', (_, call, message) => {
    expect(call).toThrow(ListenerConfigError)
    expect(call).toThrow(message)
  })
})
