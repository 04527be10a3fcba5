import { leaseOf } from '../../src/accepted-event.ts'
import { sourceFailure } from '../../src/checks/source-ip.ts'
import { ListenerConfigError } from '../../src/errors.ts'
import { ignoreRejection } from '../../src/lib/hooks.ts'
import { isPromise, type MaybePromise } from '../../src/lib/maybe-promise.ts'
import { isA } from '../../src/lib/member-of.ts'
import {
  checkOptions,
  type OptionCheck,
  optional,
  positiveInteger,
  timerSeconds,
} from '../../src/lib/options.ts'
import { MAX_BODY_BYTES } from '../../src/limits.ts'
import type { EventOf, Listener } from '../../src/listener.ts'
import { fail } from '../../src/reason.ts'
import { traceVerify } from '../../src/report.ts'
import { noteClaim, sharedId } from '../../src/shared-id.ts'
import type { Verdict } from '../../src/verdict.ts'
import { Verification } from '../../src/verification.ts'
import { checkAndClaim } from '../../src/verify.ts'
import { BodyIncompleteError, type Incoming } from './incoming.ts'
import { checkTarget, findListener, type ListenerLookup } from './lookup.ts'
import {
  BUSY,
  type Claimed,
  LEASE,
  type Refusal,
  refuse,
  refuseBusy,
  refuseUndecided,
  refuseUnread,
} from './outcome.ts'
import { OverloadError, type Seat, Seats } from './seats.ts'
import { isClaimed, reportFailure } from './warn.ts'

/** The options that all adapters share. The limits apply per `verifyWebhook()` or `webhookHandler()` call. */
export interface ReceiverOptions {
  /** How long a body may take to arrive, in seconds. Defaults to 10. */
  readonly bodyTimeoutSeconds?: number | undefined
  /**
   * The most deliveries that are read or checked at the same time. Defaults to 4096.
   *
   * They are arriving, or wait for a lookup, a key set, the store or a payload schema. For one more, the incomplete body with the lowest rate since its first byte is cut: 503, and its connection is closed. If all are
   * complete, the newest gets the 503.
   */
  readonly maxConcurrentBodies?: number | undefined
  /**
   * The most memory for their bodies, in bytes. Defaults to 268,435,456 (256 MB). Must be at least the listener's `maxBodyBytes`.
   *
   * Counts the bytes that have arrived, not Content-Length. When there are more, the slowest is cut, as above.
   */
  readonly maxConcurrentBytes?: number | undefined
}

/** What a receiver has to know of its adapter. */
export interface ReceiverSetup<Request> {
  /** The name of the adapter's function, for error messages. Defaults to `verifyWebhook`. */
  readonly caller?: string
  /** Further options, each with a check that throws if the value is invalid. All others are unknown, and throw. */
  readonly ownOptions?: { readonly [name: string]: (value: unknown, option: string) => void }
  /** Recognises a request that was received before, which is a mistake. By default, each request is marked. */
  readonly wasReceived?: (request: Request) => boolean
}

/**
 * The way from a request to its handler. Resolves with a refusal, whose `reply` is to be sent, or with what it has found. Rejects with a ListenerConfigError for a setup mistake, and with what your code threw, which both belong on the
 * framework's error path. `asError` turns what a framework could take for no error, or cannot read, into a ListenerConfigError too.
 */
export interface Receiver<Request, Given extends Listener<unknown> = Listener> {
  /** Finds the listener, reads the body, checks the delivery, and claims its event. Run the handler with the event, and settle it. */
  receiveAndClaim(request: Request, incoming: Incoming): Promise<Claimed<Given> | Refusal>
}

/** The defaults of `maxConcurrentBodies` and `maxConcurrentBytes`. */
const MOST_BODIES = 4096
export const MOST_BYTES = 268_435_456

/** Seats for addresses that are not allowed: enough to refuse them properly, too few to cause harm. */
const MOST_DISALLOWED = 64

