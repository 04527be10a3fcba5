import type { WebhookEvent } from '../../src/event.ts'
import { callHook } from '../../src/lib/hooks.ts'
import type { Listener } from '../../src/listener.ts'
import { type Due, ended, expectEnd } from './overdue.ts'
import { ReportedError } from './reported-error.ts'
import { settle } from './settle.ts'

/** The part of `http.ServerResponse` that is used. */
export interface NodeResponse {
  readonly statusCode: number
  readonly writableEnded: boolean
  readonly destroyed?: boolean
  /** Null while an earlier response has the connection. */
  readonly socket?: unknown
  on(event: string, listener: () => void): this
}

/** An accepted event that awaits its response. Not a class, which would cost 1.5 µs per delivery. */
interface OpenResponse<Payload> extends Due {
  readonly response: NodeResponse
  readonly listener: Listener<Payload>
  readonly event: WebhookEvent<Payload>
  /** Settles when the handler ends, if known. */
  readonly handled: Promise<unknown> | undefined
  isOver: boolean
}

/**
 * Settles the event once the Node response has been sent and `handled`, if given, has settled. If the client disconnects
 * before the response ends, the lease expires. Reports a response that is still open at the end of the lease to `onError`, and
 * a handler that still runs, because something in front of it has answered.
 */
export function settleAfter<Payload>(
  response: NodeResponse,
  listener: Listener<Payload>,
  event: WebhookEvent<Payload>,
  handled?: Promise<unknown>,
): void {
  if (listener.settle === 'manual') return
  const isWatched = Boolean(listener.onError) // without a hook, nobody waits for the end of the lease
  const dueAt = isWatched ? performance.now() + listener.leaseMs : 0
  const tellOverdue = tellLate
  const open = { response, listener, event, handled, dueAt, tellOverdue, isOver: false }
  response.on('finish', () => finished(open)).on('close', () => closed(open))
  if (isWatched) expectEnd(open)
}

const CODE_AT_HAND = Promise.resolve()

/**
 * The last event on some hosts. Some emit it inside `end()`, before `writableEnded` is set. On HTTP/2, a response whose
 * client disconnected also finishes, and closes before the deferred look at `writableEnded`.
 */
function finished<Payload>(open: OpenResponse<Payload>): void {
  if (open.response.writableEnded) closed(open)
  else void CODE_AT_HAND.then(() => open.response.writableEnded && closed(open))
}

function closed<Payload>(open: OpenResponse<Payload>): void {
  if (open.isOver) return
  open.isOver = true
  const { response, handled } = open
  if (!response.writableEnded) return void ended(open) // the client disconnected
  if (handled === undefined) return void settleNow(open)
  const settleLate = () => settleNow(open)
  handled.then(settleLate, settleLate)
}

function settleNow<Payload>(open: OpenResponse<Payload>): void {
  ended(open)
  void settle(open.listener, open.event, open.response.statusCode)
}

function tellLate<Payload>(this: OpenResponse<Payload>): void {
  const { isOver, response } = this
  if (!isOver && response.destroyed) return // the client disconnected during the claim, before `close` was observed
  const { id: listenerId, leaseMs, onError } = this.listener
  const state = isOver
    ? `${response.statusCode} was sent, but the handler still runs`
    : 'the response neither finished nor closed'
  const problem = `no answer within the lease of ${leaseMs / 1000} s: ${state}, and the next delivery of this event may run`
  const durationMs = performance.now() - this.dueAt + leaseMs
  callHook(onError, new ReportedError('ERR_NO_ANSWER', problem), {
    listenerId,
    eventId: this.event.id,
    durationMs,
  })
}
