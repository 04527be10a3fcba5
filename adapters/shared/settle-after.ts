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
  const open = new OpenResponse(response, listener, event, handled)
  response.on('finish', open.onFinish).on('close', open.onClose)
  if (listener.onError !== undefined) expectEnd(open)
}

const CODE_AT_HAND = Promise.resolve()

/** An object, because a closure for each thing that can happen costs more memory. */
class OpenResponse<Payload> implements Due {
  readonly dueAt: number
  readonly #response: NodeResponse
  readonly #listener: Listener<Payload>
  readonly #event: WebhookEvent<Payload>
  readonly #handled: Promise<unknown> | undefined
  #isOver = false

  constructor(
    response: NodeResponse,
    listener: Listener<Payload>,
    event: WebhookEvent<Payload>,
    handled: Promise<unknown> | undefined,
  ) {
    this.dueAt = performance.now() + listener.leaseMs
    this.#response = response
    this.#listener = listener
    this.#event = event
    this.#handled = handled
  }

  /**
   * The last that is heard on some hosts. Those that write at once finish a response inside `end()`, which marks it as
   * ended afterwards. On HTTP/2 a response that its client left finishes, too, and closes before the mark is looked at.
   */
  readonly onFinish = (): void => {
    if (this.#response.writableEnded) this.onClose()
    else void CODE_AT_HAND.then(() => this.#response.writableEnded && this.onClose())
  }

  readonly onClose = (): void => {
    if (this.#isOver) return
    this.#isOver = true
    ended(this)
    if (!this.#response.writableEnded) return // the client left
    const settleNow = () => void settle(this.#listener, this.#event, this.#response.statusCode)
    if (this.#handled === undefined) settleNow()
    else this.#handled.then(settleNow, settleNow)
  }

  tellOverdue(): void {
    if (this.#response.destroyed) return // closed before it was watched: the claim took longer than its client waited
    const { id: listenerId, leaseMs, onError } = this.#listener
    const problem = `no answer within the lease of ${leaseMs / 1000} s: the response neither finished nor closed, and the next delivery of this event may run`
    const durationMs = performance.now() - this.dueAt + leaseMs
    callHook(onError, new Error(problem), { listenerId, eventId: this.#event.id, durationMs })
  }
}