/**
 * Makes the receiver of one mounted adapter, with its own limits.
 *
 * @example
 * ```ts
 * const strict = createReceiver(listener, { bodyTimeoutSeconds: 5 })
 * ```
 *
 * @throws ListenerConfigError for an unknown or invalid option, and for a target that is neither a listener nor a function.
 */
export function createReceiver<Request extends object, Given extends Listener<unknown>>(
  target: Given | ListenerLookup<Request, Given>,
  options?: ReceiverOptions,
  setup?: ReceiverSetup<Request>,
): Receiver<Request, Given> {
  const { judge } = createJudge(target, options, setup)
  return {
    receiveAndClaim: (request, incoming) => judge(request, incoming, checkAndClaim, outcomeOf<Given>),
  }
}

/** What does the work that each road needs, on deliveries that have arrived, and the seats of their bodies. */
interface Judge<Request> {
  readonly seats: Seats
  judge<Judged extends Verdict<unknown> | undefined, Outcome extends Passed>(
    request: Request,
    incoming: Incoming,
    work: (verification: Verification) => MaybePromise<Judged>,
    outcomeFor: (judged: Judged, verification: Verification) => Outcome | Refusal,
  ): Promise<Outcome | Refusal>
}

/** Throws as `createReceiver` does. */
export function createJudge<Request extends object>(
  target: Listener<unknown> | ListenerLookup<Request, Listener<unknown>>,
  options: ReceiverOptions = {},
  { caller = 'verifyWebhook', ownOptions, wasReceived = markReceived }: ReceiverSetup<Request> = {},
): Judge<Request> {
  checkTarget(caller, target)
  checkOptions(caller, options, { ...OPTIONS, ...ownOptions })
  const {
    bodyTimeoutSeconds = 10,
    maxConcurrentBodies = MOST_BODIES,
    maxConcurrentBytes = MOST_BYTES,
  } = options
  const timeoutMs = bodyTimeoutSeconds * 1000
  const seats = new Seats(maxConcurrentBodies, maxConcurrentBytes, timeoutMs)
  const disallowed = new Seats(MOST_DISALLOWED, MOST_DISALLOWED * MAX_BODY_BYTES, timeoutMs)
  /** A larger body could never be admitted. */
  const mustFit = ({ maxBodyBytes }: Listener<unknown>) => {
    if (maxBodyBytes <= maxConcurrentBytes) return
    const problem = `must be at least maxBodyBytes of the listener, which is ${maxBodyBytes}`
    throw new ListenerConfigError('maxConcurrentBytes', problem)
  }
  if (typeof target !== 'function') mustFit(target)
  return { seats, judge }

  /**
   * Finds the listener, reads the body, and does the work. Awaits only what is not known yet: each needless promise would cost a turn, and
   * each function that awaits another costs one.
   */
  async function judge<Judged extends Verdict<unknown> | undefined, Outcome extends Passed>(
    request: Request,
    incoming: Incoming,
    work: (verification: Verification) => MaybePromise<Judged>,
    outcomeFor: (judged: Judged, verification: Verification) => Outcome | Refusal,
  ): Promise<Outcome | Refusal> {
    const { pipelined } = incoming
    let seat: Seat | undefined
    let verification: Verification | undefined
    try {
      const isCutOff = pipelined?.isCutOff ?? false
      if (isCutOff === true) return finish(incoming, seat, BUSY)
      if (isCutOff !== false) {
        seat = seats.take(incoming)
        if (await seat.wait(isCutOff)) return finish(incoming, seat, BUSY)
      }
      if (wasReceived(request)) throw mountedTwice()
      let found = typeof target === 'function' ? findListener(target, request) : target
      if (found !== target && isPromise(found)) {
        found.catch(() => {}) // nothing awaits it if there is no room
        seat ??= seats.take(incoming)
        found = await seat.wait(found)
      }
      if (isRefusal(found)) return finish(incoming, seat, found)
      const listener = found
      mustFit(listener)
      const startedAt = performance.now()
      const { method, url, where, header, joinsHeaders } = incoming
      const sourceIp = addressOf(incoming.sourceIp(listener))
      const wrongSource = listener.isSourceAllowed && sourceFailure(sourceIp, listener.isSourceAllowed)
      let body: Uint8Array
      try {
        if (wrongSource) {
          seat?.leave()
          seat = disallowed.take(incoming)
        }
        seat ??= seats.take(incoming)
        body = await incoming.readBody(listener.maxBodyBytes, timeoutMs, seat)
      } catch (error) {
        const unread = { request: { method, url, header, sourceIp }, listener, startedAt }
        if (isA(error, BodyIncompleteError)) {
          return finish(
            incoming,
            seat,
            refuseUnread({ ...fail('body_incomplete', error.message), cause: error.cause }, unread),
          )
        }
        if (!isA(error, OverloadError)) throw error
        return finish(
          incoming,
          seat,
          wrongSource ? refuseUnread(wrongSource, unread) : refuseBusy(error, unread),
        )
      }
      const delivery = { method, url, where, header, joinsHeaders, body, sourceIp }
      verification = new Verification(delivery, listener)
      seat.holds(verification)
      verification.seat = seat
      const asked = traceVerify(verification, work)
      const judged = isPromise(asked) ? await asked : asked
      return finish(incoming, seat, outcomeFor(judged, verification))
    } catch (error) {
      const refusal = verification ? refuseUndecided(error, verification) : isA(error, OverloadError) && BUSY
      return refusal ? finish(incoming, seat, refusal) : rethrow(error, incoming, seat)
    }
  }
}

