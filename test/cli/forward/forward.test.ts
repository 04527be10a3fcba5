import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { signHmac } from '../../../src/testing/index.ts'
import { type RunningListener, SECRET, startListener } from '../support.ts'
import { closedPort, startApp } from './app.ts'
import { deliver } from './gateway.ts'

const env = { HOOKGATE_SECRET: SECRET }

function startGateway(appUrl: string, ...args: string[]): Promise<RunningListener> {
  return startListener(['--json', '--forward-to', appUrl, ...args], { env })
}

function answerWith(status: number, body = `app says ${status}`) {
  return (response: ServerResponse) =>
    void response.writeHead(status, { 'content-type': 'text/plain' }).end(status === 204 ? undefined : body)
}

async function lastLine(gateway: RunningListener, count: number) {
  const lines = await gateway.deliveries(count)
  return JSON.parse(lines.at(-1) ?? '')
}

test.each([200, 201, 202, 204, 299])('the app answers %i: the event is done', async (status) => {
  const app = await startApp(answerWith(status))
  const gateway = await startGateway(app.url)
  const eventId = randomUUID()
  const first = await deliver(gateway.url, eventId)
  expect([first.status, first.body]).toEqual([status, status === 204 ? '' : `app says ${status}`])
  const again = await deliver(gateway.url, eventId)
  expect([again.status, again.body]).toEqual([409, expect.stringContaining('event_duplicate')])
  expect(app.received).toHaveLength(1)
})

test.each([300, 307, 400, 401, 404, 409, 429, 499, 500, 502, 505, 599])(
  'the app answers %i: the sender gets it, and its next attempt runs',
  async (status) => {
    const app = await startApp(answerWith(status))
    const gateway = await startGateway(app.url)
    const eventId = randomUUID()
    const first = await deliver(gateway.url, eventId)
    expect([first.status, first.body]).toEqual([status, `app says ${status}`])
    expect((await deliver(gateway.url, eventId)).status).toBe(status)
    expect(app.received).toHaveLength(2)
  },
)

test.each([408, 503, 504])(
  'the app answers %i, as timeouts do while the work goes on: the next attempt waits for the lease',
  async (status) => {
    const app = await startApp(answerWith(status))
    const gateway = await startGateway(app.url, '--lease', '6', '--timeout', '1')
    const eventId = randomUUID()
    expect((await deliver(gateway.url, eventId)).status).toBe(status)
    const early = await deliver(gateway.url, eventId)
    expect([early.status, early.body]).toEqual([503, expect.stringContaining('event_in_progress')])
    await expect
      .poll(
        async () => {
          await deliver(gateway.url, eventId)
          return app.received
        },
        { interval: 500 },
      )
      .toHaveLength(2)
  },
)

test('the app takes longer than the lease: it gets the event once, and its answer counts', async () => {
  const answers: ServerResponse[] = []
  const app = await startApp((response) => void answers.push(response))
  const gateway = await startGateway(app.url, '--lease', '4', '--timeout', '50') // a busy machine may renew seconds late
  const eventId = randomUUID()
  const first = deliver(gateway.url, eventId)
  for (let attempt = 0; attempt < 6; attempt += 1) {
    await new Promise((resolve) => setTimeout(resolve, 1000))
    expect((await deliver(gateway.url, eventId)).body).toContain('event_in_progress')
  }
  for (const response of answers) answerWith(200)(response)
  expect((await first).status).toBe(200)
  expect((await deliver(gateway.url, eventId)).status).toBe(409)
  expect(app.received).toHaveLength(1)
})

test('nobody listens at the app: 503 with Retry-After 5, and the event is free at once', async () => {
  const port = await closedPort()
  const gateway = await startGateway(`http://127.0.0.1:${port}/`)
  const eventId = randomUUID()
  const lost = await deliver(gateway.url, eventId)
  expect([lost.status, lost.headers.get('retry-after')]).toEqual([503, '5'])
  expect(lost.headers.get('content-type')).toBe('application/problem+json')
  expect(JSON.parse(lost.body)).toEqual({
    status: 503,
    title: 'Service Unavailable',
    code: 'upstream_unreachable',
  })
  expect(await lastLine(gateway, 1)).toMatchObject({
    verdict: 'accepted',
    reason: 'upstream_unreachable',
    status: 503,
  })
  await gateway.stderr.waitFor(
    /nothing listens on 127.0.0.1:\d+: start your app, or correct .*\. The event is released/,
  )
  const app = await startApp(undefined, port)
  expect((await deliver(gateway.url, eventId)).status).toBe(200)
  expect(app.received).toHaveLength(1)
})

test('an unknown host counts as never reached too', async () => {
  const gateway = await startGateway('http://app.invalid/')
  expect((await deliver(gateway.url)).body).toContain('upstream_unreachable')
})

test('the app takes an event and hangs: 504 with the lease as Retry-After, and no other attempt runs meanwhile', async () => {
  const app = await startApp((response) => void response)
  const gateway = await startGateway(app.url, '--timeout', '1', '--lease', '7')
  const eventId = randomUUID()
  const lost = await deliver(gateway.url, eventId)
  expect([lost.status, lost.headers.get('retry-after')]).toEqual([504, '7'])
  expect(JSON.parse(lost.body)).toEqual({ status: 504, title: 'Gateway Timeout', code: 'upstream_unknown' })
  expect(await lastLine(gateway, 1)).toMatchObject({
    verdict: 'accepted',
    reason: 'upstream_unknown',
    status: 504,
  })
  expect((await deliver(gateway.url, eventId)).body).toContain('event_in_progress')
  expect(app.received).toHaveLength(1)
  await gateway.stderr.waitFor(/the app got the event, but 127.0.0.1:\d+ did not answer within 1 s: /)
})

