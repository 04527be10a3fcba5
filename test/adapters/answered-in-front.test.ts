import type { RequestListener } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import express from 'express'
import express4 from 'express4'
import Fastify from 'fastify'
import { Hono, type MiddlewareHandler } from 'hono'
import { describe, expect, it, onTestFinished } from 'vitest'
import { verifyWebhook as onExpress } from '../../adapters/express.ts'
import { verifyWebhook as onFastify } from '../../adapters/fastify.ts'
import { verifyWebhook as onHono } from '../../adapters/hono.ts'
import type { Listener } from '../../src/index.ts'
import { Log } from '../support/log.ts'
import { monotonicTime } from '../support/monotonic-time.ts'
import { exchange, toBytes } from '../support/raw-http.ts'
import { type Endpoint, hmacEndpoint } from '../support/sender.ts'
import { serve } from '../support/servers.ts'

const LEASE_SECONDS = 60

/** All but renewals. */
const verbs = ({ calls }: Endpoint) =>
  calls.entries.map((call) => call.split(' ')[0]).filter((verb) => verb !== 'renew')

const renewals = ({ calls }: Endpoint) => calls.entries.filter((call) => call.startsWith('renew '))

/** Lets the handler start before something in front of it answers, as a timeout does. */
const wait = () => new Promise<void>((resolve) => setTimeout(resolve, 20))
const never = () => new Promise<never>(() => {})

const notWaiting: MiddlewareHandler = async (c, next) => {
  void next()
  await wait()
  return c.json({ queued: true }, 202)
}

const racing =
  (status: 202 | 504): MiddlewareHandler =>
  (c, next) =>
    Promise.race([next(), wait().then(() => c.body(null, status))])

/** A Hono app whose handler runs behind the middleware. */
async function onHonoBehind(middleware: MiddlewareHandler, handle: () => Promise<void>) {
  const endpoint = hmacEndpoint({ leaseSeconds: LEASE_SECONDS, maxRunSeconds: LEASE_SECONDS })
  const app = new Hono()
  app.post('/hook', middleware, onHono(endpoint.listener), async (c) => {
    await handle()
    return c.text('done')
  })
  const { address } = await serve(getRequestListener(app.fetch))
  return {
    endpoint,
    send: async () => (await exchange(address, toBytes(await endpoint.request())))?.status,
  }
}

describe('Hono on Node, if something in front answers while the handler runs', () => {
  it.each([
    ['without waiting', 202, notWaiting],
    ['in a race', 202, racing(202)],
    ['in a race', 504, racing(504)],
  ])('%s, %i: tells onError after maxRunSeconds', async (_how, status, middleware) => {
    const time = monotonicTime()
    const { endpoint, send } = await onHonoBehind(middleware, never)
    expect(await send()).toBe(status)
    time.pass(LEASE_SECONDS * 0.6)
    await expect.poll(() => renewals(endpoint)).toHaveLength(1)
    time.pass(LEASE_SECONDS * 0.6)
    await endpoint.failures.reaches(1)
    expect(endpoint.failures.entries.map(String)).toEqual([
      'LeaseLostError: the handler ran longer than maxRunSeconds (60), and the next delivery of this event may run',
    ])
    expect(verbs(endpoint)).toEqual(['claim'])
  })

  it.each([202, 504] as const)(
    '%i: holds the lease until the handler ends, and commits its 200',
    async (status) => {
      const time = monotonicTime()
      const opened = new Log<string>()
      const handlers = [() => opened.has('opened'), never]
      const { endpoint, send } = await onHonoBehind(racing(status), async () => handlers.shift()?.())
      expect(await send()).toBe(status)
      expect(verbs(endpoint)).toEqual(['claim'])
      opened.add('opened')
      await expect.poll(() => verbs(endpoint)).toHaveLength(2)
      expect(await send()).toBe(status)
      time.pass(LEASE_SECONDS * 0.6)
      await expect.poll(() => renewals(endpoint)).toHaveLength(1) // only that of the second
      time.pass(LEASE_SECONDS * 0.6)
      await endpoint.failures.reaches(1) // One sweep looks at both.
      expect(endpoint.failures.entries).toHaveLength(1)
      expect(verbs(endpoint)).toEqual(['claim', 'commit', 'claim'])
    },
  )
})

const onExpressBehind = (create: typeof express) => (listener: Listener) =>
  create().post(
    '/hook',
    (_request, response, next) => {
      wait().then(() => response.status(202).end())
      next()
    },
    onExpress(listener),
    () => {},
  )

async function onFastifyBehind(listener: Listener): Promise<RequestListener> {
  const app = Fastify()
  onTestFinished(() => app.close())
  app.addHook('onRequest', async (_request, reply) => {
    wait().then(() => reply.code(202).send())
  })
  app.register(async (scope) => {
    await scope.register(onFastify, { listener })
    scope.post('/hook', never)
  })
  await app.ready()
  return app.routing as RequestListener // the same function under Fastify's own types
}

it.each([
  ['Express 4', onExpressBehind(express4)],
  ['Express 5', onExpressBehind(express)],
  ['Fastify 5', onFastifyBehind],
])('%s commits at a 202 from in front, because it cannot see when the handler ends', async (_, mount) => {
  const endpoint = hmacEndpoint()
  const { address } = await serve(await mount(endpoint.listener))
  expect((await exchange(address, toBytes(await endpoint.request())))?.status).toBe(202)
  await endpoint.calls.reaches(2)
  expect(verbs(endpoint)).toEqual(['claim', 'commit'])
})
