import { sourceFailure } from '../../src/checks/source-ip.ts'
import type { Lease } from '../../src/claim.ts'
import { ListenerConfigError } from '../../src/errors.ts'
import { ignoreRejection } from '../../src/lib/hooks.ts'
import { isPromise } from '../../src/lib/maybe-promise.ts'
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
import { nowIfObserved, traceVerify } from '../../src/report.ts'
import type { Verdict } from '../../src/verdict.ts'
import { Verification } from '../../src/verification.ts'
import { check, checkAndClaim, claim as claimDelivery } from '../../src/verify.ts'
import { asError } from './as-error.ts'
import { Arrived, BodiesInFlight, type BodyInFlight, OverloadError } from './bodies-in-flight.ts'
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

/** Every check passed. Pass it to `claim` of the receiver before the handler runs. */
export interface Checked {
  /** The parsed body, or the output of the `payload` schema. */
  readonly payload: unknown
  /** Always undefined. Declared so that `checked.reply` singles out refusals. */
  readonly reply?: undefined
  /** Only for the receiver. */
  readonly [UNCLAIMED]: Pick<Arrived, 'verification' | 'sender'>
}

const UNCLAIMED: unique symbol = Symbol('hookgate')

/** What the checks know of a request, for the tools of hookgate. */
export function verificationOf(checked: Checked): Verification {
  return checked[UNCLAIMED].verification
}

/**
 * The way from a request to its handler. Every verb resolves with a refusal, whose `reply` is to be sent, or with what it has
 * found. It rejects with a ListenerConfigError for a setup mistake, and with what your code threw, which both belong on the
 * framework's error path. What a framework could take for no error, or cannot read, becomes a ListenerConfigError too.
 */
export interface Receiver<Request, Given extends Listener<unknown> = Listener> {
  /** Finds the listener, reads the body, and checks the delivery. For frameworks that run hooks before the claim. */
  receive(request: Request, incoming: Incoming): Promise<Checked | Refusal>
  /**
   * Claims the event of what `receive` has passed. Run the handler with the event, and settle it. `key`: claims this key instead of
   * the event's own, e.g. to run an event again.
   */
  claim(checked: Checked, key?: string): Promise<Claimed<Given> | Refusal>
  /** Both in a row, as `verify` does, and as one operation for subscribers. */
  receiveAndClaim(request: Request, incoming: Incoming): Promise<Claimed<Given> | Refusal>
}

/** The defaults of `maxConcurrentBodies` and `maxConcurrentBytes`. */
export const MOST_BODIES = 4096
export const MOST_BYTES = 268_435_456

