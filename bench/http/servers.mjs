// One server: node servers.mjs <framework> <variant>. Reports its port to the parent, and on demand its CPU time.

import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { defineListener, hmac } from 'hookgate'
import { jwt, localKeySet } from 'hookgate/jwt'
import { memoryStore } from 'hookgate/stores/memory'
import { LRUCache } from 'lru-cache'
import { Webhook } from 'standardwebhooks'
import { floorWithOwnHmac, jwtFloor } from '../floor.mjs'
import { keyOf } from '../tokens.mjs'
import { CIDRS, ENDPOINT, SECRET } from '../workload.mjs'

const [framework, variant] = process.argv.slice(2)
const key = process.env.BENCH_KEY && keyOf(process.env.BENCH_KEY)
const allowedCidrs = [...CIDRS, '127.0.0.0/8']
const auth = key
  ? jwt({ ...ENDPOINT, keySet: localKeySet(key.jwks) })
  : hmac({ secrets: { id: 'main', secret: SECRET } })
const store = memoryStore()
const listener = defineListener({ id: 'bench', auth, store, allowedCidrs })
// The growth bench measures what requests leave behind, not the tables of the store. These grow here.
if (globalThis.gc) await makeRoom(65_536)

const floor = key ? jwtFloor(key) : floorWithOwnHmac()
const webhook = new Webhook(Buffer.from(SECRET).toString('base64'))
const seen = new LRUCache({ max: 1_000_000, ttl: 604_800_000 })

/** A typical hand-written receiver: the signature, the JSON, and a cache of IDs. */
function stack(body, headers) {
  webhook.verify(body, headers)
  return remember(headers['webhook-id'])
}

function remember(eventId) {
  if (seen.has(eventId)) return 409
  seen.set(eventId, true)
  return 200
}

/** The shortest code that reads the body of a Node request. */
function readBody(request, then) {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => then(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)))
}

const bodyLater = (request) => new Promise((resolve) => readBody(request, resolve))
const verdictOf = (request, body) => floor({ headers: request.headers, body })

async function expressApp(name) {
  const { default: express } = await import(name)
  const { verifyWebhook } = await import('hookgate/express')
  const app = express()
  const raw = express.raw({ type: 'application/json' })
  const answer = (status, response) => response.status(status).json({ received: true })
  const routes = {
    bare: [raw, (_, response) => answer(200, response)],
    floor: [
      (request, response, next) =>
        readBody(request, (body) => (verdictOf(request, body) === 200 ? next() : answer(401, response))),
      (_, response) => answer(200, response),
    ],
    'floor behind express.raw': [
      raw,
      (request, response) => answer(verdictOf(request, request.body), response),
    ],
    hookgate: [verifyWebhook(listener), (_, response) => answer(200, response)],
    stack: [raw, (request, response) => answer(stack(request.body, request.headers), response)],
  }
  app.post('/hook', ...routes[variant])
  return app
}

async function fastifyApp() {
  const { default: Fastify } = await import('fastify')
  const { verifyWebhook } = await import('hookgate/fastify')
  let handler
  const serverFactory = (handle) => {
    handler = handle
    return createServer(handle)
  }
  const app = Fastify({ serverFactory })
  const received = { received: true }
  const routes = {
    bare: async () => received,
    floor: async (request, reply) => {
      if (verdictOf(request, request.body) !== 200) reply.code(401)
      return received
    },
    hookgate: async () => received,
    stack: async (request, reply) => {
      if (stack(request.body, request.headers) !== 200) reply.code(409)
      return received
    },
  }
  await app.register(async (scope) => {
    if (variant === 'hookgate') await scope.register(verifyWebhook, { listener })
    else
      scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_, body, done) =>
        done(null, body),
      )
    scope.post('/hook', routes[variant])
  })
  await app.ready()
  return handler
}

async function honoApp() {
  const { Hono } = await import('hono')
  const { jwk } = await import('hono/jwk')
  const { verifyWebhook } = await import('hookgate/hono')
  const app = new Hono()
  const received = { received: true }
  const sourceIp = (c) => c.env.incoming.socket.remoteAddress
  const routes = {
    bare: [async (c) => c.json(received, (await c.req.arrayBuffer()) ? 200 : 500)],
    floor: [async (c) => c.json(received, verdictOf(c.env.incoming, await bodyLater(c.env.incoming)))],
    hookgate: [verifyWebhook(listener, { sourceIp }), (c) => c.json(received)],
    stack: [async (c) => c.json(received, stack(Buffer.from(await c.req.arrayBuffer()), c.req.header()))],
    'hono jwk + lru-cache': key && [
      jwk({ keys: key.jwks.keys, alg: [key.algorithm] }),
      async (c) => {
        await c.req.json()
        return c.json(received, remember(c.get('jwtPayload').jti))
      },
    ],
  }
  app.post('/hook', ...routes[variant])
  return getRequestListener(app.fetch)
}

/** The fetch handler alone, on Node's server. */
async function webApp() {
  const { webhookHandler } = await import('hookgate/web')
  const handle = webhookHandler(listener, () => Response.json({ received: true }))
  return getRequestListener((request, { incoming }) =>
    handle(request, { sourceIp: incoming.socket.remoteAddress }),
  )
}

const APPS = {
  'Express 5': () => expressApp('express'),
  'Express 4': () => expressApp('express4'),
  Fastify: fastifyApp,
  Hono: honoApp,
  'hookgate/web': webApp,
}

const server = createServer(await APPS[framework]())
server.keepAliveTimeout = 600_000
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
process.on('message', (asked) =>
  process.send(asked === 'memory' ? { bytes: bytesInUse() } : { cpu: process.cpuUsage() }),
)

async function makeRoom(records) {
  const keyOfRecord = (serial) => ({ listenerId: 'bench', eventId: `${serial}` })
  for (let serial = 0; serial < records; serial += 1) await store.claim(keyOfRecord(serial), 'room', 60_000)
  for (let serial = 0; serial < records; serial += 1) await store.release(keyOfRecord(serial), 'room')
}

function bytesInUse() {
  for (let turn = 0; turn < 4; turn += 1) globalThis.gc()
  const { heapUsed, external } = process.memoryUsage() // external counts array buffers too
  return heapUsed + external
}
process.on('disconnect', () => process.exit())
