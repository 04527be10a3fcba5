import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import rateLimit from '@fastify/rate-limit'
import { getRequestListener } from '@hono/node-server'
import { getConnInfo } from '@hono/node-server/conninfo'
import express from 'express'
import { rateLimit as expressLimit } from 'express-rate-limit'
import Fastify from 'fastify'
import { Hono } from 'hono'
import { rateLimiter } from 'hono-rate-limiter'
import { generateSecret } from 'hookgate'
import { verifyWebhook, webhookOf } from 'hookgate/express'
import { verifyWebhook as verifyWebhookFastify } from 'hookgate/fastify'
import { verifyWebhook as verifyWebhookHono } from 'hookgate/hono'
import { stripe } from 'hookgate/schemes/stripe'
import { type SignedRequest, signAs } from 'hookgate/testing'
import {
  beforeEach,
  describe,
  expect,
  it,
  onTestFinished,
  vi,
} from 'vitest'

const SECRET = generateSecret()

/** What the programs allow per minute. */
const LIMIT = 100
const MINUTE_MS = 60_000
const LIMITER = { windowMs: MINUTE_MS, limit: LIMIT }

type Send = (request: SignedRequest) => Promise<number>

async function served(listener: RequestListener): Promise<Send> {
  const server = createServer(listener)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo // it listens on a port
  return async (request) =>
    (await fetch(`http://127.0.0.1:${port}/webhooks/stripe`, request))
      .status
}

async function listening(app: {
  listen(options: { port: number; host: string }): Promise<string>
}) {
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  return async (request: SignedRequest) =>
    (await fetch(`${url}/webhooks/stripe`, request)).status
}

const listener = async () => (await import('./listener.ts')).listener
const handle = ({ id }: { readonly id: string }) => console.log(id)

/** The programs of docs/frameworks/express.md, fastify.md and hono.md. */
const IN_FRONT: { readonly [name: string]: () => Promise<Send> } = {
  'limited-express.ts': async () =>
    served((await import('./limited-express.ts')).app),
  'limited-fastify.ts': async () => {
    const { app } = await import('./limited-fastify.ts')
    onTestFinished(() => app.close())
    return listening(app)
  },
  'limited-hono.ts': async () =>
    served(
      getRequestListener((await import('./limited-hono.ts')).app.fetch),
    ),
}

const BEHIND: { readonly [name: string]: () => Promise<Send> } = {
  'express-rate-limit between verifyWebhook and the handler':
    async () => {
      const app = express()
      app.post(
        '/webhooks/stripe',
        verifyWebhook(await listener()),
        expressLimit(LIMITER),
        (req, res) => {
          handle(webhookOf(req))
          res.json({})
        },
      )
      return served(app)
    },
  '@fastify/rate-limit, registered for all routes': async () => {
    const app = Fastify()
    onTestFinished(() => app.close())
    await app.register(rateLimit, { max: LIMIT, timeWindow: MINUTE_MS })
    app.register(async (scope) => {
      await scope.register(verifyWebhookFastify, {
        listener: await listener(),
      })
      scope.post('/webhooks/stripe', async (request) =>
        handle(webhookOf(request)),
      )
    })
    return listening(app)
  },
  'hono-rate-limiter between verifyWebhook and the handler':
    async () => {
      const app = new Hono()
      const limiter = rateLimiter({
        ...LIMITER,
        keyGenerator: (c) => getConnInfo(c).remote.address ?? '',
      })
      app.post(
        '/webhooks/stripe',
        verifyWebhookHono(await listener()),
        limiter,
        (c) => {
          handle(c.var.webhook)
          return c.json({})
        },
      )
      return served(getRequestListener(app.fetch))
    },
}

beforeEach(() => {
  vi.resetModules() // gives each test its own store and limiter
  vi.stubEnv('STRIPE_WEBHOOK_SECRET', SECRET)
  vi.useFakeTimers({
    toFake: ['Date', 'setInterval', 'clearInterval'],
    now: Date.now(),
  }) // the clock of the limiters
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  return () => {
    log.mockRestore()
    warn.mockRestore()
    vi.useRealTimers()
  }
})

const signed = () =>
  signAs(stripe, {
    secret: SECRET,
    body: { id: `evt_${crypto.randomUUID()}` },
  })

async function sendAll(
  send: Send,
  requests: readonly SignedRequest[],
): Promise<number[]> {
  const statuses: number[] = []
  for (const request of requests) statuses.push(await send(request))
  return statuses
}

const times = <T>(count: number, value: T): T[] =>
  Array.from({ length: count }, () => value)
const someSigned = (count: number) =>
  Promise.all(times(count, undefined).map(signed))

/** Uses up the limit. Five events get 429, and their sender retries when the window is over. */
async function expectNoneLost(send: Send): Promise<void> {
  expect(await sendAll(send, await someSigned(LIMIT))).toEqual(
    times(LIMIT, 200),
  )
  const refused = await someSigned(5)
  expect(await sendAll(send, refused)).toEqual(times(5, 429))
  expect(console.log).toHaveBeenCalledTimes(LIMIT)
  vi.advanceTimersByTime(MINUTE_MS)
  expect(await sendAll(send, refused)).toEqual(times(5, 200))
  expect(console.log).toHaveBeenCalledTimes(LIMIT + 5)
}

describe.each(Object.entries(IN_FRONT))(
  'the limit in front of verifyWebhook in %s',
  (name, start) => {
    it('no event is lost of five that the limit answers 429', async () => {
      await expectNoneLost(await start())
    })

    it('forged deliveries count, too', async () => {
      const send = await start()
      const forged = { ...(await signed()), body: '{}' }
      expect(await sendAll(send, times(LIMIT + 1, forged))).toEqual([
        ...times(LIMIT, 401),
        429,
      ])
    })

    it('the page shows the limit to the letter', () => {
      const framework = name.replace(/^limited-|\.ts$/g, '')
      const page = readFileSync(
        new URL(
          `../../../docs/frameworks/${framework}.md`,
          import.meta.url,
        ),
        'utf8',
      )
      expect(page).toContain(
        readFileSync(new URL(name, import.meta.url), 'utf8').trim(),
      )
    })
  },
)

describe.each(Object.entries(BEHIND))('%s', (_, start) => {
  it('no event is lost of five that the limit answers 429', async () => {
    await expectNoneLost(await start())
  })
})
