import { type Context, Hono } from 'hono'
import { proxy } from 'hono/proxy'
import { cloneRawRequest } from 'hono/request'
import { describe, expect, it } from 'vitest'
import { verifyWebhook } from '../../adapters/hono.ts'
import { hmacEndpoint } from '../support/sender.ts'
import { serve } from '../support/servers.ts'
import { BEFORE, BODY, WAYS } from './hono-ways.ts'

describe.each(WAYS)("Hono's cloneRawRequest behind verifyWebhook %s", (_, send) => {
  it.each(BEFORE)('c.req.raw gives the exact bytes, twice, %s', async (_where, before) => {
    const { listener, request } = hmacEndpoint()
    const app = new Hono()
    for (const middleware of before) app.use(middleware)
    app.post('/hook', verifyWebhook(listener), async (c) => {
      const texts = [await cloneRawRequest(c.req), await cloneRawRequest(c.req)]
      return c.json(await Promise.all(texts.map((clone) => clone.text())))
    })
    const { body = '' } = await send(app, await request({ body: BODY }))
    expect(JSON.parse(body)).toEqual([BODY, BODY])
  })
})

describe.each(WAYS)("Hono's proxy behind verifyWebhook %s", (_, send) => {
  const looks = [
    ['proxy(url, c.req)', (url: string, { req }: Context) => proxy(url, req)],
    [
      'proxy(url, { ...c.req, headers })',
      (url: string, { req }: Context) =>
        proxy(url, { ...req, headers: { ...req.header(), host: undefined } }),
    ],
    ['proxy(url, c.req.raw)', (url: string, { req }: Context) => proxy(url, req.raw)],
  ] as const

  describe.each(BEFORE)('%s', (_where, before) => {
    it.each(looks)('%s sends the exact bytes on', async (_name, forward) => {
      const received: string[] = []
      const behind = await serve(async (incoming, outgoing) => {
        received.push(Buffer.concat(await incoming.toArray()).toString())
        outgoing.end('from behind')
      })
      const { listener, request, calls } = hmacEndpoint()
      const { host, port } = Object(behind.address)
      const app = new Hono()
      for (const middleware of before) app.use(middleware)
      app.post('/hook', verifyWebhook(listener), (c) => forward(`http://${host}:${port}/`, c))
      const { status, body } = await send(app, await request({ body: BODY }))
      expect({ status, body, received }).toEqual({ status: 200, body: 'from behind', received: [BODY] })
      await calls.reaches(2)
      expect(calls.entries[1]).toMatch(/^commit /)
    })
  })
})
