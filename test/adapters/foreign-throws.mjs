// What foreign code throws, rejects with or returns, at each door of one adapter. Prints what each request answered, and what
// it may answer. Plain JavaScript, because Node 20 runs nothing else.
//
//   node foreign-throws.mjs <adapter> [--part 0/9] [mode …]
//
// The first of nine parts has each value at a ninth of the doors.
import { createServer, request as sendRequest } from 'node:http'
import { format, inspect, parseArgs } from 'node:util'
import { getRequestListener } from '@hono/node-server'
import express from 'express'
import Fastify from 'fastify'
import { Hono } from 'hono'
import { defineListener, hmac } from 'hookgate'
import * as onExpress from 'hookgate/express'
import * as onFastify from 'hookgate/fastify'
import * as onHono from 'hookgate/hono'
import { jwt, remoteKeySet } from 'hookgate/jwt'
import { listeners } from 'hookgate/listeners'
import { memoryStore } from 'hookgate/stores/memory'
import { signHmac, signJwt } from 'hookgate/testing'
import * as onWeb from 'hookgate/web'

const throwing = (target, ...members) => {
  for (const member of members) {
    Object.defineProperty(target, member, {
      get() {
        throw new Error('not to be read')
      },
    })
  }
  return target
}

const failNow = () => {
  throw new Error('not to be called')
}

const EVERY_TRAP = new Proxy({}, { get: () => () => throwing({}, 'x').x })
const { proxy: REVOKED, revoke } = Proxy.revocable({}, {})
revoke()

const VALUES = {
  undefined: () => undefined,
  null: () => null,
  'a text': () => 'route',
  'a number': () => 7,
  NaN: () => Number.NaN,
  'a symbol': () => Symbol('s'),
  'a frozen object': () => Object.freeze({}),
  'an object whose getters throw': () =>
    throwing({}, 'then', 'code', 'name', 'message', 'stack', 'cause', 'status', 'issues', 'nextOwner'),
  'a proxy whose traps throw': () => new Proxy({}, EVERY_TRAP),
  'a revoked proxy': () => REVOKED,
  'an Error': () => new Error('of their own'),
  'an Error whose code is a number': () => Object.assign(new Error(), { code: 42 }),
  'an Error whose message throws': () => throwing(new Error(), 'message'),
  'an Error whose name throws': () => throwing(new Error(), 'name'),
  'an Error with the status 200': () => Object.assign(new Error(), { status: 200, statusCode: 200 }),
  'an Error whose status throws': () => Object.assign(new Error(), { status: Symbol('s') }),
  'an Error without headers, but a status': () =>
    Object.assign(new Error(), { statusCode: 502, headers: null }),
  'an Error with broken headers': () =>
    Object.assign(new Error(), { status: 502, headers: { ':status': 200 } }),
  'an Error whose printing throws': () => Object.assign(new Error(), { [inspect.custom]: failNow }),
  'an Error whose cause throws': () => new Error('of their own', { cause: throwing({}, 'message') }),
  'an object whose text throws': () => Object.create(null),
  'a proxy whose prototype throws': () => new Proxy(new Error(), { getPrototypeOf: failNow }),
  'a function': () => () => {},
  // biome-ignore lint/suspicious/noThenProperty: that is the point
  'a thenable': () => ({ then: (_, reject) => reject(undefined) }),
  'a thenable that throws': () => ({
    // biome-ignore lint/suspicious/noThenProperty: that is the point
    then() {
      throw Symbol('s')
    },
  }),
}

const UNREADABLE = Object.keys(VALUES).filter((name) => /throws?$|revoked|headers/.test(name))

const WAYS = {
  throws(value) {
    throw value
  },
  rejects: (value) => Promise.reject(value),
  returns: (value) => value,
}
const SYNCHRONOUS = ['throws', 'returns']
const ASYNCHRONOUS = ['throws', 'rejects']

