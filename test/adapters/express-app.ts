import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express'
import express4 from 'express4'
import { expect } from 'vitest'
import { verifyWebhook, webhookOf } from '../../adapters/express.ts'
import { ListenerConfigError, type WebhookEvent } from '../../src/index.ts'
import { exchange, type RawRequest, toBytes } from '../support/raw-http.ts'
import { hmacEndpoint } from '../support/sender.ts'
import { serve } from '../support/servers.ts'

export const FRAMEWORKS: readonly (readonly [string, typeof express])[] = [
  ['Express 4', express4],
  ['Express 5', express],
]

/** Builds an app around the guarded route, and sends requests to it. */
export async function running(create: typeof express, build: (app: Express) => void) {
  const app = create()
  const errors: unknown[] = []
  build(app)
  const onError: ErrorRequestHandler = (error, _request, response, _next) => {
    errors.push(error)
    response.status(500).end()
  }
  app.use(onError)
  const { address } = await serve(app)
  return {
    errors,
    send: async (request: RawRequest) => (await exchange(address, toBytes(request)))?.status,
  }
}

/** A handler that keeps the events and bodies it gets. */
export function keeper() {
  const events: WebhookEvent[] = []
  const bodies: unknown[] = []
  const handler: RequestHandler = (request, response) => {
    events.push(webhookOf(request))
    bodies.push(request.body)
    response.sendStatus(200)
  }
  return { events, bodies, handler }
}

/** Bytes that would change if they were parsed and serialised again. */
export const BODY = '{ "b":1.0, "a":"\\u00e9" }'

/** Sends one request to a guarded route behind these middlewares, and returns what its handler got. */
export async function behind(
  create: typeof express,
  before: readonly RequestHandler[],
  endpoint = hmacEndpoint(),
) {
  const { events, bodies, handler } = keeper()
  const { errors, send } = await running(create, (app) => {
    app.post('/hook', ...before, verifyWebhook(endpoint.listener), handler)
  })
  const status = await send(await endpoint.request({ body: BODY }))
  return { status, errors, events, bodies, endpoint }
}

export function expectMistake(
  { status, errors, events, endpoint }: Awaited<ReturnType<typeof behind>>,
  fix: RegExp,
) {
  expect(status).toBe(500)
  expect(errors).toEqual([expect.any(ListenerConfigError)])
  expect(String(errors[0])).toMatch(
    /^ListenerConfigError: body: was read before hookgate could, and its exact bytes are gone: /,
  )
  expect(String(errors[0])).toMatch(fix)
  expect(events).toEqual([])
  expect(endpoint.calls.entries).toEqual([])
}
