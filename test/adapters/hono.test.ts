import { createAdaptorServer, getRequestListener } from '@hono/node-server'
import { getConnInfo } from '@hono/node-server/conninfo'
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { describe, expect, it } from 'vitest'
import { type VerifyWebhookOptions, verifyWebhook } from '../../adapters/hono.ts'
import { ListenerConfigError, type WebhookEvent } from '../../src/index.ts'
import { Log } from '../support/log.ts'
import { exchange, RawConnection, type RawRequest, toBytes } from '../support/raw-http.ts'
import { hmacEndpoint } from '../support/sender.ts'
import { serve } from '../support/servers.ts'

type Variables = { Variables: { webhook: WebhookEvent } }

/** Bytes that would change if they were parsed and serialised again. */
const BODY = '{ "b":1.0, "a":"\\u00e9" }'

/** Sends to an app over a real socket, and as a web request. Both must give the same result. */
const WAYS: readonly (readonly [
  string,
  (app: Hono<Variables>, request: RawRequest) => Promise<number | undefined>,
])[] = [
  [
    'on Node',
    async (app, request) => {
      const { address } = await serve(createAdaptorServer({ fetch: app.fetch }))
      return (await exchange(address, toBytes(request)))?.status
    },
  ],
  ['on web APIs alone', async (app, request) => (await app.request(webRequest(request))).status],
]

function webRequest({ method, path, headers, body }: RawRequest): Request {
  const init = { method, headers: headers.map(([name, value]): [string, string] => [name, value]) }
  return new Request(`http://localhost${path}`, { ...init, body: Buffer.from(body) })
}

