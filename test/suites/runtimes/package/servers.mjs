/** The package behind real sockets: each framework on this runtime, and the runtime's own server. */
import { createServer } from 'node:http'
import { serve } from '@hono/node-server'
import express from 'express'
import Fastify from 'fastify'
import { verifyWebhook as onExpress } from 'hookgate/express'
import { verifyWebhook as onFastify } from 'hookgate/fastify'
import { checkEndpoint, hmacListener, honoApp, webHandler } from './cases.mjs'

const PATH = '/webhooks/orders'
const LOCAL = { port: 0, hostname: '127.0.0.1' }

/** Tests the server on this port, and closes it. */
async function check(port, close) {
  try {
    await checkEndpoint((request) => fetch(`http://127.0.0.1:${port}${PATH}`, request))
  } finally {
    await close()
  }
}

const listening = (server) =>
  new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address().port)))

const closing = (server) => () => {
  server.closeAllConnections?.()
  server.close()
}

async function onNodeServer(app) {
  const server = createServer(app)
  await check(await listening(server), closing(server))
}

function fetchServers(fetch) {
  if ('Bun' in globalThis) {
    return async () => {
      const server = Bun.serve({ ...LOCAL, fetch: (request) => fetch(request) })
      await check(server.port, () => server.stop(true))
    }
  }
  if ('Deno' in globalThis) {
    return async () => {
      const server = Deno.serve({ ...LOCAL, onListen: () => {} }, (request) => fetch(request))
      await check(server.addr.port, () => server.shutdown())
    }
  }
  return async () => {
    let server
    const port = await new Promise((resolve) => {
      server = serve({ ...LOCAL, fetch: (request) => fetch(request) }, (address) => resolve(address.port))
    })
    await check(port, closing(server))
  }
}

export const servers = {
  'Express over a socket': () => {
    const app = express()
    app.post(PATH, onExpress(hmacListener()), (request, response) =>
      response.json({ received: request.webhook.id }),
    )
    return onNodeServer(app)
  },
  'Fastify over a socket': async () => {
    const app = Fastify()
    app.register(async (scope) => {
      await scope.register(onFastify, { listener: hmacListener() })
      scope.post(PATH, async (request) => ({ received: request.webhook.id }))
    })
    await app.listen({ port: 0, host: '127.0.0.1' })
    await check(app.server.address().port, () => app.close())
  },
  'node:http over a socket': () => {
    const guard = onExpress(hmacListener())
    return onNodeServer((request, response) => guard(request, response, () => response.end('{}')))
  },
  'Hono over a socket': fetchServers(honoApp().fetch),
  'hookgate/web over a socket': fetchServers(webHandler()),
}