const SECRET = 'x3JTZLHjE1y2Ljdk2aJqwHt6yqBHcDVdYtpVE7Ma9xs'
const SUBJECT = 'https://tenant.example'
const AUDIENCE = 'https://tenant.example/hook'
const { privateKey } = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign'])
const JWK = { ...(await crypto.subtle.exportKey('jwk', privateKey)), kid: 'k1' }
const PUBLIC = { keys: [{ kty: JWK.kty, crv: JWK.crv, x: JWK.x, y: JWK.y, kid: 'k1' }] }

const byToken = (keySet) => jwt({ keySet, subject: SUBJECT, audience: AUDIENCE })
const failing = () => Promise.reject(new Error('down'))
const memory = () => memoryStore({ maxRecords: 1000 })
const withStore = (verbs) => {
  const store = memory()
  const known = (verb) => store[verb].bind(store)
  return { claim: known('claim'), commit: known('commit'), release: known('release'), ...verbs }
}
const hosted = (options) =>
  byToken(remoteKeySet('https://keys.example/jwks', { fetch: async () => Response.json(PUBLIC), ...options }))

/**
 * `listener`: options whose members are foreign code. `at`: where the mounted server meets it. `verify`: what a signed delivery
 * is answered. `late`: whether it matters to one whose body never ends.
 */
const DOORS = {
  'the lookup': { at: 'lookup', verify: [500], returned: [404, 500] },
  'load of listeners()': { at: 'load', verify: [503], returned: [404, 503] },
  'waitUntil of listeners()': { at: 'loaded', verify: [200] },
  'the source finder': { at: 'source', late: true, verify: [500], returned: [403], rejected: [403] },
  'the body': { at: 'body', ways: SYNCHRONOUS, verify: [500], returned: [200, 400, 401, 500] },
  // Without hookgate too, Express ends the process at what it cannot read, and Fastify answers 200.
  'the handler': { at: 'handler', ways: ASYNCHRONOUS, readable: true, verify: [404, 500] },
  'the callback of node:http': { at: 'callback', on: 'node:http', ways: ['throws'], verify: ['no answer'] },
  onVerdict: { late: true, listener: (bad) => ({ onVerdict: bad }), verify: [200] },
  onError: {
    late: true,
    listener: (bad) => ({ onError: bad, store: withStore({ claim: failing }) }),
    verify: [503],
  },
  'the schema': {
    listener: (bad) => ({ payload: { '~standard': { version: 1, vendor: 'x', validate: bad } } }),
    verify: [400],
    returned: [200, 400],
  },
  authenticate: {
    listener: (bad) => ({ auth: { ...hmac({ secrets: { id: 'm', secret: SECRET } }), authenticate: bad } }),
    verify: [500],
  },
  'the key set': {
    jwt: true,
    listener: (bad) => ({ auth: byToken({ find: bad }) }),
    verify: [500],
    returned: [401, 500],
  },
  'the key host': { jwt: true, listener: (bad) => ({ auth: hosted({ fetch: bad }) }), verify: [503] },
  'waitUntil of the key set': {
    jwt: true,
    listener: (bad) => ({ auth: hosted({ waitUntil: bad }) }),
    verify: [200],
  },
  'the clock of the key set': {
    jwt: true,
    listener: (bad) => ({ auth: hosted({ clock: { now: bad } }) }),
    verify: [500],
    returned: [200, 500, 503],
  },
  claim: { listener: (bad) => ({ store: withStore({ claim: bad }) }), verify: [503] },
  commit: { listener: (bad) => ({ store: withStore({ commit: bad }) }), verify: [200] },
  release: { fails: true, listener: (bad) => ({ store: withStore({ release: bad }) }), verify: [500] },
  'the clock': {
    late: true,
    listener: (bad) => ({ clock: { now: bad } }),
    verify: [500],
    returned: [400, 500],
  },
  'the clock beside a token': {
    jwt: true,
    listener: (bad) => ({ auth: hosted({}), clock: { now: bad } }),
    verify: [500],
    returned: [400, 401, 500],
  },
  'the clock of listeners()': { at: 'clock', verify: [500], returned: [200, 500, 503] },
  'the clock of the store': {
    listener: (bad) => ({ store: memoryStore({ clock: { now: bad } }) }),
    verify: [503],
    returned: [200, 503],
  },
  accepted: {
    listener: (bad) => ({ store: withStore({ accepted: bad }) }),
    verify: [500],
    returned: [200],
    rejected: [200],
  },
  randomUuid: {
    listener: (bad) => ({ randomUuid: bad }),
    verify: [500],
    returned: [200, 500],
  },
}

