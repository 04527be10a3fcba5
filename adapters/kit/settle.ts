import { memberOf } from '../../src/lib/member-of.ts'
import type { Listener } from '../../src/listener.ts'
import { afterHangUp, type WhenReturned } from './hung-up.ts'
import { type Claimed, LEASE } from './outcome.ts'
import type { NodeResponse } from './read-node.ts'
import { running } from './running.ts'
import { ReportedError, reportFailure, warnOfFailure } from './warn.ts'

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

/**
 * Commits a 2xx before it is answered, if the store holds what the handler wrote, as a transaction does: if that commit fails, the writes
 * are gone, and the sender has to know. Rejects then, as if the handler had awaited `event.commit()` itself. Does nothing for other
 * stores, statuses, and `settle: 'manual'`.
 *
 * @example
 * ```ts
 * const handled = answerTo(outcome.event).then(() => commitBefore(outcome, () => res.statusCode))
 * ```
 */
export function commitBefore(
  { event, listener }: Claimed<Listener<unknown>>,
  statusOf: () => number,
): Promise<unknown> | undefined {
  if (!listener.store.accepted || listener.settle === 'manual' || !isSuccess(statusOf())) return undefined
  return event.commit().catch(async (error: unknown) => {
    reportFailure(listener, error, { eventId: event.id, durationMs: 0 })
    if (!listener.store.claimsAll) throw error
    await event.commit() // an inbox tells that nothing was put, and has made the job
  })
}

/** Whether this status commits. */
const isSuccess = (status: number) => status >= 200 && status < 300

/** Renews the lease while the handler runs: until `letGo`, a commit or release by hand, or `maxRunSeconds`. */
export function keep({ [LEASE]: lease }: Claimed<Listener<unknown>>): void {
  if (lease === undefined) return
  lease.warn = warnOfFailure
  running.add(lease)
  if (lease.heldSince + lease.beatMs < running.dueAt) running.watch(lease)
}

/**
 * The handler has ended with this status, or nobody can see how it goes on. With `settle: 'manual'`, a handler that has not failed may
 * have handed the event to something that still runs.
 */
export function letGo({ [LEASE]: lease, listener }: Claimed<Listener<unknown>>, status: number): void {
  if (lease === undefined || (listener.settle === 'manual' && !hasFailed(status))) return
  running.delete(lease)
  if (status >= 300) lease.judge() // a success is judged at its commit
}

const hasFailed = (status: number) => status >= 400 && !MAY_STILL_RUN.includes(status)

/** How an adapter determines the status of a handler's outcome. */
export interface StatusOf<Result> {
  /** The status of the handler's answer. */
  readonly answer: (answer: Result) => number
  /** The status that the framework responds with if the handler throws. If this throws itself, 500. */
  readonly thrown: (error: unknown) => number
}

/**
 * Runs a handler, renews its lease until it returns, and settles its event before the response is sent, for platforms that may stop
 * after it. If the client has disconnected, only a 2xx that the handler returned settles it, and otherwise the lease expires. Settles, or
 * rejects, like `run`, and rejects if `commitBefore` does.
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
  keep(claimed)
  try {
    const answer = await run()
    const status = statusOf.answer(answer)
    await commitBefore(claimed, () => status)
    letGo(claimed, status)
    if (isSuccess(status) || !isGone()) await settle(claimed, status)
    return answer
  } catch (error) {
    const status = statusOfThrown(statusOf, error)
    letGo(claimed, status)
    if (!isGone()) await settle(claimed, status)
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

/** How an adapter sees its handler end, apart from its response. */
export interface HandlerEnd {
  /** Settles when the handler ends: its event is settled no earlier, and its lease is renewed until then. */
  readonly handled?: Promise<unknown> | undefined
  /** For a handler whose client has disconnected. */
  readonly whenReturned?: WhenReturned | undefined
  /**
   * Finds the promise of a handler, once its response is over. Until it settles, the lease is renewed for a handler that something else
   * has answered for, and a 2xx that it is fulfilled with commits. Once it rejects, the lease of a client that has disconnected is renewed
   * no more.
   */
  readonly returned?: (() => Promise<number | undefined> | undefined) | undefined
}

/** An accepted event that awaits its response. Not a class, which would cost 1.5 µs per delivery. */
interface OpenResponse extends HandlerEnd {
  readonly response: NodeResponse
  readonly claimed: Claimed<Listener<unknown>>
  isOver: boolean
}

