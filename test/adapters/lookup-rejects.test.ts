import type { RequestListener } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import express from 'express'
import express4 from 'express4'
import Fastify from 'fastify'
import { Hono } from 'hono'
import { describe, expect, it, onTestFinished } from 'vitest'
import { verifyWebhook as onExpress } from '../../adapters/express.ts'
import { verifyWebhook as onFastify } from '../../adapters/fastify.ts'
import { verifyWebhook as onHono } from '../../adapters/hono.ts'
import { webhookHandler } from '../../adapters/web.ts'
import { exchange, toBytes } from '../support/raw-http.ts'
import { hmacEndpoint } from '../support/sender.ts'
import { serve } from '../support/servers.ts'

type Lookup = () => Promise<undefined>
type Mount = (lookup: Lookup, run: () => string) => RequestListener | Promise<RequestListener>

const onExpressOf =
  (create: typeof express): Mount =>
  (lookup, run) =>
    create()
      .set('env', 'test') // does not log the error
      .post('/hook', onExpress(lookup), (_request, response) => void response.send(run()))
      .use((_request, response) => void response.send(run()))

const MOUNTS: { readonly [name: string]: Mount } = {
  'Express 4': onExpressOf(express4),
  'Express 5': onExpressOf(express),
  'node:http': (lookup, run) => {
    const verify = onExpress(lookup)
    return (request, response) =>
      verify(request, response, (error) => {
        response.statusCode = error ? 500 : 200
        response.end(error ? '' : run())
      })
  },
  'Fastify 5': async (lookup, run) => {
    const app = Fastify()
    onTestFinished(() => app.close())
    app.register(async (scope) => {
      await scope.register(onFastify, { listener: lookup })
      scope.addHook('preValidation', async () => void run())
      scope.post('/hook', run)
    })
    await app.ready()
    return app.routing as RequestListener // the same function under Fastify's own types
  },
  'Hono on Node': (lookup, run) =>
    getRequestListener(new Hono().post('/hook', onHono(lookup), (c) => c.text(run())).fetch),
  'web on Node': (lookup, run) => {
    const handle = webhookHandler(lookup, () => void run())
    return getRequestListener((request) => handle(request))
  },
}

describe.each(Object.entries(MOUNTS))('a lookup on %s', (_name, mount) => {
  it.each([undefined, null, 0, '', false, Number.NaN, 'route', 'router'])(
    'a lookup that rejects with %o runs nothing',
    async (reason) => {
      let runs = 0
      const run = () => {
        runs += 1
        return 'run'
      }
      const { address } = await serve(await mount(() => Promise.reject(reason), run))
      const request = toBytes(await hmacEndpoint().request())
      expect([(await exchange(address, request))?.status, runs]).toEqual([500, 0])
    },
  )
})
