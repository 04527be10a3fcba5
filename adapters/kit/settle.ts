import { callHook } from '../../src/lib/hooks.ts'
import { memberOf } from '../../src/lib/member-of.ts'
import type { Listener } from '../../src/listener.ts'
import { afterHangUp, type WhenReturned } from './hung-up.ts'
import type { Claimed } from './outcome.ts'
import type { NodeResponse } from './read-node.ts'
import { ReportedError, reportFailure } from './warn.ts'

/** Statuses of timeouts. The handler may still be running, so no other delivery may start before the lease ends. */
const MAY_STILL_RUN: readonly number[] = [408, 503, 504]

/**
 * Settles an event by the status of its response: 2xx commits; 408, 503 and 504 let the lease expire; everything else
 * releases. If the store fails, calls `onError`; the response stands, and the lease expires. Calls it for a redirect too, because
 * hardly any sender follows one, and few handlers mean one as a failure.
 */
export function settle(
  { event, listener }: Claimed<Listener<unknown>>,
  status: number,
): Promise<unknown> | undefined {
  if (listener.settle === 'manual' || MAY_STILL_RUN.includes(status)) return undefined
  const about = { eventId: event.id, durationMs: 0 }
  if (status >= 300 && status < 400) {
    const problem = `the handler answered ${status}, a redirect, so the event was released: answer 2xx when it is done`
    reportFailure(listener, new ReportedError('ERR_REDIRECTED', problem), about)
  }
  return (isSuccess(status) ? event.commit() : event.release()).catch((error: unknown) =>
    reportFailure(listener, error, about),
  )
}

/** Whether this status commits. */
const isSuccess = (status: number) => status >= 200 && status < 300

/** How an adapter determines the status of a handler's outcome. */
export interface StatusOf<Result> {
  /** The status of the handler's answer. */
  readonly answer: (answer: Result) => number
  /** The status that the framework responds with if the handler throws. If this throws itself, 500. */
  readonly thrown: (error: unknown) => number
}

/**
 * Runs a handler, and settles its event before the response is sent, for platforms that may stop after it. If the client
 * has disconnected, only a 2xx that the handler returned settles it, and otherwise the lease expires. Settles, or rejects, like
 * `run`.
 *
 * @example
 * ```ts
 * const statusOf = { answer: ({ status }: Response) => status, thrown: () => 500 }
 * const response = await settleBefore(request, outcome, () => answerTo(outcome.event), statusOf)
 * ```
 */
export async function settleBefore<Result>(
  request: Request,
  claimed: Claimed<Listener<unknown>>,
  run: () => Promise<Result>,
  statusOf: StatusOf<Result>,
): Promise<Result> {
  const isGone = () => request.signal?.aborted === true // it may have missed the response
  try {
    const answer = await run()
    const status = statusOf.answer(answer)
    if (isSuccess(status) || !isGone()) await settle(claimed, status)
    return answer
  } catch (error) {
    if (!isGone()) await settle(claimed, statusOfThrown(statusOf, error))
    throw error
  }
}

/** 500 for what cannot be read. */
function statusOfThrown({ thrown }: StatusOf<never>, error: unknown): number {
  try {
    return thrown(error)
  } catch {
    return 500
  }
}

/** An accepted event that awaits its response. Not a class, which would cost 1.5 µs per delivery. */
interface OpenResponse extends Due {
  readonly response: NodeResponse
  readonly claimed: Claimed<Listener<unknown>>
  /** Settles when the handler ends, if known. */
  readonly handled: Promise<unknown> | undefined
  readonly whenReturned: WhenReturned | undefined
  isOver: boolean
}

/**
 * Settles the event once the Node response has been sent and `handled`, if given, has settled: 2xx commits; 408, 503 and 504
 * let the lease expire; everything else releases. If a streamed response fails, the lease expires.
 *
 * If the client disconnects before the response has ended, a 2xx with which the handler ends it later commits, and otherwise
 * the lease expires. What ends it in the same turn as `close` counts only if `handled` has settled by then too, because anything
 * may wait for `close`.
 *
 * Reports a response that is still open at the end of the lease to `onError`, and a handler that still runs, because something
 * in front of it has answered.
 *
 * @param unsentStatus The status of a handler whose `handled` is fulfilled, for frameworks that do not end the response if its
 * client has disconnected.
 * @example
 * ```ts
 * const handled = answerTo(outcome.event)
 * settleAfter(res, outcome, handled)
 * await handled
 * ```
 */
export function settleAfter(
  response: NodeResponse,
  claimed: Claimed<Listener<unknown>>,
  handled?: Promise<unknown>,
  unsentStatus?: () => number | undefined,
): void {
  settleAtEnd(response, claimed, handled && whenFulfilled(handled, unsentStatus), handled)
}

function whenFulfilled(handled: Promise<unknown>, unsentStatus?: () => number | undefined): WhenReturned {
  return (tell) => void handled.then(() => tell(unsentStatus?.())).catch(() => {})
}

