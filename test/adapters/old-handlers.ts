import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { NetConnectOpts } from 'node:net'
import { createAdaptorServer, type HttpBindings } from '@hono/node-server'
import express, { type Express, type Request as ExpressRequest, type RequestHandler } from 'express'
import express4 from 'express4'
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { type Context, Hono } from 'hono'
import Stripe from 'stripe'
import { observeWebhook as besideExpress } from '../../adapters/express.ts'
import { observeWebhook as besideFastify } from '../../adapters/fastify.ts'
import { observeWebhook as besideHono } from '../../adapters/hono.ts'
import { observeWebhook as besideWeb } from '../../adapters/web.ts'
import type { Listener } from '../../src/index.ts'
import { exchange, toBytes } from '../support/raw-http.ts'
import { serve, serveFastify } from '../support/servers.ts'

/** The endpoint of one vector: how its owner checked it before, and the listeners beside. */
export interface Endpoint {
  readonly sender: 'stripe' | 'github' | 'slack' | 'twilio'
  readonly secrets: readonly string[]
  readonly now: number
  readonly publicUrl: string
  readonly listeners: readonly Listener[]
}

/** Finds the endpoint by the path. */
export type Endpoints = (path: string) => Endpoint

/** What an old handler has left of a body. */
interface Seen {
  readonly body: string | Buffer
  readonly form?: unknown
  readonly isRead: boolean
}

interface OldAnswer {
  readonly status: number
  readonly text: string
}

/** What the old handler decided and saw, which shows whether the request was changed. */
function answerTo(
  endpoint: Endpoint,
  path: string,
  headers: IncomingHttpHeaders,
  { body, form, isRead }: Seen,
  request: object,
): OldAnswer {
  const query = path.slice(`${path}?`.indexOf('?'))
  const isGenuine = CHECKS[endpoint.sender](endpoint, {
    body,
    form,
    query,
    header: (name) => `${headers[name] ?? ''}`,
  })
  const hash = createHash('sha256').update(body).update(JSON.stringify(headers)).digest('hex')
  return {
    status: isGenuine ? 200 : 400,
    text: JSON.stringify({ isRead, hash, members: Object.keys(request).toSorted() }),
  }
}

interface Parts extends Omit<Seen, 'isRead'> {
  readonly query: string
  readonly header: (name: string) => string
}

