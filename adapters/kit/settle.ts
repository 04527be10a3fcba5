import { beatMsOf, MAY_STILL_RUN, startBeating } from '../../src/beat.ts'
import { memberOf } from '../../src/lib/member-of.ts'
import type { Listener } from '../../src/listener.ts'
import { type HandlerEnd, statusAfterHangUp } from './hung-up.ts'
import { type Claimed, LEASE } from './outcome.ts'
import type { NodeResponse } from './read-node.ts'
import { running } from './running.ts'
import { ReportedError, reportFailure, warnOfFailure } from './warn.ts'

/** What becomes of an event by the status with which its handler ends, if the sender hears of it: the table of docs/events.md. */
function endOf(status: number): 'commit' | 'release' | 'lapse' {
  if (status >= 200 && status < 300) return 'commit'
  return MAY_STILL_RUN.includes(status) ? 'lapse' : 'release'
}

/**
 * Renews the lease no more, and settles the event by the status with which its handler has ended. If the store fails, calls `onError`;
 * the response stands, and the lease expires.
 *
 * @param isUnseen Whether the sender may have missed it. Then only a success settles the event. Asked only of others, because a host may
 * have to make the signal that knows it.
 */
export function settle(
  claimed: Claimed<Listener<unknown>>,
  status: number,
  isUnseen?: () => boolean | undefined,
): Promise<unknown> | undefined {
  const { event, listener } = claimed
  const end = endOf(status)
  letGo(claimed, end)
  if (listener.settle === 'manual' || end === 'lapse' || (end !== 'commit' && isUnseen?.())) return undefined
  const about = { eventId: event.id, durationMs: 0 }
  if (status >= 300 && status < 400) {
    // Hardly any sender follows a redirect, and few handlers mean one as a failure.
    const problem = `the handler answered ${status}, a redirect, so the event was released: answer 2xx when it is done`
    reportFailure(listener, new ReportedError('ERR_REDIRECTED', problem), about)
  }
  return event[end]().catch((error: unknown) => reportFailure(listener, error, about))
}

/**
 * Commits a 2xx before it is answered, if the sender has to know whether that fails: for an inbox, and after `event.commit(tx)`, whose
 * transaction may have been rolled back, with all that the handler wrote. Rejects then, as if the handler had awaited `event.commit()`
 * itself. Does nothing otherwise, for other statuses, and for `settle: 'manual'`.
 *
 * @example
 * ```ts
 * const handled = answerTo(outcome.event).then(() => commitBefore(outcome, () => res.statusCode))
 * ```
 */
export function commitBefore(
  { event, listener, [LEASE]: lease }: Claimed<Listener<unknown>>,
  statusOf: () => number,
): Promise<unknown> | undefined {
  const isUncertain = listener.store.accepted !== undefined || lease?.joined !== undefined
  if (!isUncertain || listener.settle === 'manual' || endOf(statusOf()) !== 'commit') return undefined
  return event.commit().catch(async (error: unknown) => {
    reportFailure(listener, error, { eventId: event.id, durationMs: 0 })
    if (!listener.store.claimsAll) throw error
    await event.commit() // an inbox tells that nothing was put, and has made the job
  })
}

/** Renews the lease while the handler runs: until `settle`, a commit or release by hand, or `maxRunSeconds`. */
export function keep({ [LEASE]: lease }: Claimed<Listener<unknown>>): void {
  if (lease === undefined) return
  startBeating(lease, warnOfFailure)
  running.add(lease)
  if (lease.heldSince + beatMsOf(lease) < running.dueAt) running.watch(lease)
}

/**
 * The handler has ended, or nobody can see how it goes on. With `settle: 'manual'`, a handler that has not failed may have handed the
 * event to something that still runs, unless it has committed the event in its transaction.
 */
