import { createServer, type RequestListener } from 'node:http'
import { connect, createServer as createHttp2Server } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { pipeline, Readable } from 'node:stream'
import { getRequestListener } from '@hono/node-server'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import { expect, it, onTestFinished, vi } from 'vitest'
import { verifyWebhook as onNode } from '../../adapters/express.ts'
import { verifyWebhook as onFastify } from '../../adapters/fastify.ts'
import { verifyWebhook as onHono } from '../../adapters/hono.ts'
import type { Listener } from '../../src/index.ts'
import { exchange, type RawRequest, toBytes } from '../support/raw-http.ts'
import { hmacEndpoint } from '../support/sender.ts'

/** Fails after its first bytes, as an upstream does whose connection breaks. */
async function* broken() {
  yield Buffer.from('half of it')
  throw new Error('the upstream is gone')
}

/** Answers with a stream that fails after its status was sent. */
const APPS: { readonly [name: string]: (listener: Listener) => RequestListener } = {
  'Hono, a stream': (listener) =>
    getRequestListener(
      new Hono().post('/hook', onHono(listener), (c) =>
        c.body(Readable.toWeb(Readable.from(broken())) as ReadableStream),
      ).fetch,
    ),
  'Hono, a Response': (listener) =>
    getRequestListener(
      new Hono().post(
        '/hook',
        onHono(listener),
        () => new Response(Readable.toWeb(Readable.from(broken())) as ReadableStream),
      ).fetch,
    ),
  'Express, which then answers 500': (listener) =>
    express().post('/hook', onNode(listener), (_request, response) => {
      pipeline(Readable.from(broken()), response, () => response.status(500).end())
    }),
  'Fastify, a stream': (listener) => {
    const app = fastify()
    app.register(async (scope) => {
      await scope.register(onFastify, { listener })
      scope.post('/hook', (_request, reply) => reply.send(Readable.from(broken())))
    })
    return (request, response) => app.ready(() => app.routing(request, response))
  },
  'node:http, which then answers 500': (listener) => {
    const verify = onNode(listener)
    return (request, response) =>
      verify(request, response, () => {
        pipeline(Readable.from(broken()), response, () => {
          response.statusCode = 500
          response.end()
        })
      })
  },
}

/** Resolves when the connection, or the stream, is closed. */
type Send = (request: RawRequest) => Promise<unknown>

async function onHttp1(app: RequestListener): Promise<Send> {
  const server = createServer(app).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  return (request) => exchange({ port, host: '127.0.0.1' }, toBytes(request))
}

async function onHttp2(app: RequestListener): Promise<Send> {
  const server = createHttp2Server(app as unknown as Parameters<typeof createHttp2Server>[1]).listen(0)
  onTestFinished(() => void server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  onTestFinished(() => session.destroy())
  return ({ method, path, headers, body }) =>
    new Promise((resolve) => {
      const stream = session.request({ ...Object.fromEntries(headers), ':method': method, ':path': path })
      stream.on('error', () => {}).once('close', resolve)
      stream.resume().end(body)
    })
}

it.each(
  Object.entries(APPS).flatMap(([name, app]) =>
    [onHttp1, onHttp2]
      .filter((serve) => serve === onHttp1 || !/^(?:Express|Fastify)/.test(name))
      .map((serve) => [name, serve.name, app, serve] as const),
  ),
)('a 200 whose stream fails leaves the lease to lapse: %s (%s)', async (_name, _protocol, app, serve) => {
  vi.spyOn(console, 'error').mockReturnValue() // @hono/node-server
  const endpoint = hmacEndpoint()
  const send = await serve(app(endpoint.listener))
  const request = await endpoint.request()
  await send(request)
  await send(request)
  expect(endpoint.verdicts.entries).toEqual(['accepted', 'event_in_progress'])
  expect(endpoint.calls.entries.map((call) => call.split(' ')[0])).toEqual(['claim', 'claim'])
})