/** Typical checks: ten lines of code, or a call of the SDK. */
const CHECKS: { readonly [Sender in Endpoint['sender']]: (endpoint: Endpoint, parts: Parts) => boolean } = {
  stripe: ({ secrets, now }, { body, header }) =>
    secrets.some((secret) => {
      try {
        return Stripe.webhooks.constructEvent(
          body,
          header('stripe-signature'),
          secret,
          300,
          undefined,
          now * 1000,
        )
      } catch {
        return false
      }
    }),
  github: ({ secrets }, { body, header }) =>
    secrets.some((secret) =>
      isSame(
        header('x-hub-signature-256'),
        `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
      ),
    ),
  slack: ({ secrets, now }, { body, header }) => {
    const time = header('x-slack-request-timestamp')
    if (!(Math.abs(now - Number(time)) <= 300)) return false
    const mac = (secret: string) =>
      createHmac('sha256', secret).update(`v0:${time}:`).update(body).digest('hex')
    return secrets.some((secret) => isSame(header('x-slack-signature'), `v0=${mac(secret)}`))
  },
  twilio: ({ secrets, publicUrl }, { body, form, query, header }) => {
    const { origin, pathname } = new URL(publicUrl)
    const sha = new URLSearchParams(query).get('bodySHA256')
    if (sha !== null && createHash('sha256').update(body).digest('hex') !== sha) return false
    const isForm = header('content-type').includes('form')
    const fields = Object.entries(form ?? (isForm ? Object.fromEntries(new URLSearchParams(`${body}`)) : {}))
    const signed = fields.toSorted(([a], [b]) => (a < b ? -1 : 1)).flat()
    const text = [origin, pathname, query, ...signed].join('')
    return secrets.some((secret) =>
      isSame(header('x-twilio-signature'), createHmac('sha1', secret).update(text).digest('base64')),
    )
  },
}

function isSame(given: string, expected: string): boolean {
  return given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected))
}

/** A server or a function with an old handler. With `beside`, hookgate observes it. */
export interface OldHandler {
  readonly name: string
  /** Whether its requests are web requests, which split headers at `, ` and have no body in a GET. */
  readonly isWeb?: true
  /** What it leaves for hookgate: the exact bytes, the text of a UTF-8 body, or nothing. */
  readonly leaves: 'bytes' | 'text' | 'nothing'
  start(endpoints: Endpoints, beside: Beside | undefined): Promise<Send>
}

/** Mounts the recipe of the page, and each of an endpoint's listeners. */
export interface Beside {
  readonly compared: (what: string, response: ServerResponse, next: () => unknown) => unknown
  /** How many listeners each endpoint has. */
  readonly listeners: number
}

export interface Sent {
  readonly method: string
  readonly path: string
  readonly headers: readonly (readonly [string, string])[]
  readonly body: Uint8Array
}

/** The status, the headers but the date, and the text. */
export type Send = (
  request: Sent,
) => Promise<{ readonly status: number; readonly rest: string; readonly text: string }>

const pathOf = (request: IncomingMessage) => `${Object(request).originalUrl ?? request.url}`

function overHttp(address: NetConnectOpts): Send {
  return async (request) => {
    const reply = await exchange(address, toBytes(request), { hasBody: request.method !== 'HEAD' })
    if (reply === undefined) throw new Error('no reply')
    const headers = reply.headers.filter(([name]) => name !== 'date')
    return { status: reply.status, rest: JSON.stringify(headers), text: reply.body }
  }
}

/** What stands before the handler in Express and on `node:http`. One lookup answers later, as a database does. */
function watchers(endpoints: Endpoints, beside: Beside | undefined): RequestHandler[] {
  if (beside === undefined) return []
  const one = (index: number) =>
    besideExpress(
      index === 0
        ? async (request) => endpoints(pathOf(request)).listeners[0]
        : (request) => endpoints(pathOf(request)).listeners[index],
    )
  return [
    (request, response, next) => beside.compared(pathOf(request), response, next),
    ...Array.from({ length: beside.listeners }, (_, index) => one(index)),
  ]
}

type Mount = (app: Express, watch: RequestHandler[], handle: RequestHandler) => void

/** @param bodyOf What the handler passes to its check. */
function onExpress(
  create: () => Express,
  mount: Mount,
  bodyOf: (request: ExpressRequest & { rawBody?: string | Buffer }) => string | Buffer,
): OldHandler['start'] {
  return async (endpoints, beside) => {
    const app = create()
    app.set('env', 'production') // otherwise Express answers with a stack trace, which shows every call
    mount(app, watchers(endpoints, beside), (request, response) => {
      const { headers, readableDidRead: isRead, body: form } = request
      const path = pathOf(request)
      const { status, text } = answerTo(
        endpoints(path),
        path,
        headers,
        { body: bodyOf(request), form, isRead },
        request,
      )
      response.status(status).send(text)
    })
    return overHttp((await serve(app)).address)
  }
}

const serialized = (value: unknown) => JSON.stringify(value) ?? ''
const bytesOr = (body: unknown) => (Buffer.isBuffer(body) ? body : '')
const keepBytes = (request: IncomingMessage, _: unknown, bytes: Buffer) =>
  Object.assign(request, { rawBody: bytes })
const keepText = (request: IncomingMessage, _: unknown, bytes: Buffer) =>
  Object.assign(request, { rawBody: bytes.toString() })
const ALL = { type: () => true }

function onFastify(
  prepare: (scope: FastifyInstance) => void,
  bodyOf: (request: FastifyRequest) => string | Buffer,
): OldHandler['start'] {
  return async (endpoints, beside) => {
    const app = Fastify()
    app.register(async (scope) => {
      if (beside) {
        scope.addHook(
          'onRequest',
          (request, reply, done) => void beside.compared(request.url, reply.raw, done),
        )
        for (let index = 0; index < beside.listeners; index += 1) {
          await scope.register(besideFastify, { listener: ({ url }) => endpoints(url).listeners[index] })
        }
      }
      prepare(scope)
      scope.all('/*', async (request, reply) => {
        const { raw, url, headers } = request
        const seen = { body: bodyOf(request), isRead: raw.readableDidRead }
        const { status, text } = answerTo(endpoints(url), url, headers, seen, raw)
        return reply.code(status).send(text)
      })
    })
    return overHttp((await serveFastify(app)).address)
  }
}

function honoApp(
  endpoints: Endpoints,
  beside: Beside | undefined,
  bodyOf: (c: Context) => Promise<string | Buffer>,
  isRead: (c: Context) => boolean,
) {
  const app = new Hono<{ Bindings: HttpBindings }>()
  const path = ({ url }: { readonly url: string }) => url.replace(/^https?:\/\/[^/]+/, '')
  if (beside) {
    app.use((c, next) => beside.compared(path(c.req), c.env.outgoing, next) as Promise<void>)
    for (let index = 0; index < beside.listeners; index += 1) {
      app.use(besideHono((c) => endpoints(path(c.req)).listeners[index]))
    }
  }
  app.all('*', async (c) => {
    const body = await bodyOf(c).catch(() => '')
    const headers = Object.fromEntries(c.req.raw.headers)
    const seen = { body, isRead: isRead(c) }
    const { status, text } = answerTo(endpoints(path(c.req)), path(c.req), headers, seen, c.req.raw)
    return new Response(text, { status })
  })
  return app
}

function onHono(bodyOf: (c: Context) => Promise<string | Buffer>): OldHandler['start'] {
  return async (endpoints, beside) => {
    const app = honoApp(endpoints, beside, bodyOf, (c) => c.env.incoming.readableDidRead)
    return overHttp((await serve(createAdaptorServer({ fetch: app.fetch }))).address)
  }
}

/** A response on whose end the recipe can wait, for handlers that have none. */
function finishing() {
  let tell = () => {}
  const response = {
    statusCode: 0,
    once(_: string, listener: () => void) {
      tell = listener
    },
  }
  const finish = (answer: Response) => {
    response.statusCode = answer.status
    tell()
    return answer
  }
  return { response: response as unknown as ServerResponse, finish } // the recipe takes no more of it
}

type Fetch = (request: Request, env?: object) => Response | Promise<Response>

/** Without a server, as on Workers, whose requests come from the platform. */
function byFetch(fetchOf: (endpoints: Endpoints, beside: Beside | undefined) => Fetch): OldHandler['start'] {
  return async (endpoints, beside) => {
    const handle = fetchOf(endpoints, beside)
    return async ({ method, path, headers, body }) => {
      const content = method === 'GET' ? null : new Uint8Array(body)
      const length: [string, string] = ['content-length', `${body.byteLength}`]
      const init = {
        method,
        body: content,
        headers: [...headers.map(([...pair]): [string, string] => pair), length],
      }
      const { response, finish } = finishing()
      const request = new Request(`http://localhost${path}`, init)
      const answer = finish(await handle(request, { outgoing: response }))
      return { status: answer.status, rest: serialized([...answer.headers]), text: await answer.text() }
    }
  }
}

