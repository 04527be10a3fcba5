import { getRequestListener } from '@hono/node-server'
import express from 'express'
import express4 from 'express4'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { verifyWebhook as onExpress } from '../../adapters/express.ts'
import { verifyWebhook as onHono } from '../../adapters/hono.ts'
import { exchange, toBytes } from '../support/raw-http.ts'
import { hmacEndpoint } from '../support/sender.ts'
import { serve } from '../support/servers.ts'

const ADVICE = "; verifyWebhook also guards other routes here: mount it on the webhook's route only"

/** An endpoint that tells why it refused, and the answer to a GET. */
function endpoint() {
  const details: unknown[] = []
  const { listener, request } = hmacEndpoint({
    onVerdict: (verdict) => details.push(verdict.ok || verdict.detail),
  })
  return {
    listener,
    details,
    async get(server: Parameters<typeof serve>[0], path: string) {
      const { address } = await serve(server)
      const reply = await exchange(address, toBytes({ ...(await request()), method: 'GET', path }))
      return { status: reply?.status, body: reply?.body }
    },
  }
}

const REFUSED = { status: 400, body: '{"status":400,"title":"Bad Request","code":"method_not_post"}' }

describe.each([
  ['Express 5', express],
  ['Express 4', express4],
])('a GET at verifyWebhook on %s', (_, create) => {
  it('verifyWebhook tells the operator, but not the stranger, that other routes are guarded too', async () => {
    const { listener, details, get } = endpoint()
    const app = create().use(onExpress(listener))
    app.get('/health', (_request, response) => void response.send('healthy'))
    expect(await get(app, '/health')).toEqual(REFUSED)
    expect(details).toEqual([`the method is not POST${ADVICE}`])
  })

  it('verifyWebhook says nothing of other routes on a route of its own', async () => {
    const { listener, details, get } = endpoint()
    expect(await get(create().all('/hook', onExpress(listener)), '/hook')).toEqual(REFUSED)
    expect(details).toEqual(['the method is not POST'])
  })
})

describe.each<readonly [string, (app: Hono) => Parameters<typeof serve>[0]]>([
  ['on Node', ({ fetch }) => getRequestListener(fetch)],
  ['on the web', ({ fetch }) => getRequestListener((request) => fetch(request))],
])('a GET at verifyWebhook on Hono %s', (_, toServer) => {
  it('verifyWebhook tells the operator, but not the stranger, that other routes are guarded too', async () => {
    const { listener, details, get } = endpoint()
    const app = new Hono()
    app.use(onHono(listener)).get('/health', (c) => c.text('healthy'))
    expect(await get(toServer(app), '/health')).toEqual(REFUSED)
    expect(details).toEqual([`the method is not POST${ADVICE}`])
  })

  it('verifyWebhook says nothing of other routes on a route of its own', async () => {
    const { listener, details, get } = endpoint()
    const app = new Hono().all('/hook', onHono(listener)) as unknown as Hono // the variables do not matter
    expect(await get(toServer(app), '/hook')).toEqual(REFUSED)
    expect(details).toEqual(['the method is not POST'])
  })
})

it('a plain node:http server, which has no routes, hears nothing of them', async () => {
  const { listener, details, get } = endpoint()
  const verify = onExpress(listener)
  const server = (...[request, response]: Parameters<ReturnType<typeof getRequestListener>>) =>
    verify(request as never, response as never, () => {})
  expect(await get(server, '/favicon.ico')).toEqual(REFUSED)
  expect(details).toEqual(['the method is not POST'])
})
