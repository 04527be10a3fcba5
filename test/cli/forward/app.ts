import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

/** A request that an app got. */
export interface Received {
  readonly request: IncomingMessage
  readonly body: Buffer
}

export interface TestApp {
  readonly url: string
  readonly port: number
  readonly received: Received[]
  readonly server: Server
}

/** An app on this machine that keeps its requests. It closes after the test. */
export async function startApp(
  answer: (response: ServerResponse, received: Received) => void = (response) => void response.end('ok'),
  port = 0,
): Promise<TestApp> {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const one = { request, body: await buffer(request) }
    received.push(one)
    answer(response, one)
  })
  await once(server.listen(port, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port: bound } = server.address() as AddressInfo // only a pipe's address is a string
  return { url: `http://127.0.0.1:${bound}/hooks?tenant=7`, port: bound, received, server }
}

/** A port of this machine that nobody listens on. */
export async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // as above
  server.close()
  await once(server, 'close')
  return port
}