/**
 * Settles the event once the Node response has been sent and `handled`, if given, has settled: 2xx commits; 408, 503 and 504
 * let the lease expire, unless the handler chooses a 2xx later; everything else releases. If a streamed response fails, the lease expires.
 *
 * If the client disconnects before the response has ended, a 2xx with which the handler ends it later commits, and otherwise
 * the lease expires. What ends it in the same turn as `close` counts only if `handled` has settled by then too, because anything
 * may wait for `close`.
 *
 * Renews the lease until `handled` has settled. Without it, until the response has ended, and if the client has disconnected before,
 * until something ends it. If nothing does, until `maxRunSeconds`.
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
  settleAtEnd(response, claimed, {
    handled,
    whenReturned: handled && whenFulfilled(handled, unsentStatus),
  })
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
 * settleAtEnd(res, outcome, { whenReturned: (tell) => void answerTo(outcome.event).then(() => tell()) })
 * ```
 */
export function settleAtEnd(
  response: NodeResponse,
  claimed: Claimed<Listener<unknown>>,
  { handled, whenReturned, returned }: HandlerEnd = {},
): void {
  const open = { response, claimed, handled, whenReturned, returned, isOver: false }
  keep(claimed)
  if (response.destroyed ?? response.stream?.destroyed) return void onHangUp(open, false) // during the claim
  // Before other listeners, which may end the response.
  response.on('finish', () => onFinish(open)).prependListener('close', () => onClose(open))
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
  const { response, claimed, handled } = open
  if (hasBroken(response)) return void letGo(claimed, sentStatus(response))
  const { writableEnded, stream } = response
  // On HTTP/2, what waits for `aborted` may have ended the response before `close`.
  if (!writableEnded || stream?.aborted === true) return void onHangUp(open, true)
  if (MAY_STILL_RUN.includes(sentStatus(response))) return void settleAfterTimeout(open)
  if (handled === undefined) return void settleNow(open)
  const settleLate = () => settleNow(open)
  handled.then(settleLate, settleLate)
}

/** A streamed response that failed after its status was sent. Something may have ended it all the same. A client cannot fake it. */
function hasBroken(response: NodeResponse): boolean {
  const { errored } = response.stream ?? response
  return Boolean(errored) && !`${memberOf(errored, 'code')}`.startsWith('ERR_HTTP2_')
}

/** Commits if the handler still succeeds: its work is done, and another client may only have sent its delivery again. */
function onHangUp(open: OpenResponse, isClosing: boolean): void {
  const { response, claimed, handled, whenReturned } = open
  if (handled) letGoAfter(handled, open)
  else queueMicrotask(() => open.returned?.()?.catch(() => letGo(claimed, 500))) // it will not end the response
  afterHangUp(response, isClosing, whenReturned, (status) => {
    if (status === undefined) return letGoAfter(handled ?? open.returned?.(), open)
    if (handled === undefined) letGo(claimed, status)
    if (!isSuccess(status) || !isSuccess(sentStatus(response))) return
    if (handled === undefined) return void settle(claimed, status)
    handled.then(() => settle(claimed, status)).catch(() => {}) // a handler that failed
  })
}

function settleNow({ claimed, response }: OpenResponse): void {
  const status = sentStatus(response)
  letGo(claimed, status)
  void settle(claimed, status)
}

/** Something else has answered. Commits if the handler succeeds later, by what it returns or by the status that it sets then. */
function settleAfterTimeout(open: OpenResponse): void {
  const { claimed, handled, response } = open
  const { statusCode } = response
  const returned = open.returned?.() ?? handled?.then(() => undefined)
  if (returned === undefined) return void letGo(claimed, sentStatus(response))
  const onReturn = (own: number | undefined) => {
    const status = response.statusCode === statusCode ? own : response.statusCode
    if (status === undefined || !isSuccess(status)) return void letGo(claimed, sentStatus(response))
    letGo(claimed, status)
    void settle(claimed, status)
  }
  returned.then(onReturn, () => letGo(claimed, sentStatus(response)))
}

/** Lets go at the end of a handler whose client has disconnected: now, if its end cannot be seen. */
function letGoAfter(end: Promise<unknown> | undefined, { claimed, response }: OpenResponse): void {
  const onEnd = () => letGo(claimed, sentStatus(response))
  if (end) end.then(onEnd, onEnd)
  else onEnd()
}

/** A handler that answers twice sends its first status (`_header` in HTTP/1), and leaves its second in `statusCode`. */
export function sentStatus(response: NodeResponse): number {
  const { stream, _header } = response
  if (stream) return Number(memberOf(stream.sentHeaders, ':status')) || response.statusCode
  return (typeof _header === 'string' && Number(_header.slice(9, 12))) || response.statusCode
}