describe.each(WAYS)('Hono %s', (_, send) => {
  /** The result of one valid delivery behind these middlewares. */
  async function behind(
    before: readonly MiddlewareHandler[],
    handler: (c: Context<Variables>) => Response | Promise<Response> = (c) => c.text('ok'),
    endpoint = hmacEndpoint(),
    options: VerifyWebhookOptions = {},
  ) {
    const events: WebhookEvent[] = []
    const errors: unknown[] = []
    const app = new Hono<Variables>()
    for (const middleware of before) app.use(middleware)
    app.post('/hook', verifyWebhook(endpoint.listener, options), (c) => {
      events.push(c.var.webhook)
      return handler(c)
    })
    app.onError((error, c) => {
      errors.push(error)
      return c.text('error', 500)
    })
    const status = await send(app, await endpoint.request({ body: BODY }))
    return { status, events, errors, endpoint, app }
  }

  it('verifyWebhook gives the handler the event with the exact bytes', async () => {
    const { status, events } = await behind([])
    expect(status).toBe(200)
    expect(events[0]?.payload).toEqual({ b: 1, a: 'é' })
    expect(Buffer.from(events[0]?.rawBody ?? []).toString()).toBe(BODY)
  })

  it('verifyWebhook lets the handler read the body as it likes, more than once', async () => {
    const seen: unknown[] = []
    const { status } = await behind([], async (c) => {
      seen.push(await c.req.json(), await c.req.text(), await c.req.json())
      seen.push(Buffer.from(await c.req.arrayBuffer()).toString(), await (await c.req.blob()).text())
      return c.text('ok')
    })
    expect(status).toBe(200)
    const parsed = { b: 1, a: 'é' }
    expect(seen).toEqual([parsed, BODY, parsed, BODY, BODY])
  })

  it('verifyWebhook gives the handler a copy of the bytes, so that changing them does not change the event', async () => {
    const { events } = await behind([], async (c) => {
      new Uint8Array(await c.req.arrayBuffer()).fill(0)
      return c.text(await c.req.text())
    })
    expect(Buffer.from(events[0]?.rawBody ?? []).toString()).toBe(BODY)
  })

  it('verifyWebhook accepts a body that was read as bytes before', async () => {
    const reader: MiddlewareHandler = async (c, next) => {
      await c.req.arrayBuffer()
      await next()
    }
    const { status, events } = await behind([reader])
    expect(status).toBe(200)
    expect(Buffer.from(events[0]?.rawBody ?? []).toString()).toBe(BODY)
  })

  it('verifyWebhook accepts a body of which a clone was read before', async () => {
    const reader: MiddlewareHandler = async (c, next) => {
      await c.req.raw.clone().json()
      await next()
    }
    expect((await behind([reader])).status).toBe(200)
  })

  it.each<readonly [string, (c: Context) => Promise<unknown>]>([
    ['c.req.json()', (c) => c.req.json()],
    ['c.req.text()', (c) => c.req.text()],
    ['c.req.blob()', (c) => c.req.blob()],
    ['c.req.raw.text()', (c) => c.req.raw.text()],
    ['c.req.raw.arrayBuffer()', (c) => c.req.raw.arrayBuffer()],
  ])('verifyWebhook tells the developer what to change when %s came before', async (_name, read) => {
    const reader: MiddlewareHandler = async (c, next) => {
      await read(c)
      await next()
    }
    const { status, events, errors, endpoint } = await behind([reader])
    expect(status).toBe(500)
    expect(errors).toEqual([expect.any(ListenerConfigError)])
    expect(String(errors[0])).toMatch(/before any body parser .*, .*request\.clone\(\)/)
    expect(events).toEqual([])
    expect(endpoint.calls.entries).toEqual([])
  })

  it('verifyWebhook mounted twice is an error of the developer and not a duplicate', async () => {
    const endpoint = hmacEndpoint()
    const { status, errors, events } = await behind([verifyWebhook(endpoint.listener)], undefined, endpoint)
    expect(status).toBe(500)
    expect(errors).toEqual([expect.any(ListenerConfigError)])
    expect(events).toEqual([])
    expect(endpoint.verdicts.entries).toEqual(['accepted'])
  })

  it('verifyWebhook frees the event when the handler throws', async () => {
    const { status, errors, endpoint } = await behind([], () => {
      throw new Error('no database')
    })
    expect(status).toBe(500)
    expect(errors).toEqual([new Error('no database')])
    expect(endpoint.calls.entries.map((call) => call.split(' ')[0])).toEqual(['claim', 'release'])
  })

  it('verifyWebhook frees the event when a later middleware throws something that is not an Error', async () => {
    const endpoint = hmacEndpoint()
    const app = new Hono<Variables>()
    app.post('/hook', verifyWebhook(endpoint.listener), () => {
      throw 'no database'
    })
    await send(app, await endpoint.request()).catch(() => {})
    expect(endpoint.calls.entries.map((call) => call.split(' ')[0])).toEqual(['claim', 'release'])
  })

  it('verifyWebhook frees the event if there is no handler', async () => {
    const endpoint = hmacEndpoint()
    const app = new Hono<Variables>()
    app.use('/hook', verifyWebhook(endpoint.listener))
    expect(await send(app, await endpoint.request())).toBe(404)
    expect(endpoint.calls.entries.map((call) => call.split(' ')[0])).toEqual(['claim', 'release'])
  })

  it('verifyWebhook asks sourceIp for the address, and refuses when there is none', async () => {
    const allowed = () => hmacEndpoint({ allowedCidrs: ['192.0.2.0/24'] })
    const from = (source: string | undefined) => behind([], undefined, allowed(), { sourceIp: () => source })
    expect((await from('192.0.2.1')).status).toBe(200)
    expect((await from('203.0.113.9')).status).toBe(403)
    expect((await from('not an address')).status).toBe(403)
    expect((await from(undefined)).status).toBe(403)
  })

  it('a sourceIp that throws is an error of the developer', async () => {
    const sourceIp = () => {
      throw new Error('no connection info')
    }
    const { status, errors, events } = await behind([], undefined, hmacEndpoint(), { sourceIp })
    expect({ status, errors, events }).toEqual({
      status: 500,
      errors: [new Error('no connection info')],
      events: [],
    })
  })
})

