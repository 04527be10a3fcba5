import http, { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import https from 'node:https'
import { ERRORS_PAGE } from '../src/errors.ts'
import type { PublicAgents } from './public-only.ts'

/** How much of an answer is read, in bytes, before the connection is closed. */
const MOST_ANSWER_BYTES = 4096
const MOST_HEADER_BYTES = 16_384

/** Answers such as 103 Early Hints, before the answer itself. Node sets no limit. */
const MOST_INTERIM = 3

/** The answer of an endpoint, as far as it was read. */
export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Uint8Array
}

export interface Outgoing {
  /** Default: `POST`. */
  readonly method?: string
  /** An array is sent as so many lines. */
  readonly headers: { readonly [name: string]: string | readonly string[] }
  readonly body: Uint8Array
}

/** No answer came in time. */
export class TimedOut extends Error {}

class TooManyInterim extends Error {
  readonly code = 'ERR_HTTP_TOO_MANY_INTERIM'
  readonly help: string = `${ERRORS_PAGE}err_http_too_many_interim`
}

/**
 * One request and what is read of its answer. No redirect is followed. The deadline covers the look-up, the connection, the headers
 * and the body. Once there is a status it counts, however much of the body comes. Rejects when no answer began.
 */
export function exchange(
  url: URL,
  outgoing: Outgoing,
  agents: PublicAgents,
  timeoutMs: number,
): Promise<Answer> {
  const sent = post(url, outgoing, agents)
  let answered: IncomingMessage | undefined
  const deadline = setTimeout(() => (answered ?? sent).destroy(new TimedOut()), timeoutMs)
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => answered ?? reject(error)
    sent.on('error', fail)
    sent.once('close', () => {
      clearTimeout(deadline)
      fail(new Error('closed without an answer')) // as Node does, without an error, at 101 Switching Protocols
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

/** Leaving the loop closes the connection, so an endpoint that streams for ever is cut off. */
async function readAnswer(incoming: IncomingMessage): Promise<Answer> {
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for await (const chunk of incoming) {
      chunks.push(chunk.subarray(0, MOST_ANSWER_BYTES - length))
      length += chunk.length
      if (length >= MOST_ANSWER_BYTES) break
    }
  } catch {} // cut short: its status counts all the same
  return { status: incoming.statusCode ?? 0, headers: incoming.headers, body: Buffer.concat(chunks) }
}
