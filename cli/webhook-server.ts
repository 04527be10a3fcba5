import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { verifyWebhook } from '../adapters/express.ts'
import { type Listener, ListenerConfigError, type Verdict, type VerdictContext } from '../src/index.ts'
import type { DeliveryLine } from './delivery-line.ts'
import { printable, remark } from './output.ts'

/** What becomes known of a delivery while it is answered. */
interface Progress {
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
  // A lookup for each request, because only so does a verdict know which request it is about.
  const receive = verifyWebhook((request) => {
    const progress = progressOf.get(request)
    return request.url === path && progress ? watched(listener, progress) : undefined
  })
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const progress: Progress = {}
    const [time, startedAt] = [new Date().toISOString(), performance.now()]
    progressOf.set(request, progress)
    response.once('close', () => {
      const line = { time, ...outcomeOf(progress, response), ms: roundToTenth(performance.now() - startedAt) }
      tell(line, progress.verdict?.ok === false ? progress.verdict.detail : undefined)
    })
    receive(request, response, (error) => (error === undefined ? accept(response) : fail(response, error)))
  }
  server.on('request', answer).on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    // What will be refused on its headers alone is not asked for.
    const announced = Number(request.headers['content-length'])
    if (request.url === path && !(announced > listener.maxBodyBytes)) response.writeContinue()
    answer(request, response)
  })
}

function watched(listener: Listener, progress: Progress): Listener {
  return {
    ...listener,
    onVerdict(verdict, context) {
      Object.assign(progress, { verdict, context })
    },
    onError(error, context) {
      progress.context = context
      remark(`hookgate: ${error instanceof Error ? printable(error.message) : 'cannot decide'}`)
    },
  }
}

function outcomeOf({ verdict, context }: Progress, response: ServerResponse) {
  const status = response.headersSent ? response.statusCode : null
  const listener = context?.listenerId ?? null
  const eventId = context?.eventId ?? null
  if (verdict?.ok) return { listener, eventId, verdict: 'accepted', reason: null, status } as const
  if (verdict) return { listener, eventId, verdict: 'refused', reason: verdict.reason, status } as const
  if (status === 404)
    return { listener, eventId, verdict: 'refused', reason: 'listener_unknown', status } as const
  return { listener, eventId, verdict: 'undecided', reason: 'unavailable', status } as const
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
