import type { WebhookEvent } from '../../src/event.ts'
import { callHook } from '../../src/lib/hooks.ts'
import type { Listener } from '../../src/listener.ts'
import { type Due, ended, expectEnd } from './overdue.ts'
import { settle } from './settle.ts'

/** The part of `http.ServerResponse` that is watched here. */
export interface NodeResponse {
  readonly statusCode: number
  readonly writableEnded: boolean
  readonly destroyed?: boolean
  /** Null as long as an earlier response has the connection. */
  readonly socket?: unknown
  on(event: string, listener: () => void): this
}

/** An accepted event whose answer is still to come. No class: its fields would cost each delivery a microsecond and a half. */
interface OpenResponse<Payload> extends Due {
  readonly response: NodeResponse
  readonly listener: Listener<Payload>
  readonly event: WebhookEvent<Payload>
  /** Until when the handler runs, where that is known. */
  readonly handled: Promise<unknown> | undefined
  isOver: boolean
}

/**
 * Settles when a Node response is out, and `handled`, if given, is over too. If the client left before the response was
 * ended, the lease lapses. `onError` hears of a response that is still open at the end of the lease.
 */
export function settleAfter<Payload>(
  response: NodeResponse,
  listener: Listener<Payload>,
  event: WebhookEvent<Payload>,
  handled?: Promise<unknown>,
): void {
  if (listener.settle === 'manual') return
  const isWatched = listener.onError !== undefined
  const dueAt = isWatched ? performance.now() + listener.leaseMs : 0
  const tellOverdue = tellLate
  const open = { response, listener, event, handled, dueAt, tellOverdue, isOver: false }
  response.on('finish', () => finished(open)).on('close', () => closed(open))
  if (isWatched) expectEnd(open)
}

const CODE_AT_HAND = Promise.resolve()

/**
 * The last that is heard on some hosts. Those that write at once finish a response inside `end()`, which marks it as
 * ended afterwards. On HTTP/2 a response that its client left finishes, too, and closes before the mark is looked at.
 */
function finished<Payload>(open: OpenResponse<Payload>): void {
  if (open.response.writableEnded) closed(open)
  else void CODE_AT_HAND.then(() => open.response.writableEnded && closed(open))
}

function closed<Payload>(open: OpenResponse<Payload>): void {
  if (open.isOver) return
  open.isOver = true
  ended(open)
  const { response, listener, event, handled } = open
  if (!response.writableEnded) return // the client left
  if (handled === undefined) return void settle(listener, event, response.statusCode)
  const settleNow = () => void settle(listener, event, response.statusCode)
  handled.then(settleNow, settleNow)
}

function tellLate<Payload>(this: OpenResponse<Payload>): void {
  if (this.response.destroyed) return // closed before it was watched: the claim took longer than its client waited
  const { id: listenerId, leaseMs, onError } = this.listener
  const problem = `no answer within the lease of ${leaseMs / 1000} s: the response neither finished nor closed, and the next delivery of this event may run`
  const durationMs = performance.now() - this.dueAt + leaseMs
  callHook(onError, new Error(problem), { listenerId, eventId: this.event.id, durationMs })
}
