import { once } from 'node:events'
import { request } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { stripe } from '../../../src/schemes/stripe.ts'
import { signAs, signHmac } from '../../../src/testing/index.ts'
import { selfSigned } from '../../support/self-signed.ts'
import { SECRET } from '../support.ts'
import { startApp } from './app.ts'
import { APP_SECRET, deliver, openGateway } from './gateway.ts'

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const ID = '7d444840-9dc0-4c1d-8d7e-1f5a8f5b2b6a'

test("a four-minute-old delivery reaches the app with the gateway's time", async () => {
  const app = await startApp()
  const gateway = await openGateway(app.url, { secret: APP_SECRET })
  const now = Math.floor(Date.now() / 1000)
  const old = await signHmac({ secret: SECRET, body: '{}', timestamp: now - 240 })
  expect((await fetch(gateway.url, old)).status).toBe(200)
  expect(Number(app.received[0]?.request.headers['webhook-timestamp'])).toBeGreaterThanOrEqual(now)
})

test("the delivery is not signed without a forward secret, and the sender's signature is not taken for the gateway's", async () => {
  const app = await startApp()
  const gateway = await openGateway(app.url)
  await deliver(gateway.url)
  const { headers } = app.received[0]?.request ?? {}
  expect([headers?.['webhook-signature'], headers?.['webhook-timestamp']]).toEqual([undefined, undefined])
})

test('the headers for the app, one by one', async () => {
  const app = await startApp()
  const gateway = await openGateway(app.url, { secret: APP_SECRET, publicUrl: 'https://hooks.example/in' })
  const sentAt = Math.floor(Date.now() / 1000)
  const signed = await signHmac({ secret: SECRET, body: '{}', eventId: ID.toUpperCase(), timestamp: sentAt })
  await fetch(gateway.url, signed)
  expect(app.received[0]?.request.headers).toEqual({
    host: new URL(app.url).host,
    connection: 'keep-alive',
    'content-type': 'application/json',
    'content-length': '2',
    'webhook-id': expect.stringMatching(UUID_V4),
    'webhook-timestamp': expect.stringMatching(/^[0-9]{10}$/),
    'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
    'hookgate-event-id': ID,
    'hookgate-listener': 'demo',
    'hookgate-auth': 'hmac',
    'hookgate-key-id': 'shop',
    'hookgate-sent-at': new Date(sentAt * 1000).toISOString(),
    'hookgate-source-ip': '127.0.0.1',
    'x-forwarded-for': '127.0.0.1',
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'hooks.example',
  })
})

test("another sender's scheme is named, and --pass-header lets its headers through", async () => {
  const app = await startApp()
  const secret = 'whsec_0123456789abcdefghijklmnopqrstuv'
  const gateway = await openGateway(app.url, {
    auth: stripe({ secrets: { id: 'main', secret } }),
    passed: ['stripe-signature'],
  })
  const signed = await signAs(stripe, { secret, body: '{"id":"evt_1","type":"x"}' })
  expect((await fetch(gateway.url, signed)).status).toBe(200)
  expect(app.received[0]?.request.headers).toMatchObject({
    'hookgate-auth': 'stripe',
    'hookgate-key-id': 'main',
    'webhook-event-id': 'evt_1',
    'stripe-signature': signed.headers['stripe-signature'],
  })
})

test('a header that the sender names in Connection ends at the gateway', async () => {
  const app = await startApp()
  const gateway = await openGateway(app.url, { passed: ['x-kept', 'x-ended'] })
  const { headers, body } = await signHmac({ secret: SECRET, body: '{}' })
  const sent = request(gateway.url, {
    method: 'POST',
    headers: { ...headers, 'x-kept': '1', 'x-ended': '1', connection: 'close, X-Ended' },
  })
  sent.end(body)
  const [response] = await once(sent, 'response')
  expect(response.resume().statusCode).toBe(200)
  const seen = app.received[0]?.request.headers
  expect([seen?.['x-kept'], seen?.['x-ended']]).toEqual(['1', undefined])
})

