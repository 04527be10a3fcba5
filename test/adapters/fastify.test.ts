import { createHmac } from 'node:crypto'
import Fastify, {
  type FastifyInstance,
  type FastifyRequest,
  type FastifyServerOptions,
  type InjectOptions,
} from 'fastify'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type VerifyWebhookOptions, verifyWebhook, webhookOf } from '../../adapters/fastify.ts'
import { defineListener, type WebhookEvent } from '../../src/index.ts'
import { twilio } from '../../src/schemes/twilio.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import type { RawRequest } from '../support/raw-http.ts'
import { hmacEndpoint, sentHeader } from '../support/sender.ts'
import { schemeEndpoint } from './scheme-sender.ts'

function newApp(options: FastifyServerOptions = {}): FastifyInstance {
  const app = Fastify(options)
  onTestFinished(() => app.close())
  return app
}

/** A guarded route at this path, which keeps the events it gets. */
function guard(app: FastifyInstance, listener: VerifyWebhookOptions['listener'], path = '/hook') {
  const events: WebhookEvent[] = []
  const bodies: unknown[] = []
  app.register(async (scope) => {
    await scope.register(verifyWebhook, { listener })
    scope.post(path, async (request) => {
      events.push(webhookOf(request))
      bodies.push(request.body)
      return { ok: true }
    })
  })
  return { events, bodies }
}

/** Fastify's own way to send a request without a socket. */
function injected({ path, headers, body }: RawRequest): InjectOptions {
  return { method: 'POST', url: path, headers: Object.fromEntries(headers), payload: Buffer.from(body) }
}

describe('a guarded scope of Fastify', () => {
  it('a guarded scope gives the handler the event, and its payload as the body', async () => {
    const app = newApp()
    const { listener, request } = hmacEndpoint()
    const { events, bodies } = guard(app, listener)
    const body = '{ "b":1.0, "a":"\\u00e9" }'
    expect((await app.inject(injected(await request({ body })))).statusCode).toBe(200)
    expect(bodies).toEqual([{ b: 1, a: 'é' }])
    expect(Buffer.from(events[0]?.rawBody ?? []).toString()).toBe(body)
  })

  it('a guarded scope gives the handler the payload of a GET as the body too, and its own headers', async () => {
    const app = newApp()
    const publicUrl = 'https://receiver.example/hook'
    const listener = defineListener({
      id: 'calls',
      auth: twilio({ secrets: 'a token', publicUrl }),
      store: memoryStore({ maxRecords: 10 }),
    })
    const seen: unknown[] = []
    app.register(async (scope) => {
      await scope.register(verifyWebhook, { listener })
      scope.get('/hook', async ({ body, headers }) => seen.push(body, headers['transfer-encoding']))
    })
    const signature = createHmac('sha1', 'a token').update(`${publicUrl}?CallSid=CA1`).digest('base64')
    const headers = { 'x-twilio-signature': signature }
    expect((await app.inject({ method: 'GET', url: '/hook?CallSid=CA1', headers })).statusCode).toBe(200)
    expect(seen).toEqual([{ CallSid: 'CA1' }, undefined])
  })

  it.each([
    '{"__proto__":{"x":1}}',
    '{"constructor":{"prototype":{"y":2}}}',
    '5',
    '"x"',
    'null',
    'false',
    '[]',
  ])('a guarded scope accepts %s, which its own parser may refuse', async (body) => {
    const app = newApp()
    const { listener, request } = hmacEndpoint()
    const { bodies, events } = guard(app, listener)
    expect((await app.inject(injected(await request({ body })))).statusCode).toBe(200)
    expect(JSON.stringify(bodies)).toBe(`[${body}]`)
    expect(JSON.stringify(events[0]?.payload)).toBe(body)
    expect({}).not.toHaveProperty('x')
  })

  it('a guarded scope answers inject() like a socket', async () => {
    const app = newApp()
    const { listener, request } = hmacEndpoint()
    const { events } = guard(app, listener)
    const unsigned = await request({ headers: { 'webhook-signature': undefined } })
    const { statusCode, headers, payload } = await app.inject(injected(unsigned))
    expect({ statusCode, payload }).toEqual({
      statusCode: 401,
      payload: '{"status":401,"title":"Unauthorized","code":"unauthorized"}',
    })
    expect(headers['content-type']).toBe('application/problem+json')
    expect(events).toEqual([])
  })

  it('a guarded scope decides before the bodyLimit and the content types of Fastify do', async () => {
    const app = newApp({ bodyLimit: 10 })
    const { listener, request, verdicts } = hmacEndpoint()
    guard(app, listener)
    const large = await app.inject(injected(await request({ body: `"${'x'.repeat(65_535)}"` })))
    const text = await app.inject(injected(await request({ headers: { 'content-type': 'text/plain' } })))
    const within = await app.inject(injected(await request({ body: '{"more":"than 10 bytes"}' })))
    expect([large.statusCode, text.statusCode, within.statusCode]).toEqual([400, 400, 200])
    expect(verdicts.entries).toEqual(['body_too_large', 'content_type_not_json', 'accepted'])
  })

  it('a guarded scope leaves a route beside it with the parsers of Fastify: 400, 413 and 415 are its own', async () => {
    const app = newApp({ bodyLimit: 100 })
    guard(app, hmacEndpoint().listener)
    app.post('/other', async (request) => ({ got: request.body }))
    const post = (payload: string, type = 'application/json') =>
      app.inject({ method: 'POST', url: '/other', headers: { 'content-type': type }, payload })
    expect((await post('{"a":1}')).json()).toEqual({ got: { a: 1 } })
    expect((await post('text', 'text/plain')).json()).toEqual({ got: 'text' })
    expect((await post('{')).statusCode).toBe(400)
    expect((await post('{"__proto__":{}}')).statusCode).toBe(400)
    expect((await post(`"${'x'.repeat(100)}"`)).statusCode).toBe(413)
    expect((await post('<a/>', 'text/xml')).statusCode).toBe(415)
  })

  it('a guarded scope leaves a scope beside it and the scope around it alone', async () => {
    const app = newApp()
    app.register(async (outer) => {
      guard(outer, hmacEndpoint().listener)
      outer.post('/outer', async (request) => ({ got: request.body }))
      outer.register(async (sibling) => {
        sibling.post('/sibling', async (request) => ({
          got: request.body,
          webhook: request.webhook ?? 'none',
        }))
      })
    })
    const post = (url: string) => app.inject({ method: 'POST', url, payload: { a: 1 } })
    expect((await post('/outer')).json()).toEqual({ got: { a: 1 } })
    expect((await post('/sibling')).json()).toEqual({ got: { a: 1 }, webhook: 'none' })
    expect((await post('/hook')).json()).toMatchObject({ code: 'header_missing' })
  })

  it('a guarded scope also guards the scopes inside it', async () => {
    const app = newApp()
    const { listener, request } = hmacEndpoint()
    app.register(async (scope) => {
      await scope.register(verifyWebhook, { listener })
      scope.register(async (inner) => {
        inner.post('/inner', async (request) => ({ id: webhookOf(request).id, got: request.body }))
      })
    })
    const sent = await request({ path: '/inner' })
    expect((await app.inject({ method: 'POST', url: '/inner', payload: {} })).statusCode).toBe(400)
    const id = sentHeader(sent, 'webhook-event-id')
    expect((await app.inject(injected(sent))).json()).toEqual({ id, got: { a: 1 } })
  })

  it('a guarded scope works under a prefix', async () => {
    const app = newApp()
    const { listener, request } = hmacEndpoint()
    app.register(
      async (scope) => {
        await scope.register(verifyWebhook, { listener })
        scope.post('/hook', async () => ({ ok: true }))
      },
      { prefix: '/api/v1' },
    )
    expect((await app.inject(injected(await request({ path: '/api/v1/hook' })))).statusCode).toBe(200)
    expect((await app.inject(injected(await request({ path: '/hook' })))).statusCode).toBe(404)
  })

  it('a guarded scope works beside another scope with another listener', async () => {
    const app = newApp()
    const [one, two] = [hmacEndpoint({ id: 'one' }), hmacEndpoint({ id: 'two' })]
    const first = guard(app, one.listener, '/one')
    const second = guard(app, two.listener, '/two')
    const sent = await one.request({ path: '/one' })
    expect((await app.inject(injected(sent))).statusCode).toBe(200)
    expect((await app.inject(injected({ ...sent, path: '/two' }))).statusCode).toBe(200)
    expect((await app.inject(injected(sent))).statusCode).toBe(409)
    expect([first.events[0]?.listenerId, second.events[0]?.listenerId]).toEqual(['one', 'two'])
    expect([first.events.length, second.events.length]).toEqual([1, 1])
  })
})

