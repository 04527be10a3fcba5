import { type Context, Hono, type HonoRequest, type MiddlewareHandler } from 'hono'
import { describe, expect, it } from 'vitest'
import { verifyWebhook } from '../../adapters/hono.ts'
import { hmacEndpoint } from '../support/sender.ts'
import { BEFORE, BODY, WAYS } from './hono-ways.ts'

type Look = (c: Context) => Promise<string>

/** The ways in which a handler can read `c.req.raw`, each with the text that it gives. */
const LOOKS: readonly (readonly [string, Look])[] = [
  ['text()', ({ req }) => req.raw.text()],
  ['json()', async ({ req }) => (((await req.raw.json()) as { b: unknown }).b === 1 ? BODY : 'other')],
  ['arrayBuffer()', async ({ req }) => Buffer.from(await req.raw.arrayBuffer()).toString()],
  ['blob()', async ({ req }) => (await req.raw.blob()).text()],
  ['the stream of its body', async ({ req }) => new Response(req.raw.body).text()],
  ['a clone', async ({ req }) => req.raw.clone().text()],
  ['a clone, then itself', async ({ req }) => (await req.raw.clone().text()) && req.raw.text()],
  ['a request for elsewhere', async ({ req }) => elsewhere(req).text()],
  ['a new Request of its clone', async ({ req }) => new Request(req.raw.clone()).text()],
  ['a new Request of its URL and itself', async ({ req: { url, raw } }) => new Request(url, raw).text()],
]

function elsewhere({ raw }: HonoRequest): Request {
  const { method, headers, body } = raw
  const init: RequestInit = { method, headers, body, duplex: 'half' }
  return new Request('http://localhost/elsewhere', init)
}

describe.each(WAYS)('c.req.raw behind verifyWebhook %s', (_, send) => {
  /** The reply to one delivery whose handler answers with the text it read. */
  async function answered(before: readonly MiddlewareHandler[], look: Look) {
    const { listener, request } = hmacEndpoint()
    const app = new Hono()
    for (const middleware of before) app.use(middleware)
    app.post('/hook', verifyWebhook(listener), async (c) => c.text(await look(c)))
    return send(app, await request({ body: BODY }))
  }

  describe.each(BEFORE)('%s', (_where, before) => {
    it.each(LOOKS)('c.req.raw gives the exact bytes to %s', async (_name, look) => {
      expect(await answered(before, look)).toMatchObject({ status: 200, body: BODY })
    })

    it('c.req.raw gives its body once, and reports it as used', async () => {
      const used = await answered(before, async ({ req }) => {
        const before = req.raw.bodyUsed
        await req.raw.text()
        const again = await req.raw.text().catch((error: unknown) => error instanceof TypeError)
        return JSON.stringify([before, req.raw.bodyUsed, again])
      })
      expect(used.body).toBe('[false,true,true]')
    })

    it('c.req.raw gives a copy of the bytes, so that changing them does not change the event', async () => {
      const { body } = await answered(before, async (c) => {
        const reader = c.req.raw.body?.getReader()
        for (let part = await reader?.read(); part?.value; part = await reader?.read()) part.value.fill(0)
        return Buffer.from(c.get('webhook').rawBody).toString()
      })
      expect(body).toBe(BODY)
    })

    it('c.req.raw stays the object that the platform handed over, which knows its requests by reference', async () => {
      let handedOver: Request | undefined
      const remember: MiddlewareHandler = async (c, next) => {
        handedOver = c.req.raw
        await next()
      }
      const same = await answered([...before, remember], async ({ req }) => `${req.raw === handedOver}`)
      expect(same.body).toBe('true')
    })

    it('c.req.raw stays a request with its method, URL and headers', async () => {
      const { body } = await answered(before, async ({ req }) => {
        const clone = req.raw.clone()
        const { pathname } = new URL(clone.url)
        return JSON.stringify([
          req.raw instanceof Request,
          req.header('content-type'),
          clone.method,
          pathname,
          clone.headers.get('content-type'),
          clone.signal?.aborted,
        ])
      })
      expect(body).toBe('[true,"application/json","POST","/hook","application/json",false]')
    })
  })
})

describe.each(WAYS.slice(0, 2))('a new Request made of c.req.raw %s', (_, send) => {
  it('a new Request has the exact bytes', async () => {
    const { listener, request } = hmacEndpoint()
    const app = new Hono()
    app.post('/hook', verifyWebhook(listener), async (c) => c.text(await new Request(c.req.raw).text()))
    expect(await send(app, await request({ body: BODY }))).toMatchObject({ status: 200, body: BODY })
  })
})

describe.each(WAYS)('a handler that forgets to return its answer, %s', (_, send) => {
  it("the handler gets Hono's own error, and the event is free again", async () => {
    const errors: unknown[] = []
    const { listener, request, calls } = hmacEndpoint()
    const app = new Hono()
    app.onError((error, c) => {
      errors.push(error)
      return c.text('error', 500)
    })
    // @ts-expect-error: what plain JavaScript lets through
    app.post('/hook', verifyWebhook(listener), (c) => void c.text('not returned'))
    expect(await send(app, await request())).toMatchObject({ status: 500, body: 'error' })
    expect(errors).toHaveLength(1)
    expect(String(errors[0])).toMatch(/^Error: Context is not finalized/)
    await calls.reaches(2)
    expect(calls.entries[1]).toMatch(/^release /)
  })
})