const isOld = (mode) => mode === 'observe' || mode === 'bare'

/** The line beside the old check. Which listener is for a request, an old handler knows by itself. */
function beside(mode, ctx, { observeWebhook }, request, body, options = {}) {
  if (mode === 'observe') void observeWebhook(ctx.listener(), request, body, options)
}

const bytesOf = async (request) => Buffer.concat(await request.toArray())

/** Each makes a request listener. `ctx` knows the case that runs. */
const ADAPTERS = {
  'Express 5': (mode, ctx) => {
    const app = express()
    app.set('trust proxy', () => false) // so that the adapter asks for `ip`
    app.post('/hook', (request, _response, next) => next(prepareNode(mode, ctx, request)))
    if (!isOld(mode)) app.post('/hook', onExpress.verifyWebhook(ctx.target, ctx.verifying))
    return app.post('/hook', async (request, response) => {
      if (isOld(mode)) beside(mode, ctx, onExpress, request, await bytesOf(request))
      await ctx.handle()
      response.status(ctx.status()).send('handled')
    })
  },
  'node:http': (mode, ctx) => {
    const verify = onExpress.verifyWebhook(ctx.target, ctx.verifying)
    const answer = (response, status, text) => response.writeHead(status).end(text)
    const handle = async (request, response) => {
      beside(mode, ctx, onExpress, request, await bytesOf(request))
      await Promise.resolve(ctx.handle()).catch(() => Promise.reject(new Error()))
      answer(response, ctx.status(), 'handled')
    }
    return (request, response) => {
      prepareNode(mode, ctx, request)
      const old = () => handle(request, response).catch(() => answer(response, 500, 'failed'))
      if (isOld(mode)) return old()
      verify(request, response, (error) => {
        if (ctx.at('callback')) return ctx.bad()
        if (error !== undefined) return answer(response, 500, 'failed')
        const handled = ctx.handle() // what it throws at once reaches the middleware
        Promise.resolve(handled).then(
          () => answer(response, ctx.status(), 'handled'),
          () => answer(response, 500, 'failed'),
        )
      })
    }
  },
  'Fastify 5': async (mode, ctx) => {
    const app = Fastify()
    app.register(async (scope) => {
      scope.addHook('onRequest', async (request) => void prepareNode(mode, ctx, request.raw, request))
      const listener = ctx.target
      if (!isOld(mode)) await scope.register(onFastify.verifyWebhook, { listener, ...ctx.verifying })
      scope.post('/hook', async (request, reply) => {
        if (isOld(mode)) beside(mode, ctx, onFastify, request, '{"a":1}')
        await ctx.handle()
        return reply.code(ctx.status()).send('handled')
      })
    })
    await app.ready()
    return app.routing
  },
  'Hono on Node': (mode, ctx) => getRequestListener(honoApp(mode, ctx).fetch),
  'Hono on the web': (mode, ctx) => getRequestListener((request) => honoApp(mode, ctx).fetch(request)),
  web: (mode, ctx) => {
    const answer = async (request) => {
      if (isOld(mode)) beside(mode, ctx, onWeb, request, await request.text(), ctx.onTheWeb)
      await ctx.handle()
      return new Response('handled', { status: ctx.status() })
    }
    const { sourceIp } = ctx.onTheWeb
    const verified = onWeb.webhookHandler(ctx.target, (_event, request) => answer(request), ctx.verifying)
    const failed = () => new Response('failed', { status: 500 })
    return getRequestListener(async (request) => {
      if (ctx.at('body')) Object.defineProperty(request, 'body', { get: ctx.bad })
      try {
        if (isOld(mode)) return await answer(request)
        return await verified(
          request,
          throwable('sourceIp', () => sourceIp(request)),
        )
      } catch {
        return failed()
      }
    })
  },
}