/**
 * Like `settleAfter`, for adapters that see in their own way how a handler returns. Waits for the response alone, unless
 * `handled` is given.
 *
 * @example
 * ```ts
 * settleAtEnd(res, outcome, (tell) => void answerTo(outcome.event).then(() => tell()))
 * ```
 */
export function settleAtEnd(
  response: NodeResponse,
  claimed: Claimed<Listener<unknown>>,
  whenReturned?: WhenReturned,
  handled?: Promise<unknown>,
): void {
  const { listener } = claimed
  if (listener.settle === 'manual') return
  const hasHook = Boolean(listener.onError) // nothing else needs the end of the lease
  const dueAt = hasHook ? performance.now() + listener.leaseMs : 0
  const open = { response, claimed, handled, whenReturned, dueAt, tellOverdue: tellLate, isOver: false }
  if (response.destroyed ?? response.stream?.destroyed) return void onHangUp(open, false) // during the claim
  // Before other listeners, which may end the response.
  response.on('finish', () => onFinish(open)).prependListener('close', () => onClose(open))
  if (hasHook) expectEnd(open)
}

/**
 * Some hosts emit `finish` but no `close`, and some emit it inside `end()`, before they set `writableEnded`: so it looks again a
 * microtask later. On HTTP/2, a response whose client disconnected finishes too, but `close` comes before that.
 */
function onFinish(open: OpenResponse): void {
  if (open.response.writableEnded) onClose(open)
  else queueMicrotask(() => open.response.writableEnded && onClose(open))
}

function onClose(open: OpenResponse): void {
  if (open.isOver) return
  open.isOver = true
  const { response, handled } = open
  if (hasFailed(response)) return void ended(open)
  const { writableEnded, stream } = response
  // On HTTP/2, what waits for `aborted` may have ended the response before `close`.
  if (!writableEnded || stream?.aborted === true) return void onHangUp(open, true)
  if (handled === undefined) return void settleNow(open)
  const settleLate = () => settleNow(open)
  handled.then(settleLate, settleLate)
}

/** A streamed response that failed after its status was sent. Something may have ended it all the same. A client cannot fake it. */
function hasFailed(response: NodeResponse): boolean {
  const { errored } = response.stream ?? response
  return Boolean(errored) && !`${memberOf(errored, 'code')}`.startsWith('ERR_HTTP2_')
}

/** Commits if the handler still succeeds: its work is done, and another client may only have sent its delivery again. */
function onHangUp(open: OpenResponse, isClosing: boolean): void {
  ended(open)
  const { response, claimed, handled, whenReturned } = open
  afterHangUp(response, isClosing, whenReturned, (status) => {
    if (!isSuccess(status) || !isSuccess(sentStatus(response))) return
    if (handled === undefined) return void settle(claimed, status)
    handled.then(() => settle(claimed, status)).catch(() => {}) // a handler that failed
  })
}

function settleNow(open: OpenResponse): void {
  ended(open)
  void settle(open.claimed, sentStatus(open.response))
}

/** A handler that answers twice sends its first status (`_header` in HTTP/1), and leaves its second in `statusCode`. */
export function sentStatus(response: NodeResponse): number {
  const { stream, _header } = response
  if (stream) return Number(memberOf(stream.sentHeaders, ':status')) || response.statusCode
  return (typeof _header === 'string' && Number(_header.slice(9, 12))) || response.statusCode
}

function tellLate(this: OpenResponse): void {
  const { isOver, response, claimed } = this
  const { id: listenerId, leaseMs, onError } = claimed.listener
  const state = isOver
    ? `${sentStatus(response)} was sent, but the handler still runs`
    : 'the response neither finished nor closed'
  const problem = `no answer within the lease of ${leaseMs / 1000} s: ${state}, and the next delivery of this event may run`
  const durationMs = performance.now() - this.dueAt + leaseMs
  callHook(onError, new ReportedError('ERR_NO_ANSWER', problem), {
    listenerId,
    eventId: claimed.event.id,
    durationMs,
  })
}

/** What the sweep watches: a response, until it has ended. */
interface Due {
  /** When it should have ended, by `performance.now()`. */
  readonly dueAt: number
  /** Called once, if it has not ended by then. */
  tellOverdue(): void
}

const SWEEP_MS = 1000

const awaited = new Set<Due>()
let isArmed = false

/** Calls `tellOverdue` if `due` has not ended by its time, within a second: one timer sweeps them all. */
export function expectEnd(due: Due): void {
  awaited.add(due)
  if (!isArmed) arm()
}

/** Ends the wait. */
export function ended(due: Due): void {
  awaited.delete(due)
}

function arm(): void {
  isArmed = true
  const timer = setTimeout(sweep, SWEEP_MS)
  // Where timers are objects (Node), do not let one keep the process alive.
  const unref = memberOf(timer, 'unref')
  if (typeof unref === 'function') Reflect.apply(unref, timer, [])
}

function sweep(): void {
  isArmed = false
  const now = performance.now()
  for (const due of awaited) {
    if (due.dueAt > now) continue
    awaited.delete(due)
    due.tellOverdue()
  }
  if (awaited.size > 0) arm()
}
