import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http2'
import type { AddressInfo, Server } from 'node:net'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createAdaptorServer } from '@hono/node-server'
import Fastify from 'fastify'
import { Hono } from 'hono'
import { describe, expect, it, onTestFinished } from 'vitest'
import { verifyWebhook } from '../../adapters/express.ts'
import { verifyWebhook as verifyWebhookFastify } from '../../adapters/fastify.ts'
import { verifyWebhook as verifyWebhookHono } from '../../adapters/hono.ts'
import type { ReceiverOptions } from '../../adapters/kit/receiver.ts'
import type { Listener } from '../../src/index.ts'
import { hmacEndpoint } from '../support/sender.ts'

const SENDER = fileURLToPath(new URL('../support/http2-sender.mjs', import.meta.url))
const REFUSALS = 600
/** Each retained body takes at least 40 KB. */
const MOST_BYTES_KEPT = 15_000_000

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

function liveBytes(): number {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const atStart = liveBytes()

type Serve = (listener: Listener, options: ReceiverOptions) => Promise<string>

async function listening(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo // it listens on a port
  return `http://127.0.0.1:${port}`
}

const SERVERS: readonly (readonly [string, Serve])[] = [
  [
    'Fastify',
    async (listener, options) => {
      const app = Fastify({ http2: true })
      app.register(async (scope) => {
        await scope.register(verifyWebhookFastify, { listener, ...options })
        scope.post('/hook', async () => 'ok')
      })
      await app.ready()
      return listening(app.server)
    },
  ],
  [
    'a bare node:http2 server with hookgate/express',
    async (listener, options) => {
      const guard = verifyWebhook(listener, options)
      // The types only know HTTP/1, but Node's HTTP/2 requests have the same interface.
      return listening(
        createServer((request, response) => guard(request as never, response as never, () => response.end())),
      )
    },
  ],
  [
    'Hono',
    async (listener, options) => {
      const app = new Hono().post('/hook', verifyWebhookHono(listener, options), (c) => c.text('ok'))
      return listening(createAdaptorServer({ fetch: app.fetch, createServer }) as Server) // from node:http2
    },
  ],
]

/** The responses to hundreds of bodies on one session, which stays open until the test ends. */
async function refuse(url: string, bodyBytes: number): Promise<unknown> {
  const sender = fork(SENDER, [url, `${REFUSALS}`, `${bodyBytes}`])
  const exit = once(sender, 'exit')
  onTestFinished(async () => {
    sender.disconnect()
    await exit
  })
  const [answers] = await once(sender, 'message')
  return answers
}

describe.each(SERVERS)('over HTTP/2 on %s', (_, serve) => {
  it.each([
    ['too large', 70_000, { bodyTimeoutSeconds: 60 }, 'body_too_large'],
    ['never complete', 40_000, { bodyTimeoutSeconds: 0.4 }, 'body_incomplete'],
  ])('a server keeps no memory of hundreds of bodies that are %s', async (_, bodyBytes, options, code) => {
    const url = await serve(hmacEndpoint({ onVerdict: undefined }).listener, options)
    const answers = await refuse(url, bodyBytes)
    expect(answers).toEqual({ [`400 {"status":400,"title":"Bad Request","code":"${code}"}`]: REFUSALS })
    await expect.poll(() => liveBytes() - atStart).toBeLessThan(MOST_BYTES_KEPT)
  })
})
