import { Writable } from 'node:stream'
import Fastify, {
  type FastifyInstance,
  type FastifyServerOptions,
  type onRequestHookHandler,
  type RouteHandler,
  type RouteOptions,
} from 'fastify'
import fp from 'fastify-plugin'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { verifyWebhook } from '../../adapters/fastify.ts'
import { ListenerConfigError } from '../../src/index.ts'
import { exchange, type RawRequest, toBytes } from '../support/raw-http.ts'
import { type Endpoint, hmacEndpoint } from '../support/sender.ts'
import { serveFastify } from '../support/servers.ts'

/** Bytes that would change if they were parsed and serialised again. */
const BODY = '{ "b":1.0, "a":"\\u00e9" }'

/** Sends a delivery to a guarded scope with a developer's own setup. */
async function deliver(
  endpoint: Endpoint,
  build: (scope: FastifyInstance) => void,
  {
    before = () => {},
    ...options
  }: FastifyServerOptions & { before?: (scope: FastifyInstance) => void } = {},
  given: Parameters<Endpoint['request']>[0] = { body: BODY },
) {
  const errors: unknown[] = []
  const app = Fastify(options)
  app.setErrorHandler((error, _request, reply) => {
    errors.push(error)
    return reply.code(500).send('')
  })
  app.register(async (scope) => {
    before(scope)
    await scope.register(verifyWebhook, { listener: endpoint.listener })
    build(scope)
  })
  const { address } = await serveFastify(app)
  const send = async (request: RawRequest) => exchange(address, toBytes(request))
  const reply = await send(await endpoint.request(given))
  return { status: reply?.status, body: reply?.body ?? '', errors }
}

/** A route that answers with the body as Fastify parsed it. */
function echo(scope: FastifyInstance): void {
  scope.post('/hook', async (request) => ({ got: request.body }))
}

const asText: Parameters<FastifyInstance['addContentTypeParser']>[2] = (_request, body, parsed) =>
  parsed(null, body)

describe('a scope of Fastify that has a parser of its own', () => {
  it.each<readonly [string, string | RegExp]>([
    ['for JSON', 'application/json'],
    ['for a type with a parameter', 'application/json; charset=utf-8'],
    ['for a pattern', /^application\/.*json/],
    ['for anything', '*'],
    ['that no delivery could reach', 'text/plain'],
  ])('a scope does not start with a parser %s behind verifyWebhook', async (_, type) => {
    const start = deliver(hmacEndpoint(), (scope) => {
      scope.addContentTypeParser(type, { parseAs: 'string' }, asText)
    })
    await expect(start).rejects.toThrow(ListenerConfigError)
    await expect(start).rejects.toThrow(
      /^addContentTypeParser: verifyWebhook is the parser of its scope: add no other/,
    )
  })

  it('a scope does not start with a parser of a scope inside it', async () => {
    const start = deliver(hmacEndpoint(), (scope) => {
      scope.register(async (inner) => {
        inner.addContentTypeParser('application/json', { parseAs: 'string' }, asText)
      })
    })
    await expect(start).rejects.toThrow(/add no other/)
  })

  it('a scope replaces a JSON parser that was added before verifyWebhook', async () => {
    const before = (scope: FastifyInstance) => {
      scope.addContentTypeParser('application/json', { parseAs: 'string' }, asText)
    }
    expect(await deliver(hmacEndpoint(), echo, { before })).toMatchObject({
      status: 200,
      body: JSON.stringify({ got: JSON.parse(BODY) }),
    })
  })
})

