import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { ListenOptions, NetConnectOpts } from 'node:net'
import { createAdaptorServer, getRequestListener, type HttpBindings } from '@hono/node-server'
import express, { type ErrorRequestHandler } from 'express'
import express4 from 'express4'
import Fastify, { type FastifyInstance } from 'fastify'
import { type Context, Hono } from 'hono'
import { onTestFinished } from 'vitest'
import { type VerifyWebhookOptions, verifyWebhook, webhookOf } from '../../adapters/express.ts'
import { verifyWebhook as verifyWebhookFastify } from '../../adapters/fastify.ts'
import {
  type VerifyWebhookOptions as HonoOptions,
  verifyWebhook as verifyWebhookHono,
} from '../../adapters/hono.ts'
import type { NodeRequest } from '../../adapters/kit/read-node.ts'
import { behindProxies } from '../../adapters/kit/trusted-proxies.ts'
import { webhookHandler } from '../../adapters/web.ts'
import type { Listener, WebhookEvent } from '../../src/index.ts'
import { onWorkerd } from '../suites/runtimes/wire/host.ts'
import { type FetchApp, type Listening, serveFetch } from './fetch-servers.ts'
import { Log } from './log.ts'
import { ENGINE } from './runtime.ts'

type Found = Listener | undefined | Promise<Listener | undefined>

/** One webhook endpoint, for any framework. It takes every method and path. */
export interface Setup {
  readonly target: Listener | ((path: string) => Found)
  /** The listener of the row. Every listener that a lookup finds differs from it only in its ID. */
  readonly listener?: Listener
  readonly options?: VerifyWebhookOptions
  /** Returns the status to answer with. Default: 200. */
  readonly handle?: (event: WebhookEvent) => number | Promise<number>
  /** Default: a free port of 127.0.0.1. */
  readonly listenOn?: ListenOptions
}

export interface RunningServer {
  readonly address: NetConnectOpts
  /** The events that reached the handler. */
  readonly handled: readonly WebhookEvent[]
  /** The errors that reached the framework's error handler. */
  readonly errors: readonly unknown[]
  /** One entry per closed connection. */
  readonly closings: Log<string>
}

type Start = (setup: Setup) => Promise<RunningServer>

/** The handler and the error handler, independent of the framework. */
function application({ handle = () => 200 }: Setup) {
  const handled: WebhookEvent[] = []
  const errors: unknown[] = []
  return {
    handled,
    errors,
    async run(event: WebhookEvent): Promise<number> {
      handled.push(event)
      return handle(event)
    },
    fail(error: unknown): 500 {
      errors.push(error)
      return 500
    },
  }
}

const ANSWER_TYPE = 'application/json'
const answerTo = (status: number) => JSON.stringify({ handler: status })

function respond(status: number): Response {
  return new Response(answerTo(status), { status, headers: { 'content-type': ANSWER_TYPE } })
}

function answer(response: ServerResponse, status: number): void {
  const body = answerTo(status)
  response.writeHead(status, { 'content-type': ANSWER_TYPE, 'content-length': body.length }).end(body)
}

function pathOf({ url = '' }: { url?: string | undefined }): string {
  return url
}

/** Turns a lookup by path into one by the framework's request. */
function targetFor<Request>(target: Setup['target'], path: (request: Request) => string) {
  return typeof target === 'function' ? (request: Request) => target(path(request)) : target
}

function onExpress(create: typeof express): Start {
  return async (setup) => {
    const { run, fail, ...seen } = application(setup)
    const app = create()
    app.all(
      /.*/,
      verifyWebhook(targetFor(setup.target, pathOf), setup.options),
      (request, response, next) => {
        run(webhookOf(request))
          .then((status) => answer(response, status))
          .catch(next)
      },
    )
    const onError: ErrorRequestHandler = (error, _request, response, _next) => answer(response, fail(error))
    app.use(onError)
    return { ...seen, ...(await serve(app, setup.listenOn)) }
  }
}

const onNodeHttp: Start = async (setup) => {
  const { run, fail, ...seen } = application(setup)
  const verify = verifyWebhook(targetFor(setup.target, pathOf), setup.options)
  const dispatch: RequestListener = (request, response) => {
    const onError = (error: unknown) => answer(response, fail(error))
    verify(request, response, (error) => {
      if (error !== undefined) return onError(error)
      const { webhook } = request as typeof request & { webhook: WebhookEvent }
      run(webhook).then((status) => answer(response, status), onError)
    })
  }
  return { ...seen, ...(await serve(dispatch, setup.listenOn)) }
}

const onFastify: Start = async (setup) => {
  const { run, fail, ...seen } = application(setup)
  const app = Fastify()
  // Bytes, because Fastify adds a charset to the type of text.
  app.setErrorHandler((error, _request, reply) =>
    reply
      .code(fail(error))
      .type(ANSWER_TYPE)
      .send(Buffer.from(answerTo(500))),
  )
  app.register(async (scope) => {
    await scope.register(verifyWebhookFastify, {
      ...setup.options,
      listener: targetFor(setup.target, pathOf),
    })
    scope.all('/*', async (request, reply) => {
      const status = await run(webhookOf(request))
      return reply
        .code(status)
        .header('content-type', ANSWER_TYPE)
        .send(Buffer.from(answerTo(status)))
    })
  })
  return { ...seen, ...(await serveFastify(app, setup.listenOn)) }
}