/** An object with one getter. */
const throwable = (name, get) => Object.defineProperty({}, name, { get })

function honoApp(mode, ctx) {
  const app = new Hono()
  app.use(async (c, next) => {
    if (ctx.at('body')) {
      const kept = (async () => ctx.bad())()
      kept.catch(() => {})
      c.req.bodyCache.arrayBuffer = kept
    }
    await next()
  })
  if (!isOld(mode)) app.use(onHono.verifyWebhook(ctx.target, { ...ctx.verifying, ...ctx.onTheWeb }))
  app.post('/hook', async (c) => {
    if (isOld(mode)) beside(mode, ctx, onHono, c, await c.req.text(), ctx.onTheWeb)
    await ctx.handle()
    return c.text('handled', ctx.status())
  })
  app.onError((_error, c) => c.text('failed', 500))
  return app
}

/** Puts foreign code on a Node request. `owner` has the address. */
function prepareNode(mode, ctx, request, owner = request) {
  if (ctx.at('source')) {
    Object.defineProperty(owner, 'ip', {
      get() {
        return this === owner ? ctx.bad() : '127.0.0.1' // the adapter for Fastify probes with copies
      },
    })
  }
  if (!ctx.at('body')) return
  Object.defineProperty(request, 'rawBody', { get: ctx.bad })
  if (!isOld(mode)) request.pause() // as if something had begun to read it
}

const PATIENCE_MS = 10_000
/** Express answers an error only when the body is over. */
const LATE_MS = 300

const KINDS = { verify: ['signed', 'forged'], late: ['endless'], observe: ['signed'], bare: ['signed'] }

let count = 0

/** Runs one adapter in one mode, with all values, on one server. */
async function run(adapter, mode, hasHooks, tell, doors = DOORS, ways = Object.keys(WAYS)) {
  let door = {}
  let bad
  let target
  let listener
  let runs = 0
  const at = (place) => door.at === place
  const ctx = {
    at,
    bad: () => bad(),
    target: (request) => target(request),
    listener: () => listener,
    verifying: mode === 'late' ? { bodyTimeoutSeconds: 0.02 } : {},
    onTheWeb: { sourceIp: () => (at('source') ? bad() : '127.0.0.1') },
    handle() {
      runs += 1
      return at('handler') ? bad() : undefined
    },
    status: () => (door.fails ? 500 : 200),
  }
  const server = createServer(await ADAPTERS[adapter](mode, ctx))
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  for (const [name, found] of Object.entries(doors)) {
    door = found
    const values = valuesAt(Object.keys(DOORS).indexOf(name))
    if ((mode === 'late' && !door.late) || (door.on ?? adapter) !== adapter) continue
    for (const way of ways) {
      if (door.ways && !door.ways.includes(way)) continue
      for (const [value, make] of values) {
        if (door.readable && UNREADABLE.includes(value)) continue
        bad = () => WAYS[way](make())
        for (const kind of KINDS[mode]) {
          listener = listenerOf(door, bad, hasHooks)
          target = targetOf(listener, door, bad)
          runs = 0
          const answered = await answerOf(server, kind, door)
          const allowed = { returns: door.returned, rejects: door.rejected }[way] ?? door.verify
          tell({ adapter, mode, hasHooks, door: name, way, value, kind, answered, runs, allowed })
        }
      }
    }
  }
  server.closeAllConnections()
  server.close()
}

