import type { IncomingMessage, RequestListener } from 'node:http'

import { getRequestListener } from '@hono/node-server'
import express from 'express'
import express4 from 'express4'
import Fastify from 'fastify'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { verifyWebhook as onExpress, webhookOf } from '../../adapters/express.ts'
import { verifyWebhook as onFastify } from '../../adapters/fastify.ts'
import { verifyWebhook as onHono } from '../../adapters/hono.ts'
import type { Listener, WebhookEvent } from '../../src/index.ts'
import type { KeySet } from '../../src/jwt.ts'
import { exchange, toBytes } from '../support/raw-http.ts'
import { jwtEndpoint, sentHeader } from '../support/sender.ts'
import { serve } from '../support/servers.ts'

type Keep = (event: WebhookEvent) => void

function expressApp(create: typeof express) {
  return async (listener: Listener, keep: Keep): Promise<RequestListener> => {
    const app = create()
    app.post('/hook', onExpress(listener), (request, response) => {
      keep(webhookOf(request))
      response.sendStatus(200)
    })
    return app
  }
}

async function fastifyApp(listener: Listener, keep: Keep): Promise<RequestListener> {
  const app = Fastify()
  app.register(async (scope) => {
    await scope.register(onFastify, { listener })
    scope.post('/hook', async (request) => keep(webhookOf(request)))
  })
  await app.ready()
  return (request, response) => app.routing(request, response)
}

async function honoApp(listener: Listener, keep: Keep): Promise<RequestListener> {
  const app = new Hono()
  app.post('/hook', onHono(listener), (c) => {
    keep(c.var.webhook)
    return c.text('ok')
  })
  return getRequestListener(app.fetch)
}

const APPS = [
  ['Express 4', expressApp(express4)],
  ['Express 5', expressApp(express)],
  ['Fastify 5', fastifyApp],
  ['Hono on Node', honoApp],
] as const

const OTHER_ID = '11111111-1111-4111-8111-111111111111'

/** Changes that a later middleware or a host may make to a request while its keys are being fetched. */
function tamperWith(request: IncomingMessage): void {
  request.method = 'PUT'
  request.url = '/elsewhere'
  for (const [index, value] of request.rawHeaders.entries()) {
    if (index % 2 === 1) request.rawHeaders[index] = value.length === 36 ? OTHER_ID : 'tampered'
  }
  Object.assign(request.headers, {
    'webhook-event-id': OTHER_ID,
    'webhook-timestamp': '0',
    authorization: '',
  })
  Object.assign(request, {
    body: Buffer.from('{"tampered":true}'),
    rawBody: Buffer.from('{"tampered":true}'),
  })
}

describe.each(APPS)('a request that is changed while it is verified, on %s', (_, build) => {
  it('P05 is judged as it was, and handed on as it was', async () => {
    let current: IncomingMessage | undefined
    const slowly = (keys: KeySet): KeySet => ({
      async find(...wanted) {
        if (current) tamperWith(current)
        await new Promise((resolve) => setImmediate(resolve))
        return keys.find(...wanted)
      },
    })
    const endpoint = await jwtEndpoint({}, slowly)
    const events: WebhookEvent[] = []
    const app = await build(endpoint.listener, (event) => events.push(event))
    const { address } = await serve((request, response) => {
      current = request
      app(request, response)
    })
    const sent = await endpoint.request()
    const eventId = sentHeader(sent, 'webhook-event-id')
    expect((await exchange(address, toBytes(sent)))?.status).toBe(200)
    expect(current?.headers['webhook-event-id']).toBe(OTHER_ID)
    expect(events).toMatchObject([{ id: eventId, payload: { a: 1 }, auth: { claims: { jti: eventId } } }])
    expect(Buffer.from(events[0]?.rawBody ?? []).toString()).toBe('{"a":1}')
    await endpoint.calls.reaches(2)
    expect(endpoint.calls.entries).toEqual([`claim ${eventId}`, `commit ${eventId}`])
  })
})