describe('the setup of verifyWebhook on Fastify', () => {
  it('verifyWebhook refuses another major version of Fastify', () => {
    const meta: unknown = Reflect.get(verifyWebhook, Symbol.for('plugin-meta'))
    expect(meta).toEqual({ name: 'hookgate', fastify: '5.x' })
  })

  it('verifyWebhook guards routes that were declared before it', async () => {
    const endpoint = hmacEndpoint()
    const { status } = await deliver(
      endpoint,
      () => {},
      { before: echo },
      { headers: { 'webhook-signature': undefined } },
    )
    expect(status).toBe(401)
    expect(endpoint.verdicts.entries).toEqual(['auth_missing'])
  })

  it.each<readonly [string, (scope: FastifyInstance) => void]>([
    ['in one scope', (scope) => void scope.register(verifyWebhook, { listener: hmacEndpoint().listener })],
    [
      'in a scope and one inside it',
      (scope) =>
        void scope.register(async (inner) => {
          await inner.register(verifyWebhook, { listener: hmacEndpoint().listener })
        }),
    ],
  ])('verifyWebhook mounted twice %s does not start', async (_, again) => {
    const start = deliver(hmacEndpoint(), (scope) => {
      again(scope)
      echo(scope)
    })
    await expect(start).rejects.toThrow(ListenerConfigError)
    await expect(start).rejects.toThrow(/^verifyWebhook: was mounted twice/)
  })

  it.each<readonly [string, (scope: FastifyInstance) => void]>([
    ['of a scope inside', (scope) => void scope.register(async (inner) => echo(inner))],
    [
      'two scopes down',
      (scope) => void scope.register(async (inner) => void inner.register(async (deep) => echo(deep))),
    ],
  ])('Fastify does not start after the routes %s, whose parsers would wait forever', async (_, before) => {
    const start = deliver(hmacEndpoint(), () => {}, { before })
    await expect(start).rejects.toThrow(ListenerConfigError)
    await expect(start).rejects.toThrow(/^verifyWebhook: .*register it first/)
  })

  it('verifyWebhook starts behind plugins that open no scope', async () => {
    const decorator = fp(async (scope: FastifyInstance) => void scope.decorate('db', {}))
    const before = (scope: FastifyInstance) => void scope.register(decorator)
    expect(await deliver(hmacEndpoint(), echo, { before })).toMatchObject({ status: 200 })
  })

  it('verifyWebhook starts beside a scope that was declared before its own', async () => {
    const app = Fastify()
    const { listener, request } = hmacEndpoint()
    app.register(async (other) => other.post('/other', async (request) => request.body))
    app.register(async (scope) => {
      await scope.register(verifyWebhook, { listener })
      echo(scope)
    })
    const { address } = await serveFastify(app)
    expect((await exchange(address, toBytes(await request())))?.status).toBe(200)
  })

  it.each(['string', 'bytes'])(
    'verifyWebhook accepts a body that a hook has already read, if it left %s',
    async (kind) => {
      const endpoint = hmacEndpoint()
      const reader: onRequestHookHandler = async (request) => {
        const chunks: Buffer[] = []
        for await (const chunk of request.raw) chunks.push(chunk)
        const bytes = Buffer.concat(chunks)
        Object.assign(request.raw, { rawBody: kind === 'bytes' ? bytes : bytes.toString() })
      }
      const before = (scope: FastifyInstance) => scope.addHook('onRequest', reader)
      const { status, errors } = await deliver(endpoint, echo, { before })
      expect(status).toBe(kind === 'bytes' ? 200 : 500)
      expect(errors).toEqual(kind === 'bytes' ? [] : [expect.any(ListenerConfigError)])
    },
  )
})

it.each([
  ['writes a setup mistake to the console', false, 1],
  [
    'leaves it to the logger, if there is one',
    { stream: new Writable({ write: (_, __, done) => done() }) },
    0,
  ],
] as const)('Fastify %s', async (_, logger, times) => {
  const error = vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(() => void error.mockRestore())
  const { listener, request } = hmacEndpoint()
  const app = Fastify({ logger })
  app.register(async (scope) => {
    scope.addHook('onRequest', async ({ raw }) => void raw.resume())
    await scope.register(verifyWebhook, { listener })
    echo(scope)
  })
  const { address } = await serveFastify(app)
  await exchange(address, toBytes(await request()))
  expect(error).toHaveBeenCalledTimes(times)
  if (times === 1) expect(String(error.mock.lastCall?.[0])).toContain('was read before hookgate could')
})

it('Fastify writes a mistake that strangers repeat once a minute, without what was thrown', async () => {
  const error = vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(() => void error.mockRestore())
  const { request } = hmacEndpoint()
  const app = Fastify()
  app.register(async (scope) => {
    const listener = ({ url }: { url: string }) => Promise.reject(`no tenant ${url}`)
    await scope.register(verifyWebhook, { listener })
    echo(scope)
  })
  const { address } = await serveFastify(app)
  for (let sent = 0; sent < 3; sent += 1) await exchange(address, toBytes(await request()))
  expect(error).toHaveBeenCalledTimes(1)
  expect(error.mock.lastCall).toEqual([expect.not.stringContaining('no tenant')])
})

