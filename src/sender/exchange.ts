import http, { type ClientRequest, type IncomingMessage } from 'node:http'
import https from 'node:https'
import { CodedError } from '../errors.ts'
import { TimedOut } from './failure.ts'

const MOST_HEADER_BYTES = 16_384

/** The most interim responses, such as 103 Early Hints. Node has no limit. */
const MOST_INTERIM = 3

/** RFC 9110 15.3.6: without a body, which Node's parser does not know. */
const RESET_CONTENT = 205

/** A request to send. */
export interface Outgoing {
  /** Defaults to `POST`. */
  readonly method?: string
  /** Where to send it instead, if its query has the signature. */
  readonly url?: string | undefined
  /** An array is sent as several header lines. */
  readonly headers: { readonly [name: string]: string | readonly string[] }
  readonly body: Uint8Array
}

/** What opens the connections. */
interface Agents {
  readonly http: http.Agent
  readonly https: https.Agent
}

/**
 * Sends one request, and resolves with the response as soon as its headers are here. Rejects if there was no status. Follows no
 * redirects. The deadline covers the look-up, the connection, the headers and the body.
 */
export function exchange(
  url: URL,
  outgoing: Outgoing,
  agents: Agents,
  timeoutMs: number,
): Promise<IncomingMessage> {
  const sent = open(url, outgoing, agents)
  let answered: IncomingMessage | undefined
  const deadline = setTimeout(() => (answered ?? sent).destroy(new TimedOut(timeoutMs)), timeoutMs)
  return new Promise((resolve, reject) => {
    sent.on('error', reject)
    sent.once('close', () => {
      clearTimeout(deadline)
      // Node closes without an error after 101 Switching Protocols.
      reject(Object.assign(new Error('closed without an answer'), { code: 'ECONNRESET' }))
    })
    sent.once('response', (response) => {
      answered = response
      resolve(response)
    })
    sent.end(outgoing.body)
  })
}

function open(url: URL, { method = 'POST', headers, body }: Outgoing, agents: Agents): ClientRequest {
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
    if (interim <= MOST_INTERIM) return
    const problem = `the endpoint sent over ${MOST_INTERIM} interim responses`
    sent.destroy(new CodedError('InterimResponsesError', 'ERR_HTTP_TOO_MANY_INTERIM', problem))
  })
}

/** Reads the body, or its beginning. `brokenBy` is why it ended early, if the connection or the deadline ended it. */
export async function readStart(
  response: IncomingMessage,
  mostBytes: number,
): Promise<{ readonly bytes: Buffer; readonly brokenBy?: unknown }> {
  const most = response.statusCode === RESET_CONTENT ? 0 : mostBytes
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for await (const chunk of response) {
      chunks.push(chunk.subarray(0, most - length))
      length += chunk.length
      if (length >= most) break // closes the connection, which cuts off an endless body
    }
  } catch (brokenBy) {
    return { bytes: Buffer.concat(chunks), brokenBy }
  }
  return { bytes: Buffer.concat(chunks) }
}
