import type { RequestListener } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import express from 'express'
import express4 from 'express4'
import Fastify from 'fastify'
import { Hono } from 'hono'
import { onTestFinished } from 'vitest'
import { verifyWebhook as onExpress, webhookOf } from '../../adapters/express.ts'
import { verifyWebhook as onFastify } from '../../adapters/fastify.ts'
import { verifyWebhook as onHono } from '../../adapters/hono.ts'
import type { Listener, WebhookEvent } from '../../src/index.ts'

/** Resolves with the status of the response. */
type Handle = (event: WebhookEvent) => Promise<number>

type Mount = (listener: Listener, handle: Handle) => RequestListener | Promise<RequestListener>

const onExpressOf =
  (create: typeof express): Mount =>
  (listener, handle) =>
    create().post('/hook', onExpress(listener), (request, response, next) => {
      handle(webhookOf(request)).then((status) => response.status(status).end(), next)
    })

const onNodeHttp: Mount = (listener, handle) => {
  const verify = onExpress(listener)
  return (request, response) =>
    verify(request, response, () => {
      handle(webhookOf(request)).then(
        (status) => response.writeHead(status).end(),
        () => response.writeHead(500).end(),
      )
    })
}

const onFastifyRouting: Mount = async (listener, handle) => {
  const app = Fastify()
  onTestFinished(() => app.close())
  app.register(async (scope) => {
    await scope.register(onFastify, { listener })
    scope.post('/hook', async (request, reply) => reply.code(await handle(webhookOf(request))).send(''))
  })
  await app.ready()
  return app.routing as RequestListener // the same function under Fastify's own types
}

const onHonoListener: Mount = (listener, handle) =>
  getRequestListener(
    new Hono().post('/hook', onHono(listener), async (c) => c.body('', (await handle(c.var.webhook)) as 200))
      .fetch,
  )

/** Every way to mount `verifyWebhook` on a Node request and response, on any server or host. */
export const MOUNTED: { readonly [name: string]: Mount } = {
  'Express 4': onExpressOf(express4),
  'Express 5': onExpressOf(express),
  'Fastify 5': onFastifyRouting,
  'Hono on Node': onHonoListener,
  'node:http': onNodeHttp,
}
