// A program of `on-stop.test.ts`: an endpoint on the host that it is told, which stops in order. Plain JavaScript, because Node 20 runs
// nothing else.
import { createServer } from 'node:http'
import { createServer as createHttp2Server } from 'node:http2'
import { setTimeout as pause } from 'node:timers/promises'
import { serve } from '@hono/node-server'
import express from 'express'
import Fastify from 'fastify'
import { Hono } from 'hono'
import { defineListener, hmac } from 'hookgate'
import { verifyWebhook as onExpress } from 'hookgate/express'
import { verifyWebhook as onFastify } from 'hookgate/fastify'
import { verifyWebhook as onHono } from 'hookgate/hono'
import { onStop } from 'hookgate/stop'
import { memoryStore } from 'hookgate/stores/memory'

const { host, secret, drainMs, hangs } = JSON.parse(process.argv[2] ?? '{}')
const listener = defineListener({ id: 'stopping', auth: hmac({ secrets: secret }), store: memoryStore() })
const say = (line) => process.send(line)
/** What a handler does: it takes a moment, or hangs. */
const work = () => (hangs ? new Promise(() => {}) : pause(Math.random() * 4))

const verify = onExpress(listener)
const onNode = (request, response) =>
  verify(request, response, async (error) => {
    say({ handling: true })
    if (!error) await work()
    response.writeHead(error ? 500 : 200).end()
  })

const HOSTS = {
  async express() {
    const app = express()
    app.post('/hook', verify, async (_request, response) => {
      say({ handling: true })
      await work()
      response.sendStatus(200)
    })
    return app.listen(0, '127.0.0.1')
  },
  async fastify() {
    const app = Fastify()
    app.register(async (scope) => {
      await scope.register(onFastify, { listener })
      scope.post('/hook', async () => {
        say({ handling: true })
        await work()
        return 'ok'
      })
    })
    await app.listen({ port: 0, host: '127.0.0.1' })
    closeMore = () => app.close()
    return app.server
  },
  async hono() {
    const app = new Hono().post('/hook', onHono(listener), async (c) => {
      say({ handling: true })
      await work()
      return c.text('ok')
    })
    return serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' })
  },
  http: async () => createServer(onNode).listen(0, '127.0.0.1'),
  http2: async () => createHttp2Server(onNode).listen(0, '127.0.0.1'),
}

let closeMore = async () => {}
const server = await HOSTS[host]()
if (!server.listening) await new Promise((resolve) => server.once('listening', resolve))
onStop(
  server,
  async () => {
    await closeMore()
    say({
      ended: true,
      connections: await new Promise((resolve) => server.getConnections((_, n) => resolve(n))),
    })
    process.disconnect()
  },
  { drainMs },
)
say({ port: server.address().port })
