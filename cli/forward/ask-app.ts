import http, { type IncomingMessage, type OutgoingHttpHeaders } from 'node:http'
import https from 'node:https'
import type { Socket } from 'node:net'
import { joinChunks, withChunk } from '../../src/lib/read-stream.ts'
import { codeOf } from '../values.ts'
import type { AppAnswer, AppReply, AppSilence } from './app-answer.ts'

const MOST_ANSWER_BYTES = 65_536
/** Servers close idle connections after 2 s (gunicorn) or 5 s (Node). A request sent at that moment would be lost. */
const IDLE_MS = 1000

/** The app behind `--forward-to`. */
export interface App {
  /** Sends one POST, once. Never rejects for anything that the app or the network does. */
  ask(headers: OutgoingHttpHeaders, body: Uint8Array): Promise<AppAnswer>
  /** Closes idle connections. */
  close(): void
}

/** One request, and whether the app may have seen it. */
interface Attempt {
  isReached: boolean
}

export function appAt(url: URL, timeoutMs: number): App {
  const { Agent, request } = url.protocol === 'https:' ? https : http
  const agent = new Agent({ keepAlive: true, timeout: IDLE_MS })
  return {
    ask(headers, body) {
      const startedAt = performance.now()
      return new Promise((resolve) => {
        const attempt: Attempt = { isReached: false }
        const outgoing = request(url, { method: 'POST', agent, headers })
        const end = (answer: Untimed) => {
          clearTimeout(timer)
          resolve({ ...answer, ms: performance.now() - startedAt })
        }
        const fail = (problem: string) =>
          end({ kind: attempt.isReached ? 'unknown' : 'unreachable', problem })
        const timer = setTimeout(() => {
          fail(`no answer within ${timeoutMs / 1000} s`)
          outgoing.destroy()
        }, timeoutMs)
        outgoing
          .on('socket', (socket) => noteReached(socket, attempt))
          .on('error', (error) => fail(codeOf(error) || 'the connection failed'))
          .on('response', (response) => {
            if (closesSoon(response)) outgoing.shouldKeepAlive = false
            readAnswer(response).then(end, (error) => fail(codeOf(error) || 'the answer broke off'))
          })
          .end(body)
      })
    },
    close: () => agent.destroy(),
  }
}

type Untimed = Omit<AppReply, 'ms'> | Omit<AppSilence, 'ms'>

/** Once its connection is open, bytes may be on their way: only a later attempt by the sender is safe. */
function noteReached(socket: Socket & { readonly secureConnecting?: boolean }, attempt: Attempt): void {
  const isOpening = socket.secureConnecting ?? socket.connecting
  if (!isOpening) {
    attempt.isReached = true
    return
  }
  const opened = socket.secureConnecting === undefined ? 'connect' : 'secureConnect'
  socket.once(opened, () => {
    attempt.isReached = true
  })
}

/** Whether the app announces that it closes idle connections as soon as the agent does, or sooner. */
function closesSoon({ headers }: IncomingMessage): boolean {
  const [, seconds] = /^timeout=([0-9]{1,9})/.exec(String(headers['keep-alive'] ?? '').slice(0, 32)) ?? []
  return seconds !== undefined && Number(seconds) * 1000 <= IDLE_MS
}

async function readAnswer(response: IncomingMessage): Promise<Omit<AppReply, 'ms'>> {
  const { statusCode: status = 0 } = response
  if (status < 200) throw new Error('not a final answer') // 101, which nobody asked for
  let chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response) {
    length += chunk.length
    chunks = withChunk(chunks, chunk, length)
    if (length > MOST_ANSWER_BYTES) break // and hang up: it may never end
  }
  return {
    kind: 'answered',
    status,
    headers: response.rawHeaders,
    body: joinChunks(chunks, length).subarray(0, MOST_ANSWER_BYTES),
    isCut: length > MOST_ANSWER_BYTES,
  }
}
