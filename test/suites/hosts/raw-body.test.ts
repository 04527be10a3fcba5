import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { Elysia } from 'elysia'
import { H3, toNodeHandler } from 'h3'
import * as h3 from 'h3-1'
import { generateSecret } from 'hookgate'
import { verifyWebhook } from 'hookgate/express'
import { stripe } from 'hookgate/schemes/stripe'
import { signAs } from 'hookgate/testing'
import { callNodeRequestHandler } from 'node-mock-http'
import { createStaticHandler } from 'react-router'
import { describe, expect, it, onTestFinished, vi } from 'vitest'

const SECRET = generateSecret()
vi.stubEnv('STRIPE_WEBHOOK_SECRET', SECRET)
vi.spyOn(console, 'log').mockImplementation(() => {})
const { handle } = await import('./handle.ts')

/** Remembers why the program failed, and lets it fail. */
const failed: unknown[] = []
const toldBy = (request: Request) =>
  handle(request).catch((error: unknown) => {
    failed.push(error)
    throw error
  })

const readFirst = async (request: Request) => {
  await request.text()
  return toldBy(request)
}

const readsBody = ({ body }: { readonly body: unknown }) => void body
const onWeb = (
  fetch: (request: Request) => Response | Promise<Response>,
) => getRequestListener(fetch)

async function onNuxt(): Promise<RequestListener> {
  const { listener } = await import('./listener.ts')
  const onRequest = h3.fromNodeMiddleware(verifyWebhook(listener))
  const app = h3.createApp({
    onError: (error) => void failed.push(error.cause),
  })
  app.use(
    h3.defineEventHandler(
      async (event) => void (await h3.readBody(event)),
    ),
  )
  app.use(h3.defineEventHandler({ onRequest, handler: () => 'done' }))
  return h3.toNodeListener(app)
}

/** Programs in which something reads the body before hookgate can. */
const TOO_LATE: {
  readonly [name: string]: () =>
    | RequestListener
    | Promise<RequestListener>
} = {
  'h3, in whose handler something else has read the body': () =>
    toNodeHandler(
      new H3({ silent: true }).post('/webhooks/stripe', ({ req }) =>
        readFirst(req),
      ),
    ),
  'React Router, whose action has read the body': () => {
    const action = ({ request }: { readonly request: Request }) =>
      readFirst(request)
    const { queryRoute } = createStaticHandler([
      { path: '/webhooks/stripe', action },
    ])
    return onWeb((request) => queryRoute(request))
  },
  'Nuxt, whose middleware has read the body': onNuxt,
  "Elysia without parse: 'none', where a hook reads the body": () =>
    onWeb(
      new Elysia()
        .onBeforeHandle(readsBody)
        .post('/webhooks/stripe', ({ request }) => toldBy(request))
        .fetch,
    ),
}

const signed = () =>
  signAs(stripe, {
    secret: SECRET,
    body: { id: `evt_${crypto.randomUUID()}`, type: 'invoice.paid' },
  })

/** The status of a signed delivery. */
async function statusOf(listener: RequestListener): Promise<number> {
  const server = createServer(listener)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo // it listens on a port
  return (
    await fetch(
      `http://127.0.0.1:${port}/webhooks/stripe`,
      await signed(),
    )
  ).status
}

describe('a body that something else reads', () => {
  it.each(Object.entries(TOO_LATE))(
    'the body is gone in %s, and the error says so',
    async (_, program) => {
      vi.spyOn(console, 'error').mockImplementation(() => {})
      failed.length = 0
      expect(await statusOf(await program())).toBe(500)
      expect(failed.join()).toContain('was read before hookgate could')
    },
  )

  it('the body is read by Nitro where there is no Node server, and toWebRequest has its bytes', async () => {
    failed.length = 0
    const app = h3
      .createApp()
      .use(
        h3.defineEventHandler((event) =>
          toldBy(h3.toWebRequest(event)),
        ),
      )
    const { method, headers, body } = await signed()
    const given = {
      method,
      headers: { ...headers },
      body: String(body),
    }
    // As the presets for Netlify and AWS Lambda do.
    const listener = h3.toNodeListener(app) as never // its types of Node's requests are its own
    const answer = await callNodeRequestHandler(listener, {
      url: '/webhooks/stripe',
      ...given,
    })
    expect([answer.status, failed]).toEqual([200, []])
  })
})
