import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer, request } from 'node:https'
import { Readable } from 'node:stream'
import { onTestFinished } from 'vitest'
import type { Fetch } from '../../src/jwt.ts'
import { IN_WORKERD } from './runtime.ts'
import { selfSigned } from './self-signed.ts'

/** A JWKS to serve, or a way to misbehave. */
export type KeyHostAnswer = object | ((request: IncomingMessage, response: ServerResponse) => void)

/** A real local server for a key set. Closes when the test ends. */
export interface KeyHost {
  readonly url: string
  /** How many requests arrived. */
  readonly requests: number
  /** The reply to the next request. */
  answer: KeyHostAnswer
  /** Undefined where the global one reaches the server: in workerd, Node's servers have no socket. */
  readonly fetch: Fetch | undefined
}

export function keyHost(answer: KeyHostAnswer): Promise<KeyHost> {
  return listen('http', answer, createServer)
}

/** The same over TLS, with a self-signed certificate that only `fetch` trusts. */
export async function secureKeyHost(
  answer: KeyHostAnswer,
): Promise<KeyHost & { fetch: Fetch; certificate: string }> {
  const { key, cert } = selfSigned()
  const host = await listen('https', answer, (listener) => createTlsServer({ key, cert }, listener))
  return Object.assign(host, { fetch: fetchTrusting(cert), certificate: cert })
}

async function listen(
  scheme: string,
  answer: KeyHostAnswer,
  create: (listener: RequestListener) => Server,
): Promise<KeyHost> {
  let requests = 0
  const server = create((request, response) => {
    requests += 1
    if (typeof host.answer === 'function') return host.answer(request, response)
    response.setHeader('content-type', 'application/jwk-set+json').end(JSON.stringify(host.answer))
  })
  // A fetch on a connection that closes at that moment would fail before it counts.
  server.keepAliveTimeout = 120_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const host = {
    url: `${scheme}://127.0.0.1:${port}/jwks.json`,
    answer,
    get requests() {
      return requests
    },
    fetch: IN_WORKERD ? fetchByHand(Number(port)) : undefined,
  }
  return host
}

/** Passes requests to a server in the same workerd. */
function fetchByHand(port: number): Fetch {
  return async (url, init) => {
    const cloudflare = 'cloudflare:node'
    const { handleAsNodeRequest } = await import(cloudflare)
    return handleAsNodeRequest({ port }, new Request(url, init))
  }
}

/** Answers with this status and text. */
export function respondWith(
  status: number,
  body: string | Uint8Array = '',
  headers: { readonly [name: string]: string } = {},
): KeyHostAnswer {
  return (_, response) => response.writeHead(status, headers).end(body)
}

/** Accepts the request and never responds. */
export const hanging: KeyHostAnswer = () => {}

/** A `fetch` over node:https that trusts one certificate and follows nothing, as a service would inject it. */
function fetchTrusting(ca: string): Fetch {
  return (url, { headers, signal }) =>
    new Promise((resolve, reject) => {
      request(url, { ca, headers, signal, agent: false }, (incoming) => {
        // Node's own web stream and the global one are the same class under two type names.
        const body = Readable.toWeb(incoming) as ReadableStream<Uint8Array>
        resolve(new Response(body, { status: incoming.statusCode ?? 0 }))
      })
        .on('error', reject)
        .end()
    })
}