/** An address that a source finder returned. Anything but a string counts as unknown. A promise is a mistake, and may reject. */
export function addressOf(found: unknown): string | undefined {
  if (typeof found === 'string') return found
  ignoreRejection(found)
  return undefined
}

/** What is no refusal. */
interface Passed {
  readonly reply?: undefined
}

/** Gives the seat back, and tells the next request of the connection, before the reply is written. */
function finish<Outcome extends Refusal | Passed>(
  { pipelined }: Incoming,
  seat: Seat | undefined,
  outcome: Outcome,
): Outcome {
  seat?.leave()
  pipelined?.end(outcome.reply?.headers.connection === 'close')
  return outcome
}

/** Like `finish`, for an error. */
function rethrow(error: unknown, { pipelined }: Incoming, seat: Seat | undefined): never {
  seat?.leave()
  pipelined?.end(false)
  throw error
}

export function outcomeOf<Given extends Listener<unknown>>(
  verdict: Verdict<unknown>,
  verification: Verification,
): Claimed<Given> | Refusal {
  const { listener } = verification
  if ((verdict.ok || isClaimed(verdict.reason)) && noteClaim(listener)) {
    reportFailure(listener, sharedId(listener), { durationMs: 0 })
  }
  if (!verdict.ok) return refuse(verdict, verification)
  return {
    event: verdict.event as EventOf<Given>,
    listener: listener as Given, // found by the lookup
    [LEASE]: leaseOf(verdict.event),
  }
}

/** The checks of the options that bound memory. */
export const LIMITS: { readonly [Name in keyof Omit<ReceiverOptions, 'bodyTimeoutSeconds'>]-?: OptionCheck } =
  {
    maxConcurrentBodies: optional(positiveInteger),
    maxConcurrentBytes: optional(positiveInteger),
  }

const OPTIONS = { bodyTimeoutSeconds: optional(timerSeconds), ...LIMITS }

/** Marks received requests. A WeakSet would cost the garbage collector more than the checks cost. */
const RECEIVED: unique symbol = Symbol('verifyWebhook')

/** Marks a request, and returns whether it was marked before. */
function markReceived(request: { [RECEIVED]?: boolean }): boolean {
  const before = request[RECEIVED] === true
  request[RECEIVED] = true
  return before
}

/** A second receiver for a request would find its event claimed, and answer 409. */
function mountedTwice(): ListenerConfigError {
  return new ListenerConfigError('verifyWebhook', 'was mounted twice for one request; mount it once')
}

/** Not `in`, which engines do not optimize: hence the cast. */
const isRefusal = (found: object): found is Refusal => (found as { reply?: object }).reply !== undefined