test.each([
  ['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', 'a=1', true, true],
  ['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', 'a'.repeat(513), true, false],
  ['anything else', 'a=1', false, false],
])('traceparent %s passes: %o', async (traceparent, tracestate, hasParent, hasState) => {
  const app = await startApp()
  const gateway = await openGateway(app.url)
  const signed = await signHmac({ secret: SECRET, body: '{}' })
  await fetch(gateway.url, { ...signed, headers: { ...signed.headers, traceparent, tracestate } })
  const { headers } = app.received[0]?.request ?? {}
  expect([headers?.traceparent === traceparent, headers?.tracestate === tracestate]).toEqual([
    hasParent,
    hasState,
  ])
})

test("the app's status, body, Content-Type and Retry-After reach the sender, but not its cookies and Location", async () => {
  const app = await startApp((response) => {
    response.writeHead(307, {
      'Content-Type': 'text/plain',
      'Retry-After': '9',
      'Set-Cookie': 'a=1',
      Location: 'http://127.0.0.1:1/',
      'X-Powered-By': 'app',
    })
    response.end('elsewhere')
  })
  const gateway = await openGateway(app.url)
  const signed = await signHmac({ secret: SECRET, body: '{}' })
  const answer = await fetch(gateway.url, { ...signed, redirect: 'manual' })
  expect([answer.status, await answer.text()]).toEqual([307, 'elsewhere'])
  const { connection, date, 'keep-alive': _, ...headers } = Object.fromEntries(answer.headers)
  expect(headers).toEqual({ 'content-type': 'text/plain', 'content-length': '9', 'retry-after': '9' })
  expect(app.received).toHaveLength(1)
})

test('an answer of 64 KB arrives whole, and a longer or endless one is cut there', async () => {
  const sizes = [65_536, 65_537, Infinity]
  const app = await startApp((response) => {
    const size = sizes.shift() ?? 0
    if (size !== Infinity) return void response.end(Buffer.alloc(size, 'x'))
    const more = () => {
      while (response.write(Buffer.alloc(16_384, 'x')));
    }
    response.on('drain', more)
    more()
  })
  const gateway = await openGateway(app.url)
  for (const _ of [1, 2, 3]) {
    const { status, body } = await deliver(gateway.url)
    expect([status, body.length]).toEqual([200, 65_536])
  }
  await expect.poll(() => gateway.reports).toHaveLength(3)
  expect(gateway.reports.map(({ app: answer }) => answer?.kind === 'answered' && answer.isCut)).toEqual([
    false,
    true,
    true,
  ])
})

test('the inspector shows what the app was sent and how it answered', async () => {
  const app = await startApp((response) => void response.writeHead(202, { 'X-Job': '7' }).end('queued'))
  const gateway = await openGateway(app.url)
  await deliver(gateway.url, ID, '{"a":1}')
  await expect.poll(() => gateway.reports).toHaveLength(1)
  const [report] = gateway.reports
  expect(Buffer.from(report?.delivery?.body ?? [])).toEqual(Buffer.from('{"a":1}'))
  expect(report?.verdict).toMatchObject({ ok: true })
  expect(report?.app).toMatchObject({
    kind: 'answered',
    status: 202,
    body: Buffer.from('queued'),
    headers: expect.arrayContaining(['X-Job', '7']),
    isCut: false,
  })
  expect(report?.app?.ms).toBeGreaterThan(0)
})

