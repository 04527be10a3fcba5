import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ManagementFetch } from '../../src/management/index.ts'

/** A fake API on loopback, which `fetch` reaches under the sender's own origin. */
export interface FakeServer {
  readonly fetch: ManagementFetch
  readonly origin: string
  /** The method and the path of each request, in order. */
  readonly requests: string[]
  close(): Promise<void>
}

export async function startFake(
  realOrigin: string,
  answer: (request: IncomingMessage, response: ServerResponse, url: URL) => unknown,
): Promise<FakeServer> {
  const requests: string[] = []
  const server = createServer(async (request, response) => {
    const { method, url = '' } = request
    requests.push(`${method} ${url}`)
    await answer(request, response, new URL(url, realOrigin))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  server.keepAliveTimeout = 60_000 // a busy process would close a connection that is being used again
  const { port } = server.address() as AddressInfo // a TCP server has one
  const origin = `http://127.0.0.1:${port}`
  return {
    origin,
    requests,
    fetch: (url, init) => fetch(url.replace(realOrigin, origin), init),
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

export function sendJson(
  response: ServerResponse,
  status: number,
  json: string | object,
  headers: { readonly [name: string]: string } = {},
): void {
  const text = typeof json === 'string' ? json : JSON.stringify(json, undefined, 2)
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
}
