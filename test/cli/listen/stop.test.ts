import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { type SignedRequest, signHmac } from '../../../src/testing/index.ts'
import { PATH, type RunningListener, SECRET, startListener } from '../support.ts'
import { inTerminal, NO_TERMINAL } from './in-terminal.ts'

interface Client {
  readonly socket: Socket
  received(): string
  readonly closed: Promise<unknown>
}

async function connectTo(url: string): Promise<Client> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  let text = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  socket.on('error', () => {})
  await once(socket, 'connect')
  return { socket, received: () => text, closed: once(socket, 'close') }
}

function headOf({ headers, body }: SignedRequest): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`POST ${PATH} HTTP/1.1`, 'Host: x', ...lines, `Content-Length: ${body.length}`, '', ''].join('\r\n')
}

/** Sends half of a delivery. `100 Continue` proves that the listener has begun to read it. */
async function halfDelivered(url: string) {
  const request = await signHmac({ secret: SECRET, body: '{"hello":"world"}' })
  const client = await connectTo(url)
  client.socket.write(headOf(request).replace('Host: x', 'Host: x\r\nExpect: 100-continue'))
  await expect.poll(() => client.received()).toContain('100 Continue')
  client.socket.write(request.body.slice(0, 5))
  return { client, rest: request.body.slice(5) }
}

/** A listener that stops while it has half of a delivery. */
async function halfWay(stop: (listener: RunningListener) => unknown) {
  const listener = await startListener([], { env: { HOOKGATE_SECRET: SECRET } })
  const half = await halfDelivered(listener.url)
  await stop(listener)
  await listener.stderr.waitFor(/finishing 1 in flight/)
  return { listener, ...half }
}

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s finishes what is in flight and exits 0',
  async (signal) => {
    const { listener, client, rest } = await halfWay((listener) => listener.signal(signal))
    const late = connect(Number(new URL(listener.url).port), '127.0.0.1')
    const [refused] = await once(late, 'error')
    expect(refused).toMatchObject({ code: 'ECONNREFUSED' })

    client.socket.write(rest)
    await client.closed
    expect(client.received()).toMatch(
      /HTTP\/1.1 200 OK\r\n[\s\S]*connection: close\r\n[\s\S]*\{"accepted":true\}/,
    )
    expect(await listener.exit).toBe(0)
    expect(listener.stderr.text).toMatch(/hookgate: finished 1 in flight; received 1 delivery: 1 accepted\n$/)
    expect(await listener.deliveries(1)).toEqual([expect.stringMatching(/ accepted /)])
  },
)

test('a reader of its output that ends, such as jq after Ctrl-C, cuts no delivery off', async () => {
  const { listener, client, rest } = await halfWay(async ({ url, stdout }) => {
    stdout.close()
    expect((await fetch(url, await signHmac({ secret: SECRET, body: '{}' }))).status).toBe(200)
  })
  client.socket.write(rest)
  await client.closed
  expect(client.received()).toContain('{"accepted":true}')
  expect(await listener.exit).toBe(0)
})

test.skipIf(NO_TERMINAL)(
  `closing the terminal cuts no delivery off, although its lines cannot be printed${NO_TERMINAL}`,
  async () => {
    const listen = inTerminal('listen --port 0')
    const [, url = ''] = await listen.shown(/Listening on (\S+)/)
    const [first, second] = [await halfDelivered(url), await halfDelivered(url)]
    listen.close()
    for (const { client, rest } of [first, second]) {
      client.socket.write(rest)
      await client.closed
      expect(client.received()).toContain('{"accepted":true}')
    }
  },
)

test('idle and silent connections do not delay it', async () => {
  const listener = await startListener([], { env: { HOOKGATE_SECRET: SECRET } })
  const request = await signHmac({ secret: SECRET, body: '{}' })
  const [silent, idle] = [await connectTo(listener.url), await connectTo(listener.url)]
  idle.socket.write(Buffer.concat([Buffer.from(headOf(request)), Buffer.from(request.body)]))
  await expect.poll(() => idle.received()).toContain('{"accepted":true}')
  expect(await listener.stop()).toBe(0)
  await Promise.all([silent.closed, idle.closed])
})

// Retried, because a busy machine may not deliver two signals within half a second.
test('a Ctrl-C that npm passes on twice counts once', { retry: 2 }, async () => {
  const { listener, client, rest } = await halfWay((listener) => listener.signal('SIGINT'))
  listener.signal('SIGINT')
  client.socket.write(rest)
  await client.closed
  expect(client.received()).toContain('{"accepted":true}')
  expect(await listener.exit).toBe(0)
})

test('a second Ctrl-C stops at once, with 130', async () => {
  const { listener } = await halfWay((listener) => listener.signal('SIGINT'))
  let code: number | null | undefined
  void listener.exit.then((given) => {
    code = given
  })
  await expect
    .poll(() => {
      listener.signal('SIGINT')
      return code
    })
    .toBe(130)
})
