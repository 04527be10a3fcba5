import { connect } from 'node:net'
import { serve } from '@hono/node-server'
import Fastify from 'fastify'
import { Hono } from 'hono'
import { expect, it, onTestFinished } from 'vitest'
import { verifyWebhook as verifyWebhookFastify } from '../../adapters/fastify.ts'
import { verifyWebhook } from '../../adapters/hono.ts'
import { webhookHandler } from '../../adapters/web.ts'
import { signHmac } from '../../src/testing/index.ts'
import { endsOf, recordChannel } from '../support/channel-recorder.ts'
import { hmacListener, SECRET } from '../support/hmac-listener.ts'

it('Fastify has an operation for the checks and one for the claim', async () => {
  const moments = recordChannel('verify')
  const { listener, clock } = hmacListener()
  const app = Fastify()
  onTestFinished(() => app.close())
  app.register(async (scope) => {
    await scope.register(verifyWebhookFastify, { listener })
    scope.post('/', async () => 'done')
  })
  const { headers, body } = await signHmac({ secret: SECRET, body: '{}', timestamp: clock.seconds() })
  expect((await app.inject({ method: 'POST', url: '/', headers, payload: body })).statusCode).toBe(200)
  expect(endsOf(moments).map(({ outcome }) => outcome)).toEqual(['checked', 'accepted'])
})

it('a delivery whose body is cut to make room is undecided, has its listener, and is answered 503', async () => {
  const moments = recordChannel('verify')
  const told: unknown[] = []
  const { listener } = hmacListener({ onError: (...given) => void told.push(given) })
  const handle = webhookHandler(listener, () => {}, { maxConcurrentBodies: 1 })
  const begin = () => {
    const init: RequestInit = { method: 'POST', body: new ReadableStream(), duplex: 'half' }
    return handle(new Request('http://localhost', { ...init, headers: { 'webhook-signature': 'stranger' } }))
  }
  const cut = begin()
  void begin()
  expect((await cut).status).toBe(503)
  await expect.poll(() => endsOf(moments)).toHaveLength(1)
  expect(moments.map(({ at }) => at)).toEqual(['start', 'error', 'asyncEnd'])
  expect(endsOf(moments)).toEqual([
    {
      listenerId: 'L1',
      durationMs: expect.any(Number),
      bodyBytes: 0,
      outcome: 'undecided',
      error: { name: 'ReportedError', message: expect.stringMatching('maxConcurrentBodies') },
    },
  ])
  expect(told).toHaveLength(1)
})

it('an incomplete body is a refusal, with its source and the time waited', async () => {
  const moments = recordChannel('verify')
  const { listener } = hmacListener()
  const app = new Hono().post('/', verifyWebhook(listener, { bodyTimeoutSeconds: 0.05 }), (c) =>
    c.text('done'),
  )
  const port = await new Promise<number>((resolve) => {
    const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, (address) =>
      resolve(address.port),
    )
    onTestFinished(() => void server.close())
  })
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.write('POST / HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{')
  await new Promise((resolve) => socket.once('data', resolve))
  expect(endsOf(moments)).toMatchObject([
    { listenerId: 'L1', outcome: 'refused', reason: 'body_incomplete', bodyBytes: 0 },
  ])
  const { durationMs } = endsOf(moments)[0] ?? {}
  expect(Number(durationMs)).toBeGreaterThan(40)
  expect(Number(durationMs)).toBeLessThan(10_000)
})