test.each<[string, (response: ServerResponse) => void]>([
  ['resets the connection', (response) => void response.socket?.resetAndDestroy()],
  ['closes the connection', (response) => void response.socket?.end()],
  [
    'breaks off in the middle of its answer',
    (response) => {
      response.writeHead(200, { 'content-length': 100 }).write('half')
      response.socket?.destroySoon()
    },
  ],
  ['answers with anything but HTTP', (response) => void response.socket?.end('nonsense\r\n\r\n')],
  [
    'upgrades',
    (response) => void response.socket?.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n'),
  ],
  [
    'upgrades and keeps the connection open',
    (response) =>
      void response.socket?.write(
        'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
      ),
  ],
  [
    'answers with a status that HTTP does not have',
    (response) => void response.socket?.write('HTTP/1.1 099 Odd\r\ncontent-length: 0\r\n\r\n'),
  ],
])('the app takes an event and %s: 504, and the lease lapses', async (_, answer) => {
  const app = await startApp(answer)
  const gateway = await startGateway(app.url, '--timeout', '55')
  const eventId = randomUUID()
  const lost = await deliver(gateway.url, eventId)
  expect([lost.status, lost.headers.get('retry-after')]).toEqual([504, '60'])
  expect((await deliver(gateway.url, eventId)).body).toContain('event_in_progress')
  expect(app.received).toHaveLength(1)
})

test('the app gets the exact bytes, at the configured path and query', async () => {
  const app = await startApp()
  const gateway = await startGateway(app.url)
  const body = new Uint8Array(Buffer.from('{"text":"ä 😀",\r\n "n": 1.0}\n'))
  expect((await deliver(gateway.url, undefined, body)).status).toBe(200)
  const [{ request, body: got } = { request: undefined, body: undefined }] = app.received
  expect(got).toEqual(Buffer.from(body))
  expect([request?.method, request?.url]).toEqual(['POST', '/hooks?tenant=7'])
})

test('a refused delivery never reaches the app', async () => {
  const app = await startApp()
  const gateway = await startGateway(app.url)
  const signed = await signHmac({ secret: SECRET, body: '{}' })
  expect((await fetch(gateway.url, { ...signed, body: '[]' })).status).toBe(401)
  expect((await deliver(gateway.url)).status).toBe(200)
  expect(app.received.map(({ body }) => `${body}`)).toEqual(['{}'])
})

/** An app that still works on an event whose sender has left. */
async function senderLeaves() {
  let finish = () => {}
  const app = await startApp((response) => {
    finish = () => void response.end()
  })
  const gateway = await startGateway(app.url)
  const eventId = randomUUID()
  const { headers, body } = await signHmac({ secret: SECRET, body: '{}', eventId })
  const { port, pathname } = new URL(gateway.url)
  const socket = connect(Number(port), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`POST ${pathname} HTTP/1.1\r\nHost: x\r\n${lines.join('')}Content-Length: 2\r\n\r\n${body}`)
  await expect.poll(() => app.received).toHaveLength(1)
  socket.destroy()
  await once(socket, 'close')
  await fetch(new URL('/', gateway.url)) // by this answer, the gateway knows that the sender is gone
  return { gateway, eventId, finish }
}

test('a sender that leaves before the app is done changes nothing: the event is done', async () => {
  const { gateway, eventId, finish } = await senderLeaves()
  finish()
  expect(await lastLine(gateway, 2)).toMatchObject({ eventId, verdict: 'accepted', status: null })
  expect((await deliver(gateway.url, eventId)).status).toBe(409)
})

/** Whether something still listens on the port. */
function opens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  return new Promise<boolean>((resolve) => {
    socket.on('error', () => resolve(false)) // a listening socket that closes may reset it later, too
    socket.on('connect', () => resolve(true))
  }).finally(() => socket.destroy())
}

test('Ctrl-C waits for an app whose sender has left, and counts the delivery', async () => {
  const { gateway, finish } = await senderLeaves()
  const stopped = gateway.stop()
  const port = Number(new URL(gateway.url).port)
  await expect.poll(() => opens(port)).toBe(false)
  finish()
  expect(await stopped).toBe(0)
  expect(gateway.stderr.text).toMatch(/received 2 deliveries: 1 refused, 1 accepted\n$/)
})

test('Ctrl-C waits for the app: the sender gets its answer, and the process ends with 0', async () => {
  let finish = () => {}
  const app = await startApp((response) => {
    finish = () => void response.end('done')
  })
  const gateway = await startGateway(app.url)
  const answer = deliver(gateway.url)
  await expect.poll(() => app.received).toHaveLength(1)
  gateway.signal('SIGINT')
  await gateway.stderr.waitFor(/finishing 1 in flight/)
  finish()
  expect(await answer).toMatchObject({ status: 200, body: 'done' })
  expect(await gateway.exit).toBe(0)
})
