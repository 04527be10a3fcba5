import { AsyncLocalStorage } from 'node:async_hooks'
import type { RequestListener } from 'node:http'
import { connect } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import express from 'express'
import express4 from 'express4'
import Fastify from 'fastify'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { verifyWebhook as onExpress } from '../../adapters/express.ts'
import { verifyWebhook as onFastify } from '../../adapters/fastify.ts'
import { verifyWebhook as onHono } from '../../adapters/hono.ts'
import type { Listener } from '../../src/index.ts'
import { Log } from '../support/log.ts'
import { toBytes } from '../support/raw-http.ts'
import { hmacEndpoint } from '../support/sender.ts'
import { serve } from '../support/servers.ts'

/**
 * Tracing and loggers depend on this context. Each request has its own, opened by a middleware before verifyWebhook.
 */
const context = new AsyncLocalStorage<string>()

type Seen = (name: string | undefined) => void

const traced = (header: unknown) => `trace ${String(header)}`

function expressApp(create: typeof express) {
  return async (listener: Listener, seen: Seen): Promise<RequestListener> => {
    const app = create()
    app.use((request, _response, next) => context.run(traced(request.headers['x-trace']), next))
    app.post('/hook', onExpress(listener), (_request, response) => {
      seen(context.getStore())
      response.sendStatus(200)
    })
    return app
  }
}

async function fastifyApp(listener: Listener, seen: Seen): Promise<RequestListener> {
  const app = Fastify()
  app.addHook('onRequest', (request, _reply, done) => context.run(traced(request.headers['x-trace']), done))
  app.register(async (scope) => {
    await scope.register(onFastify, { listener })
    scope.post('/hook', async () => seen(context.getStore()))
  })
  await app.ready()
  return (request, response) => app.routing(request, response)
}

async function honoApp(listener: Listener, seen: Seen): Promise<RequestListener> {
  const app = new Hono()
  app.use((c, next) => context.run(traced(c.req.header('x-trace')), next))
  app.post('/hook', onHono(listener), (c) => {
    seen(context.getStore())
    return c.text('ok')
  })
  return getRequestListener(app.fetch)
}

describe.each([
  ['Express 4', expressApp(express4)],
  ['Express 5', expressApp(express)],
  ['Fastify 5', fastifyApp],
  ['Hono on Node', honoApp],
] as const)('%s', (_, build) => {
  it('runs the handler in the async context of its request, even if the body came later among others', async () => {
    const endpoint = hmacEndpoint()
    const names = new Log<string | undefined>()
    const app = await build(endpoint.listener, (name) => names.add(name))
    const { address } = await serve(app)
    const parts = await Promise.all(['1', '2'].map(async (name) => inTwoParts(await tracedRequest(name))))
    const sockets = parts.map(() => connect(address))
    for (const [index, [head]] of parts.entries()) sockets[index]?.write(head)
    for (const [index, [, body]] of [...parts.entries()].toReversed()) {
      await new Promise((turn) => setImmediate(turn))
      sockets[index]?.write(body)
    }
    await names.reaches(2)
    for (const socket of sockets) socket.destroy()
    expect(names.entries.toSorted()).toEqual(['trace 1', 'trace 2'])

    async function tracedRequest(name: string) {
      const request = await endpoint.request()
      return toBytes({ ...request, headers: [...request.headers, ['x-trace', name]] })
    }
  })
})

function inTwoParts(bytes: Buffer): readonly [head: Buffer, body: Buffer] {
  const end = bytes.indexOf('\r\n\r\n') + 4
  return [bytes.subarray(0, end), bytes.subarray(end)]
}
