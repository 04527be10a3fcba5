import type { Server } from 'node:http'
import { serve as serveHono } from '@hono/node-server'
import Fastify from 'fastify'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { verifyWebhook as onFastify } from '../../adapters/fastify.ts'
import { verifyWebhook as onHono } from '../../adapters/hono.ts'
import type { Listener } from '../../src/index.ts'
import { RawConnection, toBytes } from '../support/raw-http.ts'
import { hmacEndpoint } from '../support/sender.ts'

type Handle = () => Promise<string>

interface Stoppable {
  readonly port: number
  stop(): Promise<unknown>
}

async function fastify(listener: Listener, handle: Handle): Promise<Stoppable> {
  const app = Fastify()
  app.register(async (scope) => {
    await scope.register(onFastify, { listener })
    scope.post('/hook', handle)
  })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  return { port: Number(new URL(url).port), stop: () => app.close() }
}

async function hono(listener: Listener, handle: Handle): Promise<Stoppable> {
  const app = new Hono().post('/hook', onHono(listener), async (c) => c.text(await handle()))
  return new Promise((resolve) => {
    const server = serveHono({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
      resolve({ port, stop: () => new Promise((stopped) => (server as Server).close(stopped)) }),
    )
  })
}

describe('a server that is closed as docs/operating.md says', () => {
  it.each([
    ['Fastify', fastify],
    ['Hono', hono],
  ])('a server answers and commits the deliveries in flight (%s)', async (_, start) => {
    const { listener, request, verdicts, calls } = hmacEndpoint()
    let finish = () => {}
    const finished = new Promise<void>((resolve) => {
      finish = resolve
    })
    const server = await start(listener, () => finished.then(() => 'done'))
    const connection = new RawConnection({ port: server.port, host: '127.0.0.1' })
    await connection.write(toBytes(await request()))
    await verdicts.has('accepted')

    const stopped = server.stop()
    finish()
    expect((await connection.reply())?.status).toBe(200)
    connection.finish() // as senders do when they are done
    await stopped
    expect(calls.entries.map((call) => call.split(' ')[0])).toEqual(['claim', 'commit'])
  })
})