/** A new one each time, since each is told of a mistake only once. */
function listenerOf(door, bad, hasHooks) {
  count += 1
  return defineListener({
    id: `L${count}`,
    auth: hmac({ secrets: { id: 'main', secret: SECRET } }),
    store: memory(),
    ...(hasHooks && { onVerdict() {}, onError() {} }),
    ...(door.at === 'source' && { allowedCidrs: ['203.0.113.0/24'] }),
    ...door.listener?.(bad),
  })
}

/** A lookup. Every other one answers later. */
function targetOf(listener, door, bad) {
  if (door.at === 'lookup') return bad
  if (['load', 'loaded', 'clock'].includes(door.at)) {
    const found = listeners({
      load: door.at === 'load' ? bad : () => listener,
      waitUntil: door.at === 'loaded' ? bad : undefined,
      clock: door.at === 'clock' ? { now: bad } : undefined,
    })
    return () => found.find('tenant')
  }
  return count % 2 ? () => listener : async () => listener
}

/** The status and the text. A forged delivery has another body than was signed; an endless one lacks its end. */
async function answerOf(server, kind, door) {
  const body = '{"a":1}'
  const signed = door.jwt
    ? await signJwt({ privateKey: JWK, algorithm: 'ES256', subject: SUBJECT, audience: AUDIENCE, body })
    : await signHmac({ secret: SECRET, body })
  const sent = kind === 'forged' ? '{"a":2}' : body
  const length = sent.length + (kind === 'endless' ? 1 : 0)
  return new Promise((resolve) => {
    const { port } = server.address()
    const headers = { ...signed.headers, 'content-length': length }
    const request = sendRequest({ port, host: '127.0.0.1', path: '/hook', method: 'POST', headers })
    request.setTimeout(kind === 'endless' ? LATE_MS : PATIENCE_MS, () => request.destroy())
    request.on('error', () => resolve('no answer'))
    request.on('response', async (response) => {
      let text = ''
      for await (const chunk of response.setEncoding('utf8')) text += chunk
      resolve(`${response.statusCode} ${text.length > 40 ? '' : text}`.trim())
      request.destroy()
    })
    request.write(sent)
    if (kind !== 'endless') request.end()
  })
}

console.warn = () => {}
console.error = (...given) => void format(...given) // as it prints them
let unhandled = 0
if (process.env.GOES_ON) process.on('uncaughtException', () => (unhandled += 1))

const {
  values: { part = '0/1' },
  positionals: [adapter, ...modes],
} = parseArgs({ allowPositionals: true, options: { part: { type: 'string' } } })

function valuesAt(place) {
  const [chosen, parts] = part.split('/').map(Number)
  return Object.entries(VALUES).filter((_, index) => (index + place) % parts === chosen)
}

const tell = (line) => {
  process.stdout.write(`${JSON.stringify({ ...line, unhandled })}\n`)
  unhandled = 0
}
const ALL = ['verify', 'late', 'observe', 'bare']
const tellTwice = (line) => {
  tell({ ...line, hasHooks: true })
  tell({ ...line, hasHooks: false })
}

/** Those that wait run side by side. Without hookgate, hooks make no difference. */
const runsOf = (mode) => {
  if (mode === 'bare') return [run(adapter, mode, false, tellTwice)]
  return [true, false].flatMap((has) => {
    if (mode !== 'late') return [run(adapter, mode, has, tell)]
    return Object.entries(DOORS).flatMap(([name, door]) =>
      door.late ? Object.keys(WAYS).map((way) => run(adapter, mode, has, tell, { [name]: door }, [way])) : [],
    )
  })
}
await Promise.all((modes.length > 0 ? modes : ALL).flatMap(runsOf))
