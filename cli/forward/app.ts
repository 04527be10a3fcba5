import http, { type ClientRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http'
import https from 'node:https'
import type { Socket } from 'node:net'
import { joinChunks, withChunk } from '../../src/lib/read-stream.ts'
import { TimedOut } from '../../src/sender/failure.ts'
import { whyUnanswered } from '../lib/ask.ts'

const MOST_ANSWER_BYTES = 65_536
/** A lower status is interim (1xx) or invalid, such as 099. */
const LOWEST_STATUS = 200
/**
 * Servers close idle connections after 2 s (gunicorn) or 5 s (Node), and a request sent at that moment would be lost. The agent
 * also obeys a shorter `Keep-Alive: timeout=…`.
 */
const IDLE_MS = 1000

/** The app behind `--forward-to`. Not asked by `ask`, because it needs an agent with idle connections, and must know whether the app was reached. */
export function appAt(url: URL, timeoutMs: number) {
  const { Agent, request } = url.protocol === 'https:' ? https : http
  const agent = new Agent({ keepAlive: true, timeout: IDLE_MS })
  return {
    /**
     * Sends one POST and never retries, with this query if the URL has none. Never rejects, whatever the app or the network does.
     */
    ask(headers: OutgoingHttpHeaders, body: Uint8Array, query: string): Promise<AppAnswer> {
      const path = url.pathname + (url.search || query)
      return post(request(url, { method: 'POST', agent, headers, path }), url, body, timeoutMs)
    },
    close: (): void => agent.destroy(),
  }
}

type Untimed = Omit<AppReply, 'ms'> | Omit<AppSilence, 'ms'>

function post(outgoing: ClientRequest, url: URL, body: Uint8Array, timeoutMs: number): Promise<AppAnswer> {
  const startedAt = performance.now()
  return new Promise((resolve) => {
    let isReached = false
    const end = (answer: Untimed) => {
      clearTimeout(timer)
      resolve({ ...answer, ms: performance.now() - startedAt })
    }
    const fail = (problem: string) => {
      end({ kind: isReached ? 'unknown' : 'unreachable', problem })
      outgoing.destroy()
    }
    const failWith = (error: unknown) => fail(whyUnanswered(error, url).join(': '))
    const timer = setTimeout(() => failWith(new TimedOut(timeoutMs)), timeoutMs)
    whenReached(outgoing, () => {
      isReached = true
    })
    let answer: IncomingMessage | undefined
    outgoing.on('error', (error) => {
      if (!answer?.complete) failWith(error) // what follows a complete answer changes nothing
    })
    outgoing.on('close', () => {
      if (!answer) failWith({ code: 'ECONNRESET' }) // Node closes without an error after 101 Switching Protocols
    })
    outgoing.on('response', (response) => {
      answer = response
      const { statusCode: status = 0 } = response
      if (status < LOWEST_STATUS)
        return fail(`${url.host} answered with the status ${status}, which is not final`)
      response.on('error', () => fail(`${url.host} broke off its answer: see its logs`))
      readAnswer(response, end)
    })
    outgoing.end(body)
  })
}

/** Calls back once the connection is open. From then on the app may have seen the event. */
function whenReached(outgoing: ClientRequest, onReached: () => void): void {
  outgoing.on('socket', (socket: Socket & { readonly secureConnecting?: boolean }) => {
    const isOpening = socket.secureConnecting ?? socket.connecting
    if (isOpening) socket.once(socket.secureConnecting === undefined ? 'connect' : 'secureConnect', onReached)
    else onReached()
  })
}

/** Avoids `for await`, which costs three more turns of the event loop. */
function readAnswer(response: IncomingMessage, end: (answer: Untimed) => void): void {
  const { statusCode: status = 0, rawHeaders: headers } = response
  let chunks: Uint8Array[] = []
  let length = 0
  const endWith = (isCut: boolean) => {
    const body = joinChunks(chunks, length).subarray(0, MOST_ANSWER_BYTES)
    end({ kind: 'answered', status, headers, body, isCut })
  }
  response.on('data', (chunk: Uint8Array) => {
    length += chunk.length
    chunks = withChunk(chunks, chunk)
    if (length <= MOST_ANSWER_BYTES) return
    response.destroy() // the body may never end
    endWith(true)
  })
  response.on('end', () => endWith(false))
}

export type AppAnswer = AppReply | AppSilence

interface AppReply {
  readonly kind: 'answered'
  readonly status: number
  /** Names and values alternate, as in `rawHeaders`. */
  readonly headers: readonly string[]
  /** At most the first 64 KB. */
  readonly body: Uint8Array
  /** Whether the body was longer. */
  readonly isCut: boolean
  /** From the start of the request to the end of the answer. */
  readonly ms: number
}

export interface AppSilence {
  /** `unreachable`: no connection was opened, so the app saw nothing. `unknown`: it may have done the work. */
  readonly kind: 'unreachable' | 'unknown'
  /** Why, and the fix. */
  readonly problem: string
  readonly ms: number
}