describe('the source address on Hono', () => {
  const { listener, request } = hmacEndpoint({ allowedCidrs: ['127.0.0.0/8'] })

  it('verifyWebhook throws at construction if the listener has rules and nothing tells the source', () => {
    expect(() => verifyWebhook(listener)).toThrow(ListenerConfigError)
    expect(() => verifyWebhook(listener)).toThrow(/sourceIp: .* or trustedProxies/)
  })

  it('verifyWebhook throws at the request if a lookup finds rules and nothing tells the source', async () => {
    const errors: unknown[] = []
    const app = new Hono()
    app.post(
      '/hook',
      verifyWebhook(() => listener),
    )
    app.onError((error, c) => {
      errors.push(error)
      return c.text('', 500)
    })
    expect((await app.request(webRequest(await request()))).status).toBe(500)
    expect(errors).toEqual([expect.any(ListenerConfigError)])
  })

  it('verifyWebhook refuses two ways to find the source', () => {
    const both = { sourceIp: () => '127.0.0.1', trustedProxies: ['127.0.0.0/8'] }
    expect(() => verifyWebhook(listener, both)).toThrow(/^sourceIp: give it or trustedProxies, not both/)
  })

  it("the source address may come from the Node server's getConnInfo", async () => {
    const app = new Hono()
    const sourceIp = (c: Context) => getConnInfo(c).remote.address
    app.post('/hook', verifyWebhook(listener, { sourceIp }), (c) => c.text('ok'))
    const { address } = await serve(createAdaptorServer({ fetch: app.fetch }))
    expect((await exchange(address, toBytes(await request())))?.status).toBe(200)
  })

  it('the source address is unknown on web APIs alone, whatever trustedProxies and X-Forwarded-For say', async () => {
    const app = new Hono()
    app.post('/hook', verifyWebhook(listener, { trustedProxies: ['127.0.0.0/8'] }), (c) => c.text('ok'))
    const forged = await request({ headers: { 'x-forwarded-for': '127.0.0.1' } })
    expect((await app.request(webRequest(forged))).status).toBe(403)
  })
})

describe('a middleware that asks for the body stream and leaves it unread', () => {
  const limit = bodyLimit({ maxSize: 100_000 })
  const large = JSON.stringify('x'.repeat(60_000))
  const middlewares: readonly (readonly [string, MiddlewareHandler])[] = [
    ['hono/body-limit', limit],
    [
      'hono/body-limit and a wait',
      (c, next) =>
        limit(c, async () => {
          await new Promise(setImmediate)
          await next()
        }),
    ],
    [
      'a reader of a clone',
      async (c, next) => {
        await c.req.raw.clone().text()
        await next()
      },
    ],
  ]

  it.each(middlewares)(
    'the body comes through to the handler on Node, in any form: %s',
    async (_name, middleware) => {
      const { listener, request } = hmacEndpoint()
      const entered = new Log<string>()
      const app = new Hono()
      const enter: MiddlewareHandler = (_c, next) => {
        entered.add('entered')
        return next()
      }
      app.post('/hook', enter, middleware, verifyWebhook(listener), async (c) => c.text(await c.req.text()))
      const { address } = await serve(createAdaptorServer({ fetch: app.fetch }))
      const ways = [[BODY], [BODY, { chunkBytes: 5 }], [large], [large, { chunkBytes: 8000 }]] as const
      for (const [body, framing] of ways) {
        const connection = new RawConnection(address)
        const bytes = toBytes(await request({ body }), framing)
        const start = bytes.indexOf('\r\n\r\n') + 4
        const count = entered.entries.length
        await connection.write(bytes.subarray(0, start))
        await entered.reaches(count + 1)
        await connection.write(bytes.subarray(start))
        expect(await connection.reply()).toMatchObject({ status: 200, body })
      }
    },
  )
})

describe('a host that has read the body for Hono', () => {
  it('the handler gets exactly the bytes of rawBody, not the rest of their buffer', async () => {
    const { listener, request } = hmacEndpoint()
    const app = new Hono()
    app.post('/hook', verifyWebhook(listener), async (c) => c.text(await c.req.text()))
    const serveHono = getRequestListener(app.fetch)
    const { address } = await serve(async (incoming, outgoing) => {
      const chunks = await incoming.toArray()
      const pool = Buffer.concat([Buffer.from('before'), ...chunks, Buffer.from('behind')])
      await serveHono(Object.assign(incoming, { rawBody: pool.subarray(6, -6) }), outgoing)
    })
    expect(await exchange(address, toBytes(await request({ body: BODY })))).toMatchObject({
      status: 200,
      body: BODY,
    })
  })
})