/** Bodies in flight from addresses that are not allowed: enough to refuse them properly, too few to cause harm. */
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
  options: ReceiverOptions = {},
  { caller = 'verifyWebhook', ownOptions, wasReceived = markReceived }: ReceiverSetup<Request> = {},
): Receiver<Request, Given> {
  checkTarget(caller, target)
  checkOptions(caller, options, { ...OPTIONS, ...ownOptions })
  const {
    bodyTimeoutSeconds = 10,
    maxConcurrentBodies = MOST_BODIES,
    maxConcurrentBytes = MOST_BYTES,
  } = options
  const timeoutMs = bodyTimeoutSeconds * 1000
  const bodies = new BodiesInFlight(maxConcurrentBodies, maxConcurrentBytes, timeoutMs)
  const disallowed = new BodiesInFlight(MOST_DISALLOWED, MOST_DISALLOWED * MAX_BODY_BYTES, timeoutMs)
  /** A larger body could never be admitted. */
  const mustFit = ({ maxBodyBytes }: Listener<unknown>) => {
    if (maxBodyBytes <= maxConcurrentBytes) return
    const problem = `must be at least maxBodyBytes of the listener, which is ${maxBodyBytes}`
    throw new ListenerConfigError('maxConcurrentBytes', problem)
  }
  if (typeof target !== 'function') mustFit(target)
  return { receive, claim, receiveAndClaim }

  async function receiveAndClaim(request: Request, incoming: Incoming): Promise<Claimed<Given> | Refusal> {
    const arrived = await readRequest(request, incoming)
    if (isRefusal(arrived)) return arrived
    const { verification, place } = arrived
    try {
      const verdict = await traceVerify(verification, checkAndClaim)
      return finish(incoming, place, outcomeOf<Given>(verdict, verification))
    } catch (error) {
      return finish(incoming, place, refuseUndecided(error, verification) ?? rethrow(error, incoming, place))
    }
  }

  async function receive(request: Request, incoming: Incoming): Promise<Checked | Refusal> {
    const arrived = await readRequest(request, incoming)
    if (isRefusal(arrived)) return arrived
    const { verification, place } = arrived
    try {
      const stop = await traceVerify(verification, check)
      verification.pause()
      const { payload } = verification
      return finish<Checked | Refusal>(
        incoming,
        place,
        stop ? refuse(stop, verification) : { payload, [UNCLAIMED]: arrived },
      )
    } catch (error) {
      return finish(incoming, place, refuseUndecided(error, verification) ?? rethrow(error, incoming, place))
    }
  }

  async function claim(checked: Checked, key?: string): Promise<Claimed<Given> | Refusal> {
    const { verification, sender } = checked[UNCLAIMED]
    const place = bodies.admit(verification.delivery.body.byteLength)
    verification.holder = new Arrived(verification, sender, place)
    verification.startedAt = nowIfObserved(verification.listener)
    if (key !== undefined) verification.claimKeys = [key]
    try {
      return outcomeOf<Given>(await traceVerify(verification, claimDelivery), verification)
    } catch (error) {
      const refusal = refuseUndecided(error, verification)
      if (refusal) return refusal
      throw asError(error)
    } finally {
      place.leave()
    }
  }

  /** Finds the listener, and reads the body. Awaits only what is not known yet: each needless promise would cost a turn. */
  async function readRequest(request: Request, incoming: Incoming): Promise<Arrived | Refusal> {
    const { pipelined } = incoming
    let place: BodyInFlight | undefined
    try {
      const isCutOff = pipelined?.isCutOff ?? false
      if (isCutOff === true) return finish(incoming, place, BUSY)
      if (isCutOff !== false) {
        place = bodies.enter()
        if (await place.during(isCutOff, incoming)) return finish(incoming, place, BUSY)
      }
      if (wasReceived(request)) throw mountedTwice()
      let found = typeof target === 'function' ? findListener(target, request) : target
      if (found !== target && isPromise(found)) {
        found.catch(() => {}) // nothing awaits it if there is no room
        place ??= bodies.enter()
        found = await place.during(found, incoming)
      }
      if (isRefusal(found)) return finish(incoming, place, found)
      const listener = found
      mustFit(listener)
      const startedAt = performance.now()
      const { method, url, where, header, joinsHeaders } = incoming
      const sourceIp = addressOf(incoming.sourceIp(listener))
      const wrongSource = listener.isSourceAllowed && sourceFailure(sourceIp, listener.isSourceAllowed)
      try {
        if (wrongSource) place?.leave()
        const held = wrongSource ? disallowed.enter() : (place ?? bodies.enter())
        place = held
        const body = await incoming.readBody(listener.maxBodyBytes, timeoutMs, held)
        const delivery = { method, url, where, header, joinsHeaders, body, sourceIp }
        const verification = new Verification(delivery, listener)
        const arrived = new Arrived(verification, incoming, held)
        verification.holder = arrived
        return arrived
      } catch (error) {
        const unread = { request: { method, url, header, sourceIp }, listener, startedAt }
        if (isA(error, BodyIncompleteError)) {
          return finish(incoming, place, refuseUnread(fail('body_incomplete', error.message), unread))
        }
        if (!isA(error, OverloadError)) throw error
        return finish(
          incoming,
          place,
          wrongSource ? refuseUnread(wrongSource, unread) : refuseBusy(error, unread),
        )
      }
    } catch (error) {
      return isA(error, OverloadError) ? finish(incoming, place, BUSY) : rethrow(error, incoming, place)
    }
  }
}

/** An address that a source finder returned. Whatever is no text is unknown. A promise is a mistake, and may reject. */
export function addressOf(found: unknown): string | undefined {
  if (typeof found === 'string') return found
  ignoreRejection(found)
  return undefined
}

/** Gives the place back, and tells the next request of the connection, before the reply is written. */
function finish<Outcome extends Refusal | { readonly reply?: undefined }>(
  { pipelined }: Incoming,
  place: BodyInFlight | undefined,
  outcome: Outcome,
): Outcome {
  place?.leave()
  pipelined?.end(outcome.reply?.headers.connection === 'close')
  return outcome
}

/** Like `finish`, for an error. */
function rethrow(error: unknown, { pipelined }: Incoming, place: BodyInFlight | undefined): never {
  place?.leave()
  pipelined?.end(false)
  throw asError(error)
}

function outcomeOf<Given extends Listener<unknown>>(
  verdict: Verdict<unknown>,
  verification: Verification,
): Claimed<Given> | Refusal {
  if (!verdict.ok) return refuse(verdict, verification)
  return {
    event: verdict.event as EventOf<Given>,
    listener: verification.listener as Given, // found by the lookup
    [LEASE]: verification.lease as Lease | undefined, // nothing else is one
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
export const isRefusal = (found: object): found is Refusal =>
  (found as { reply?: object }).reply !== undefined