function letGo(
  { [LEASE]: lease, listener }: Claimed<Listener<unknown>>,
  end: ReturnType<typeof endOf>,
): void {
  if (lease === undefined) return
  if (listener.settle === 'manual' && end !== 'release' && !lease.joined?.isDone) return
  running.delete(lease)
  if (end !== 'commit') lease.judge() // a success is judged at its commit
}

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
  const end = (status: number) => settle(claimed, status, () => request.signal?.aborted)
  keep(claimed)
  try {
    const answer = await run()
    const status = statusOf.answer(answer)
    await commitBefore(claimed, () => status)
    await end(status)
    return answer
  } catch (error) {
    await end(statusOfThrown(statusOf, error))
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
export interface SeenHandler {
  /** Asked if the response has ended without it. Undefined if nobody can see it. */
  handled(): Promise<HandlerEnd> | undefined
  /** Its event is settled no earlier than this, and its lease is renewed until then. */
  readonly awaited?: Promise<unknown>
}

/** An accepted event that awaits its response. Not a class, which would cost 1.5 µs per delivery. */
interface OpenResponse {
  readonly response: NodeResponse
  readonly claimed: Claimed<Listener<unknown>>
  readonly handler: SeenHandler
  isOver: boolean
  /** Until when an answer may be held back, in monotonic milliseconds. */
  heldUntil?: number
}

/**
 * Settles the event once the Node response has been sent and `handled`, if given, has settled: 2xx commits; 408, 503 and 504
 * let the lease expire, unless the handler chooses a 2xx later; everything else releases. If a streamed response fails, the lease expires.
 *
 * If the client disconnects before the response has ended, a 2xx with which the handler ends it later commits, and otherwise
 * the lease expires. What ends it in the same turn as `close` counts only if `handled` was fulfilled before, because anything may
 * wait for `close`.
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
  const end = () => handled?.then(() => unsentStatus?.() ?? 'answers')
  settleAtEnd(response, claimed, handled ? { handled: end, awaited: handled } : { handled: end })
}

/**
 * Settles an event by the status of an answer that is complete and not sent yet. Its end then changes nothing. Rejects if
 * `commitBefore` does; the release of what is answered then is not waited for beyond the store's timeout. Undefined if the answer has to
 * wait for nothing: a status of a timeout, and a client that has disconnected, are left to the end of the response.
 */
export type SettleFirst = (status: number) => Promise<unknown> | undefined

/**
 * Like `settleAfter`, for adapters that see in their own way how a handler ends. Returns what settles the event earlier, for adapters
 * that hold the answer back: a host may freeze after it.
 */
export function settleAtEnd(
  response: NodeResponse,
  claimed: Claimed<Listener<unknown>>,
  handler: SeenHandler,
): SettleFirst {
  const open: OpenResponse = { response, claimed, handler, isOver: false }
  keep(claimed)
  if (response.destroyed ?? response.stream?.destroyed) {
    open.isOver = true
    settleLate(open, statusOfGone(open, false)) // during the claim
  } else {
    // Before other listeners, which may end the response.
    response.on('finish', () => onFinish(open)).prependListener('close', () => onClose(open))
  }
  return (status) => settleFirst(open, status)
}

function settleFirst(open: OpenResponse, status: number): ReturnType<SettleFirst> {
  const { claimed } = open
  if (open.isOver || claimed.listener.settle === 'manual' || endOf(status) === 'lapse') return undefined
  const committing = commitBefore(claimed, () => status)
  return committing ? settleAfterCommit(open, status, committing) : settleEarly(open, status)
}

async function settleAfterCommit(
  open: OpenResponse,
  status: number,
  committing: Promise<unknown>,
): Promise<void> {
  open.heldUntil ??= performance.now() + open.claimed.listener.storeTimeoutMs
  await committing
  if (!open.isOver) await settleEarly(open, status) // otherwise, the client has left
}

function settleEarly(open: OpenResponse, status: number): Promise<unknown> | undefined {
  open.isOver = true
  const settled = settle(open.claimed, status)
  const { heldUntil = Infinity } = open
  return performance.now() < heldUntil ? settled : undefined // a commit that has timed out before held it back for long enough
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
  const { response, claimed, handler } = open
  const status = sentStatus(response)
  const end = endOf(status)
  if (hasBroken(response)) letGo(claimed, end)
  else if (!hasEnded(response)) settleLate(open, statusOfGone(open, true))
  else if (end === 'lapse') settleLate(open, statusAfterTimeout(open))
  else if (handler.awaited) settleOnce(handler.awaited, claimed, status)
  else settle(claimed, status)
}

/** However it ends, its answer has been sent. */
function settleOnce(awaited: Promise<unknown>, claimed: Claimed<Listener<unknown>>, status: number): void {
  const settleNow = () => settle(claimed, status)
  awaited.then(settleNow, settleNow)
}

/** On HTTP/2, what waits for `aborted` may have ended a response before `close`, and a handler may answer by the stream alone. */
function hasEnded({ stream, writableEnded }: NodeResponse): boolean {
  if (stream === undefined) return writableEnded
  return stream.aborted !== true && (writableEnded || memberOf(stream.sentHeaders, ':status') !== undefined)
}

/** A streamed response that failed after its status was sent. Something may have ended it all the same. A client cannot fake it. */
function hasBroken(response: NodeResponse): boolean {
  const { errored } = response.stream ?? response
  return Boolean(errored) && !`${memberOf(errored, 'code')}`.startsWith('ERR_HTTP2_')
}

/** Commits if the handler still succeeds, though nobody hears of it: its work is done, and another client may have sent its delivery again. */
function settleLate({ claimed }: OpenResponse, status: Promise<number>): void {
  status.catch(() => 500).then((known) => settle(claimed, known, () => true))
}

/** The status of a handler whose client has disconnected. If it is unknown, the handler counts as still running. */
async function statusOfGone(
  { response, claimed, handler }: OpenResponse,
  isClosing: boolean,
): Promise<number> {
  const onReturn = () => letGo(claimed, endOf(sentStatus(response)))
  const status = await statusAfterHangUp(response, isClosing, () => handler.handled(), onReturn)
  await handler.awaited
  return Math.max(status ?? 503, sentStatus(response))
}

/** Something else has answered. The handler may succeed later, by how it ends or by the status that it sets then. */
async function statusAfterTimeout({ response, handler }: OpenResponse): Promise<number> {
  const { statusCode } = response
  const end = await handler.handled()
  if (typeof end === 'number') return end
  return response.statusCode === statusCode ? sentStatus(response) : response.statusCode
}

/** A handler that answers twice sends its first status (`_header` in HTTP/1), and leaves its second in `statusCode`. */
export function sentStatus(response: NodeResponse): number {
  const { stream, _header } = response
  if (stream) return Number(memberOf(stream.sentHeaders, ':status')) || response.statusCode
  return (typeof _header === 'string' && Number(_header.slice(9, 12))) || response.statusCode
}