function onWeb(bodyOf: (request: Request) => Promise<string | Buffer>): OldHandler['start'] {
  return byFetch((endpoints, beside) => {
    const path = ({ url }: Request) => url.replace('http://localhost', '')
    let handle: Fetch = async (request) => {
      const seen = { body: await bodyOf(request), isRead: true }
      const headers = Object.fromEntries(request.headers)
      const { status, text } = answerTo(endpoints(path(request)), path(request), headers, seen, request)
      return new Response(text, { status })
    }
    if (beside === undefined) return handle
    for (let index = 0; index < beside.listeners; index += 1) {
      handle = besideWeb((request) => endpoints(path(request)).listeners[index], handle)
    }
    return (request, env) =>
      beside.compared(path(request), Object(env).outgoing, () => handle(request)) as Response
  })
}

function onNodeHttp(read: (request: IncomingMessage) => Promise<string | Buffer>): OldHandler['start'] {
  return async (endpoints, beside) => {
    const watch = watchers(endpoints, beside)
    const handle = async (request: IncomingMessage, response: ServerResponse) => {
      const path = pathOf(request)
      const seen = { body: await read(request), isRead: request.readableDidRead }
      const { status, text } = answerTo(endpoints(path), path, request.headers, seen, request)
      response.writeHead(status).end(text)
    }
    const run = (request: IncomingMessage, response: ServerResponse, [first, ...rest] = watch): void => {
      if (first === undefined) return void handle(request, response)
      first(request as ExpressRequest, response as never, () => run(request, response, rest)) // reads what Node has
    }
    return overHttp((await serve((request, response) => run(request, response))).address)
  }
}