describe('a content type that Fastify refuses and the checks accept', () => {
  const TYPES = ['json', '', 'a b/c', undefined] as const

  it.each(TYPES)('%j: the handler gets the payload, and the headers as they were sent', async (type) => {
    for (const body of ['any text', '']) {
      const app = newApp()
      const endpoint = schemeEndpoint('qstash', { publicUrl: 'https://receiver.example/hook' })
      const seen: unknown[] = []
      const see = async ({ headers, body }: FastifyRequest) => {
        seen.push([headers['content-type'], headers['x-added'], headers['transfer-encoding'], body])
      }
      app.register(async (scope) => {
        scope.addHook('onRequest', async (request) => {
          request.headers = { 'x-added': 'by an earlier hook' }
          Reflect.get(request, 'mediaType') // newer versions keep the parsed type
        })
        await scope.register(verifyWebhook, { listener: endpoint.listener })
        scope.post('/hook', { preValidation: see }, see)
      })
      const sent = await endpoint.request({ body, headers: { 'content-type': type } })
      expect((await app.inject(injected(sent))).statusCode).toBe(200)
      const received = [type, 'by an earlier hook', undefined, body]
      expect(seen).toEqual([received, received])
    }
  })

  it('the type is still refused by a route beside the scope', async () => {
    const app = newApp()
    guard(app, hmacEndpoint().listener)
    app.post('/other', async () => 'never')
    const headers = { 'content-type': 'json' }
    const { statusCode } = await app.inject({ method: 'POST', url: '/other', headers, payload: 'text' })
    expect(statusCode).toBe(415)
  })
})
