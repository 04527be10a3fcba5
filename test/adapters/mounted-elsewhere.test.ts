import middie from '@fastify/middie'
import express, { type ErrorRequestHandler, type RequestHandler } from 'express'
import express4 from 'express4'
import Fastify, { type onRequestHookHandler } from 'fastify'
import { Hono, type MiddlewareHandler } from 'hono'
import { describe, expect, it } from 'vitest'
import { verifyWebhook as onExpress } from '../../adapters/express.ts'
import { verifyWebhook as onFastify } from '../../adapters/fastify.ts'
import { verifyWebhook as onHono } from '../../adapters/hono.ts'
import { webhookHandler } from '../../adapters/web.ts'
import { exchange, toBytes } from '../support/raw-http.ts'
import { hmacEndpoint } from '../support/sender.ts'
import { serve, serveFastify } from '../support/servers.ts'

const { listener, request } = hmacEndpoint()

const PLUGIN =
  'ListenerConfigError: verifyWebhook: is a plugin: scope.register(verifyWebhook, { listener }), in a scope of its own'
const OTHER =
  'ListenerConfigError: request: is from another framework: import from hookgate/express, /fastify, /hono or /web, whichever your server is'

/** The types forbid this, but plain JavaScript allows it. */
const ELSEWHERE: readonly (readonly [string, unknown, string])[] = [
  ['of hookgate/fastify', onFastify, PLUGIN],
  ['of hookgate/hono', onHono(listener), OTHER],
  ['of hookgate/web', webhookHandler(listener, () => {}), OTHER],
]

describe.each([
  ['Express 5', express],
  ['Express 4', express4],
])('the error handler learns of an adapter of another framework on %s', (_, create) => {
  it.each(ELSEWHERE)('%s', async (_, mounted, mistake) => {
    const app = create()
    const errors: unknown[] = []
    app.use(mounted as RequestHandler)
    const onError: ErrorRequestHandler = (error, _request, response, _next) => {
      errors.push(error)
      response.status(500).end()
    }
    app.use(onError)
    const { address } = await serve(app)
    expect((await exchange(address, toBytes(await request())))?.status).toBe(500)
    expect(errors.map(String)).toEqual([mistake])
  })
})

const ON_FASTIFY: typeof ELSEWHERE = [
  ['of hookgate/express', onExpress(listener), OTHER],
  ...ELSEWHERE.slice(1),
]

describe('the error handler learns of an adapter of another framework on Fastify', () => {
  it.each(ON_FASTIFY)('%s', async (_, mounted, mistake) => {
    const app = Fastify()
    const errors: unknown[] = []
    app.setErrorHandler((error, _request, reply) => {
      errors.push(error)
      return reply.code(500).send('')
    })
    app.post('/hook', { onRequest: mounted as onRequestHookHandler }, () => 'handled')
    const { address } = await serveFastify(app)
    expect((await exchange(address, toBytes(await request())))?.status).toBe(500)
    expect(errors.map(String)).toEqual([mistake])
  })
})

it('the error handler learns of hookgate/express in @fastify/middie, as Nest mounts it', async () => {
  const app = Fastify()
  await app.register(middie)
  app.use(onExpress(listener))
  app.post('/hook', () => 'handled')
  const { address } = await serveFastify(app)
  const reply = await exchange(address, toBytes(await request()))
  expect(reply?.status).toBe(500)
  expect(reply?.body).toContain('is from another framework')
})

describe('the error handler learns of an adapter of another framework on Hono', () => {
  it.each([
    ['of hookgate/express', onExpress(listener), OTHER],
    ['of hookgate/fastify', onFastify, PLUGIN],
    ['of hookgate/web', webhookHandler(listener, () => {}), OTHER],
  ])('%s', async (_, mounted, mistake) => {
    const app = new Hono()
    const errors: unknown[] = []
    app.onError((error, c) => {
      errors.push(error)
      return c.body(null, 500)
    })
    app.post('/hook', mounted as unknown as MiddlewareHandler)
    expect((await app.request('/hook', { method: 'POST', body: '{}' })).status).toBe(500)
    expect(errors.map(String)).toEqual([mistake])
  })
})