export const OLD_HANDLERS: readonly OldHandler[] = [
  {
    name: 'express.raw() on the route',
    leaves: 'bytes',
    start: onExpress(
      express,
      (app, watch, handle) => app.all('/*path', watch, express.raw(ALL), handle),
      ({ body }) => bytesOr(body),
    ),
  },
  {
    name: 'express.raw() for the whole app, on Express 4',
    leaves: 'bytes',
    start: onExpress(
      express4,
      (app, watch, handle) => app.use(express4.raw(ALL)).all('*', watch, handle),
      ({ body }) => bytesOr(body),
    ),
  },
  {
    name: 'express.json() that keeps the bytes in rawBody',
    leaves: 'bytes',
    start: onExpress(
      express,
      (app, watch, handle) => app.use(express.json({ verify: keepBytes })).all('/*path', watch, handle),
      ({ rawBody = '' }) => rawBody,
    ),
  },
  {
    name: 'express.json() that keeps text in rawBody',
    leaves: 'text',
    start: onExpress(
      express,
      (app, watch, handle) => app.use(express.json({ verify: keepText })).all('/*path', watch, handle),
      ({ rawBody = '' }) => rawBody,
    ),
  },
  {
    name: 'express.json() on the route, serialized again',
    leaves: 'bytes',
    start: onExpress(
      express,
      (app, watch, handle) => app.all('/*path', watch, express.json(), handle),
      ({ body }) => serialized(body),
    ),
  },
  {
    name: 'express.json() for the whole app, serialized again',
    leaves: 'nothing',
    start: onExpress(
      express,
      (app, watch, handle) => app.use(express.json()).all('/*path', watch, handle),
      ({ body }) => serialized(body),
    ),
  },
  {
    name: 'express.urlencoded() on the route',
    leaves: 'bytes',
    start: onExpress(
      express,
      (app, watch, handle) => app.all('/*path', watch, express.urlencoded(), handle),
      ({ body }) => serialized(body),
    ),
  },
  {
    name: 'the parser of Fastify, serialized again',
    leaves: 'bytes',
    start: onFastify(
      () => {},
      ({ body }) => serialized(body),
    ),
  },
  {
    name: 'a parser of Fastify that keeps the bytes',
    leaves: 'bytes',
    start: onFastify(
      (scope) => {
        scope.removeAllContentTypeParsers()
        scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
      },
      ({ body }) => bytesOr(body),
    ),
  },
  { name: 'c.req.text() of Hono on Node', leaves: 'bytes', start: onHono((c) => c.req.text()) },
  {
    name: 'c.req.json() of Hono on Node, serialized again',
    leaves: 'bytes',
    start: onHono(async (c) => serialized(await c.req.json())),
  },
  {
    name: 'c.req.arrayBuffer() of Hono on a web runtime',
    isWeb: true,
    leaves: 'bytes',
    start: byFetch((endpoints, beside) => {
      const bodyOf = async (c: Context) => Buffer.from(await c.req.arrayBuffer())
      const app = honoApp(endpoints, beside, bodyOf, () => true)
      return (request, env) => app.fetch(request, env)
    }),
  },
  {
    name: 'request.text() of a fetch handler',
    isWeb: true,
    leaves: 'bytes',
    start: onWeb((request) => request.text()),
  },
  {
    name: 'request.clone() of a fetch handler',
    isWeb: true,
    leaves: 'bytes',
    start: onWeb((request) => request.clone().text()),
  },
  {
    name: 'a stream of text on node:http',
    leaves: 'text',
    start: onNodeHttp(
      (request) =>
        new Promise((resolve) => {
          let text = ''
          request.setEncoding('utf8').on('data', (chunk) => (text += chunk))
          request.on('end', () => resolve(text))
        }),
    ),
  },
  {
    name: 'for await on node:http, after something else was awaited',
    leaves: 'bytes',
    start: onNodeHttp(async (request) => {
      await new Promise((resolve) => setImmediate(resolve))
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      return Buffer.concat(chunks)
    }),
  },
  { name: 'node:http that reads nothing', leaves: 'bytes', start: onNodeHttp(async () => '') },
]