describe('verifyWebhook that is not registered as a plugin', () => {
  const PLUGIN =
    'ListenerConfigError: verifyWebhook: is a plugin: scope.register(verifyWebhook, { listener }), in a scope of its own'
  // The types forbid this, but plain JavaScript allows it.
  const mounted = verifyWebhook as unknown as onRequestHookHandler & RouteHandler
  const called = verifyWebhook as unknown as (target: unknown) => onRequestHookHandler

  it.each<readonly [string, (app: FastifyInstance) => unknown]>([
    ['a preHandler', (app) => app.post('/hook', { preHandler: mounted }, () => 'ok')],
    ['an onRequest hook', (app) => app.addHook('onRequest', mounted).post('/hook', () => 'ok')],
    ['an onRequest hook of a server without the route', (app) => app.addHook('onRequest', mounted)],
    ['a handler', (app) => app.post('/hook', mounted)],
  ])('verifyWebhook registered as %s reaches the error handler, with the fix', async (_, build) => {
    const errors: unknown[] = []
    const app = Fastify()
    app.setErrorHandler((error, _request, reply) => {
      errors.push(error)
      return reply.code(500).send('')
    })
    build(app)
    const { address } = await serveFastify(app)
    const reply = await exchange(address, toBytes(await hmacEndpoint().request()))
    expect(reply?.status).toBe(500)
    expect(errors.map(String)).toEqual([PLUGIN])
  })

  it('verifyWebhook called as a function throws at once', () => {
    const { listener } = hmacEndpoint()
    for (const target of [listener, { listener }, undefined]) {
      expect(() => Fastify().post('/hook', { preHandler: called(target) }, () => 'ok')).toThrow(
        PLUGIN.slice(21),
      )
    }
  })

  it('verifyWebhook guards its routes even if register is not awaited and comes after them', async () => {
    const app = Fastify()
    const { listener, request } = hmacEndpoint()
    app.register(async (scope) => {
      scope.post('/hook', async ({ webhook }) => ({ got: webhook?.payload }))
      scope.register(verifyWebhook, { listener })
    })
    const { address } = await serveFastify(app)
    const send = async (signed: RawRequest) => (await exchange(address, toBytes(signed)))?.status
    expect(await send(await request())).toBe(200)
    expect(await send(await request({ headers: { 'webhook-signature': undefined } }))).toBe(401)
  })
})

describe('a guarded root of Fastify', () => {
  it.each([
    ['GET', '/health', 'GET /health'],
    ['GET', '/nowhere', 'its not-found handler'],
  ])('the operator, but not the stranger, learns why %s %s is refused', async (method, path, named) => {
    const details: unknown[] = []
    const { listener } = hmacEndpoint({ onVerdict: (verdict) => details.push(verdict.ok || verdict.detail) })
    const app = Fastify()
    await app.register(verifyWebhook, { listener })
    app.get('/health', async () => 'healthy')
    const { statusCode, body } = await app.inject({ method: method as 'GET', url: path })
    await app.close()
    expect(statusCode).toBe(400)
    expect(JSON.parse(body)).toEqual({ status: 400, title: 'Bad Request', code: 'method_not_post' })
    const advice = `so ${named} too: register verifyWebhook in a scope of its own`
    expect(details).toEqual([
      `the method is not POST; verifyWebhook guards every route of its scope, ${advice}`,
    ])
  })
})

describe('a handler of a guarded scope of Fastify', () => {
  it('keeps its name, its `this`, its arguments and its route, and one outside of the scope is the same function', async () => {
    const endpoint = hmacEndpoint()
    const seen = new Map<string, RouteOptions>()
    const calls: unknown[] = []
    const receive: RouteHandler = function receive(...given) {
      calls.push([this, given.length, given[0].routeOptions.config])
      given[1].send('done')
    }
    const app = Fastify()
    app.addHook('onRoute', (route) => void seen.set(route.url, route))
    app.post('/before', receive)
    let guarded: FastifyInstance | undefined
    app.register(async (scope) => {
      guarded = scope
      await scope.register(verifyWebhook, { listener: endpoint.listener })
      scope.post(
        '/hook',
        { config: { kept: true } as object, schema: { headers: { type: 'object' } } },
        receive,
      )
    })
    app.register(async (sibling) => void sibling.post('/sibling', receive))
    app.post('/after', receive)
    const { address } = await serveFastify(app)
    for (const url of ['/before', '/sibling', '/after']) expect(seen.get(url)?.handler).toBe(receive)
    expect(seen.get('/hook')).toMatchObject({
      config: { kept: true },
      schema: { headers: { type: 'object' } },
    })
    const reply = await exchange(address, toBytes(await endpoint.request()))
    expect(reply?.body).toBe('done')
    expect(calls).toEqual([[guarded, 2, expect.objectContaining({ kept: true })]])
    const names: string[] = []
    const other = Fastify()
    await other.register(verifyWebhook, { listener: endpoint.listener })
    other.addHook('onRoute', ({ handler }) => void names.push(handler.name))
    other.post('/hook', receive)
    await other.ready()
    expect(names).toEqual(['receive'])
  })
})
