import http, { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import https from 'node:https'
import { ERRORS_PAGE } from '../errors.ts'
import type { PublicAgents } from './public-only.ts'

/** How many bytes of a response to read before closing the connection. */
const MOST_ANSWER_BYTES = 4096
const MOST_HEADER_BYTES = 16_384

/** The most interim responses, such as 103 Early Hints. Node has no limit. */
const MOST_INTERIM = 3

/** The response of an endpoint, as far as it was read. */
interface EndpointAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Uint8Array
}

export interface Outgoing {
  /** Defaults to `POST`. */
  readonly method?: string
  /** An array is sent as several header lines. */
  readonly headers: { readonly [name: string]: string | readonly string[] }
  readonly body: Uint8Array
}

/** The request timed out. */
export class TimedOut extends Error {}

class TooManyInterim extends Error {
  readonly code = 'ERR_HTTP_TOO_MANY_INTERIM'
  readonly help: string = `${ERRORS_PAGE}err_http_too_many_interim`
}

/**
 * Sends one request and reads the start of its response. Follows no redirects. The deadline covers the look-up, the
 * connection, the headers and the body. A truncated body still counts as a response. Rejects if there was no status.
 */
export function exchange(
  url: URL,
  outgoing: Outgoing,
  agents: PublicAgents,
  timeoutMs: number,
): Promise<EndpointAnswer> {
  const sent = post(url, outgoing, agents)
  let answered: IncomingMessage | undefined
  const deadline = setTimeout(() => (answered ?? sent).destroy(new TimedOut()), timeoutMs)
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => answered ?? reject(error)
    sent.on('error', fail)
    sent.once('close', () => {
      clearTimeout(deadline)
      fail(new Error('closed without an answer')) // Node closes without an error after 101 Switching Protocols
    })
    sent.once('response', (incoming) => {
      answered = incoming
      void readAnswer(incoming).then(resolve)
    })
    sent.end(outgoing.body)
  })
}

function post(url: URL, { method = 'POST', headers, body }: Outgoing, agents: PublicAgents): ClientRequest {
  const isSecure = url.protocol === 'https:'
  const sent = (isSecure ? https : http).request(url, {
    method,
    agent: isSecure ? agents.https : agents.http,
    headers: { ...headers, 'content-length': body.length },
    maxHeaderSize: MOST_HEADER_BYTES,
  })
  let interim = 0
  return sent.on('information', () => {
    interim += 1
    if (interim > MOST_INTERIM) sent.destroy(new TooManyInterim())
  })
}

/** Leaving the loop closes the connection, which cuts off an endless stream. */
async function readAnswer(incoming: IncomingMessage): Promise<EndpointAnswer> {
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for await (const chunk of incoming) {
      chunks.push(chunk.subarray(0, MOST_ANSWER_BYTES - length))
      length += chunk.length
      if (length >= MOST_ANSWER_BYTES) break
    }
  } catch {} // truncated, but the status counts
  return { status: incoming.statusCode ?? 0, headers: incoming.headers, body: Buffer.concat(chunks) }
}
