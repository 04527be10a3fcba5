import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { verifyWebhook } from '../adapters/express.ts'
import { type Listener, ListenerConfigError, type Verdict, type VerdictContext } from '../src/index.ts'
import type { DeliveryLine } from './delivery-line.ts'
import { remark } from './output.ts'
import { refuseUnreadable } from './unreadable.ts'

/** What becomes known of a delivery while it is answered. */
interface Progress {
  listener?: string
  context?: VerdictContext
  verdict?: Verdict
}

/** Gives a server its one webhook endpoint. `tell` hears of each delivery once it is over, and why it was refused. */
export function serveWebhooks(
  server: Server,
  listener: Listener,
  path: string,
  tell: (line: DeliveryLine, detail: string | undefined) => void,
): void {
  const progressOf = new WeakMap<IncomingMessage, Progress>()
  // A handshake may put a query behind the path. Events have none.
  const mayAsk = listener.auth.sender?.scheme.handshake !== undefined
  const isOurs = ({ url = '' }: IncomingMessage) => url === path || (mayAsk && url.startsWith(`${path}?`))
  // A lookup for each request, because only so does a verdict know which request it is about.
  const receive = verifyWebhook((request) => {
    const progress = progressOf.get(request)
    return isOurs(request) && progress ? watched(listener, progress) : undefined
  })
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const progress: Progress = {}
    progressOf.set(request, progress)
    whenOver(response, (time, status, ms) => {
      const { verdict } = progress
      tell({ time, ...outcomeOf(progress, status), ms }, verdict?.ok === false ? verdict.detail : undefined)
    })
    receive(request, response, (error) => (error === undefined ? accept(response) : fail(response, error)))
  }
  refuseUnreadable(server)
  server.on('request', answer).on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    if (isOurs(request) && !announcesTooMuch(request, listener)) response.writeContinue()
    answer(request, response)
  })
}

/** The status is null when the sender hung up before it had one. */
function whenOver(
  response: ServerResponse,
  tell: (time: string, status: number | null, ms: number) => void,
): void {
  const [time, startedAt] = [new Date().toISOString(), performance.now()]
  response.once('close', () => {
    const ms = roundToTenth(performance.now() - startedAt)
    const status = response.headersSent ? response.statusCode : null
    // When a sender hangs up, the response is over before the verdict is in: by a turn of the event loop.
    setImmediate(() => tell(time, status, ms))
  })
}

/** What will be refused on its headers alone is not asked for. */
function announcesTooMuch({ headers }: IncomingMessage, { maxBodyBytes }: Listener): boolean {
  return Number(headers['content-length']) > maxBodyBytes
}

function watched(listener: Listener, progress: Progress): Listener {
  progress.listener = listener.id
  return {
    ...listener,
    onVerdict(verdict, context) {
      Object.assign(progress, { verdict, context })
    },
    onError(error, context) {
      progress.context = context
      listener.onError?.(error, context)
    },
  }
}

const ACCEPTED = { verdict: 'accepted' } as const
const REFUSED = { verdict: 'refused' } as const
const HANDSHAKE = { verdict: 'handshake' } as const
const UNDECIDED = { verdict: 'undecided' } as const

function outcomeOf({ listener: id, verdict, context }: Progress, status: number | null) {
  const listener = id ?? null
  const eventId = context?.eventId ?? null
  if (listener === null) return { listener, eventId, ...REFUSED, reason: 'listener_unknown', status }
  if (verdict === undefined) return { listener, eventId, ...UNDECIDED, reason: 'unavailable', status }
  if (verdict.ok) return { listener, eventId, ...ACCEPTED, reason: null, status }
  if (verdict.handshake) return { listener, eventId, ...HANDSHAKE, reason: null, status }
  return { listener, eventId, ...REFUSED, reason: verdict.reason, status }
}

function accept(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"accepted":true}')
}

/** Only the set-up's mistakes are quoted: what else was thrown may repeat the request. */
function fail(response: ServerResponse, error: unknown): void {
  remark(`hookgate: ${error instanceof ListenerConfigError ? error.message : 'internal error'}`)
  if (response.headersSent) return
  response.writeHead(500, { 'content-type': 'application/problem+json', connection: 'close' })
  response.end('{"status":500,"title":"Internal Server Error","code":"internal"}')
}

function roundToTenth(value: number): number {
  return Math.round(value * 10) / 10
}