test('an app whose certificate is not trusted sees nothing, and the event is free at once', async () => {
  const { key, cert } = selfSigned()
  let seen = 0
  const server = createTlsServer({ key, cert }, () => {
    seen += 1
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // only a pipe's address is a string
  const gateway = await openGateway(`https://127.0.0.1:${port}/`)
  const printed = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  onTestFinished(() => printed.mockRestore())
  for (const _ of ['first', 'again']) {
    const { status, body } = await deliver(gateway.url, ID)
    expect([status, body]).toEqual([503, expect.stringContaining('upstream_unreachable')])
  }
  expect(seen).toBe(0)
  expect(printed.mock.calls[0]?.[0]).toMatch(
    /the certificate of \S+ is self-signed: .*, or set NODE_EXTRA_CA_CERTS to the file of its CA\. The event is released\n$/,
  )
})

test('an app that is silent in the TLS handshake counts as never reached', async () => {
  const server = createTcpServer((socket) => void socket.on('error', () => {})).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // only a pipe's address is a string
  const gateway = await openGateway(`https://127.0.0.1:${port}/`, { timeoutSeconds: 0.3 })
  for (const _ of ['first', 'again']) {
    const { status, body } = await deliver(gateway.url, ID)
    expect([status, body]).toEqual([503, expect.stringContaining('upstream_unreachable')])
  }
})

test('the gateway reuses a connection within a second, and then closes it', async () => {
  const app = await startApp()
  app.server.keepAliveTimeout = 0 // never closes one itself; gunicorn does after 2 s
  const gateway = await openGateway(app.url)
  const closed = new Promise<void>((resolve) => {
    app.server.on('connection', (socket) => socket.once('close', () => resolve()))
  })
  await deliver(gateway.url)
  await deliver(gateway.url)
  const sockets = new Set(app.received.map(({ request: { socket } }) => socket))
  expect(sockets.size).toBe(1)
  await closed
})

test('a connection that the app will close within a second is not reused', async () => {
  const app = await startApp((response) => void response.setHeader('Keep-Alive', 'timeout=1').end())
  const gateway = await openGateway(app.url)
  await deliver(gateway.url)
  await deliver(gateway.url)
  expect(new Set(app.received.map(({ request: { socket } }) => socket)).size).toBe(2)
})

test('nothing is sent twice: an app that drops every used connection gets each event once', async () => {
  const app = await startApp((response) => {
    response.end()
    response.socket?.end()
  })
  const gateway = await openGateway(app.url)
  const answers = await Promise.all(Array.from({ length: 50 }, () => deliver(gateway.url)))
  expect(answers.every(({ status }) => [200, 504].includes(status))).toBe(true)
  const ids = app.received.map(({ request: { headers } }) => headers['webhook-event-id'])
  expect(new Set(ids).size).toBe(ids.length)
})

test('other requests are answered at once while the app hangs', async () => {
  const app = await startApp((response) => void response)
  const gateway = await openGateway(app.url, { timeoutSeconds: 30 })
  const stuck = Array.from({ length: 100 }, async () => {
    const { headers, body } = await signHmac({ secret: SECRET, body: '{}' })
    const sent = request(gateway.url, { method: 'POST', headers }).on('error', () => {})
    onTestFinished(() => void sent.destroy())
    sent.end(body)
  })
  await Promise.all(stuck)
  await expect.poll(() => app.received).toHaveLength(100)
  expect((await fetch(gateway.url, { method: 'POST' })).status).toBe(400)
  app.server.closeAllConnections()
})

test("the app gets every event at its own URL, whatever path a stranger chose for the sender's", async () => {
  const app = await startApp()
  const gateway = await openGateway(app.url)
  const { hostname, port } = new URL(gateway.url)
  const paths = [
    '/',
    '/admin/delete?x=1',
    '//evil.example/',
    '/../..//x',
    '/%2e%2e/x',
    'http://evil.example/x',
    '*',
    '/x#y',
  ]
  for (const path of paths) {
    const { headers, body } = await signHmac({ secret: SECRET, body: '{}' })
    const sent = request({ hostname, port, path, method: 'POST', headers }).end(body)
    const [response] = await once(sent, 'response')
    expect(response.resume().statusCode, path).toBe(200)
  }
  expect(app.received.map(({ request: { url } }) => url)).toEqual(paths.map(() => '/hooks?tenant=7'))
  expect(app.received.map(({ request: { headers } }) => headers.host)).toEqual(
    paths.map(() => new URL(app.url).host),
  )
})
