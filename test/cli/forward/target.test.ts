import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { readForwarding } from '../../../cli/forward/forward-options.ts'
import { closedPort } from './app.ts'
import { deliver, openGateway } from './gateway.ts'

test.each([
  ['3000', 'http://localhost:3000/'],
  ['3000/webhooks?a=1', 'http://localhost:3000/webhooks?a=1'],
  ['localhost:3000/webhook?a=1', 'http://localhost:3000/webhook?a=1'],
  ['localhost/webhook', 'http://localhost/webhook'],
  ['127.0.0.1:3000', 'http://127.0.0.1:3000/'],
  ['[::1]:3000/webhook', 'http://[::1]:3000/webhook'],
  ['my-app.internal:8080', 'http://my-app.internal:8080/'],
  ['http://localhost:3000/webhook', 'http://localhost:3000/webhook'],
  ['https://app.example/webhook', 'https://app.example/webhook'],
])('--forward-to %s is %s', async (given, href) => {
  expect((await readForwarding({ 'forward-to': given }))?.target.href).toBe(href)
})

test.each([
  '',
  'nonsense',
  '/webhook',
  '65536',
  'app.example/webhook',
  'user:8080@app.example',
  'ftp://a.example',
])('--forward-to %j is refused, and not repeated', async (given) => {
  const refusal = await readForwarding({ 'forward-to': given }).catch((error: Error) => error.message)
  expect(refusal).toMatch(
    /^--forward-to takes 3000\/webhooks, localhost:3000\/webhooks, or a URL without credentials$/,
  )
})

/** A server that sends these bytes to every request. */
async function startRaw(answer: string): Promise<string> {
  const server = createServer((socket) => socket.on('error', () => {}).once('data', () => socket.end(answer)))
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/` // only a pipe's address is a string
}

test.each([
  ['204', 'HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n{"ok":true}', 204],
  ['204 with a length', 'HTTP/1.1 204 No Content\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok', 204],
  ['200', 'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok and more', 200],
])('a complete %s counts, whatever follows it', async (_, answer, status) => {
  const gateway = await openGateway(await startRaw(answer))
  const eventId = crypto.randomUUID()
  expect((await deliver(gateway.url, eventId)).status).toBe(status)
  expect((await deliver(gateway.url, eventId)).status).toBe(409)
})

test('what is no HTTP, and a port where nobody listens, are said in words', async () => {
  const problems: unknown[] = []
  const urls = [await startRaw('SSH-2.0-OpenSSH\r\n'), `http://127.0.0.1:${await closedPort()}/`]
  for (const url of urls) {
    const gateway = await openGateway(url)
    await deliver(gateway.url)
    problems.push(gateway.reports.map(({ app }) => app?.kind !== 'answered' && app?.problem))
  }
  expect(problems).toEqual([
    [
      expect.stringMatching(
        /^the answer of 127.0.0.1:\d+ is not HTTP \(HPE_INVALID_CONSTANT\): correct the port$/,
      ),
    ],
    [expect.stringMatching(/^nothing listens on 127.0.0.1:\d+: start your app, or correct/)],
  ])
})