function honoApp(setup: Setup, options: HonoOptions | undefined) {
  const { run, fail, ...seen } = application(setup)
  const app = new Hono<{ Bindings: { readonly ip?: string | undefined } }>()
  const target = targetFor(setup.target, (c: { req: { path: string } }) => c.req.path)
  app.all('*', verifyWebhookHono(target, options), async (c) => respond(await run(c.var.webhook)))
  app.onError((error) => respond(fail(error)))
  return { app, seen }
}

const onHono: Start = async (setup) => {
  const { app, seen } = honoApp(setup, setup.options)
  return { ...seen, ...(await serve(createAdaptorServer({ fetch: app.fetch }), setup.listenOn)) }
}

/**
 * The plain fetch form. It has no option for proxies, so its caller finds the address, here in the same way as the
 * others.
 */
function webApp(setup: Setup) {
  const { run, fail, ...seen } = application(setup)
  const target = targetFor(setup.target, ({ url }: Request) => new URL(url).pathname)
  const { trustedProxies, ...options } = setup.options ?? {}
  const findSource = trustedProxies && behindProxies(trustedProxies)
  const handle = webhookHandler(target, async (event) => respond(await run(event)), options)
  const app: FetchApp = (request, ip) =>
    handle(request, { sourceIp: findSource ? findSource(nodeForm(request, ip)) : ip }).catch((error) =>
      respond(fail(error)),
    )
  return { app, seen }
}

const onWeb: Start = async (setup) => {
  const { app, seen } = webApp(setup)
  const listener = getRequestListener((request, env) =>
    app(request, (env as HttpBindings).incoming.socket.remoteAddress),
  )
  return { ...seen, ...(await serve(listener, setup.listenOn)) }
}

/** On the runtime's own server, Bun's or Deno's. */
const onOwnHono: Start = async (setup) => {
  const { trustedProxies, ...options } = setup.options ?? {}
  const findSource = trustedProxies && behindProxies(trustedProxies)
  const sourceIp = ({ req, env }: Context) => (findSource ? findSource(nodeForm(req.raw, env.ip)) : env.ip)
  const { app, seen } = honoApp(setup, { ...options, sourceIp })
  return { ...seen, ...(await serveFetch((request, ip) => app.fetch(request, { ip }), setup.listenOn)) }
}

const onOwnWeb: Start = async (setup) => {
  const { app, seen } = webApp(setup)
  return { ...seen, ...(await serveFetch(app, setup.listenOn)) }
}

/** The part of a Node request that the walk over X-Forwarded-For reads. */
function nodeForm({ headers }: Request, remoteAddress: string | undefined): NodeRequest {
  const rawHeaders = [...headers].flat()
  return { rawHeaders, socket: { remoteAddress } } as unknown as NodeRequest // the walk reads nothing else
}

const ON_NODE: { readonly [name: string]: Start } = {
  'Express 4': onExpress(express4),
  'Express 5': onExpress(express),
  'Fastify 5': onFastify,
  'Hono on Node': onHono,
  'node:http': onNodeHttp,
  'web on Node': onWeb,
}

/** Set by `npm run test:runtimes`: this process sends, and workerd serves. */
const TO_WORKERD = process.env.HOOKGATE_RUNTIME === 'workerd'

const OWN = ENGINE === 'bun' ? 'Bun' : 'Deno'

/** Every way to mount `verifyWebhook` behind a socket, on the runtime that runs this. */
export const TARGETS: { readonly [name: string]: Start } = findTargets()

function findTargets(): typeof TARGETS {
  if (TO_WORKERD) return { 'Hono on workerd': onWorkerd('hono'), 'web on workerd': onWorkerd('web') }
  return ENGINE === 'node' ? ON_NODE : { [`Hono on ${OWN}`]: onOwnHono, [`web on ${OWN}`]: onOwnWeb }
}

/** Listens until the test ends. */
export async function serve(
  app: RequestListener | ReturnType<typeof createAdaptorServer>,
  listenOn: ListenOptions = { port: 0, host: '127.0.0.1' },
): Promise<Listening> {
  const server = typeof app === 'function' ? createServer(app) : (app as Server) // HTTP/1 unless told otherwise
  const closings = closingsOf(server)
  await new Promise<void>((resolve) => server.listen(listenOn, resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { address: addressOf(server), closings }
}

export async function serveFastify(
  app: FastifyInstance,
  listenOn: ListenOptions = { port: 0, host: '127.0.0.1' },
): Promise<Listening> {
  onTestFinished(() => {
    app.server.closeAllConnections()
    return app.close()
  })
  const closings = closingsOf(app.server)
  await app.listen(listenOn as { port: number; host: string } | { path: string })
  return { address: addressOf(app.server), closings }
}

function closingsOf(server: Server): Log<string> {
  const closings = new Log<string>()
  server.on('connection', (socket) => socket.once('close', () => closings.add('closed')))
  return closings
}

function addressOf(server: Server): NetConnectOpts {
  const address = server.address()
  if (typeof address === 'string') return { path: address }
  return { port: address?.port ?? 0, host: '127.0.0.1' }
}
