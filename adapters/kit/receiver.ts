import { ListenerConfigError } from '../../src/errors.ts'
import { isListener } from '../../src/is-listener.ts'
import { isPromise, type MaybePromise } from '../../src/lib/maybe-promise.ts'
import { isA, memberOf } from '../../src/lib/member-of.ts'
import {
  checkOptions,
  type OptionCheck,
  optional,
  positiveInteger,
  timerSeconds,
} from '../../src/lib/options.ts'
import { MAX_BODY_BYTES } from '../../src/limits.ts'
import type { Listener } from '../../src/listener.ts'
import { nowIfObserved } from '../../src/report.ts'
import { asError } from './as-error.ts'
import { BodiesInFlight, type BodyInFlight, OverloadError } from './bodies-in-flight.ts'
import { addressOf, BodyIncompleteError, type Incoming } from './incoming.ts'
import {
  BUSY,
  type Checked,
  closesConnection,
  type Examine,
  type Refusal,
  refuseBusy,
  refuseIncomplete,
  refuseSource,
  retryAfterOf,
  retryLater,
  UNKNOWN_LISTENER,
} from './outcome.ts'

/**
 * Finds the listener of a request, for services with many tenants. Return undefined to respond with 404.
 *
 * @example
 * ```ts
 * const lookup: ListenerLookup<Request> = (request) => tenants.find(new URL(request.url).hostname)
 * ```
 */
export type ListenerLookup<Request, Given extends Listener<unknown> = Listener> = (
  request: Request,
) => MaybePromise<Given | undefined>

/** The options that all adapters share. The limits apply per `verifyWebhook()` or `webhookHandler()` call. */
export interface ReceiverOptions {
  /** How long a body may take to arrive, in seconds. Defaults to 10. */
  readonly bodyTimeoutSeconds?: number | undefined
  /**
   * Maximum number of bodies in flight: arriving, or waiting for a lookup, a key set, the store or a payload schema. For one
   * more, the incomplete body with the lowest rate since its first byte is cut: 503, and its connection is closed. If all are
   * complete, the newest gets the 503. Defaults to 4096.
   */
  readonly maxConcurrentBodies?: number | undefined
  /**
   * Maximum total size of the bodies in flight, in bytes that have arrived. Content-Length does not count. When there are more,
   * the slowest is cut, as above. Defaults to 268,435,456 (256 MB). Must be at least the listener's `maxBodyBytes`.
   */
  readonly maxConcurrentBytes?: number | undefined
}

/** What a receiver has to know of its adapter. */
export interface ReceiverSetup<Request> {
  /** The name of the adapter's function, for error messages. Defaults to `verifyWebhook`. */
  readonly caller?: string
  /** Further options, each with a check that throws if the value is invalid. All others are unknown, and throw. */
  readonly ownOptions?: { readonly [name: string]: (value: unknown, option: string) => void }
  /** Recognises a request that was received before, which is a mistake. By default, `receive` marks each request. */
  readonly wasReceived?: (request: Request) => boolean
}

/** Continues with a request that passed, or sends the reply. */
export type OnOutcome<Passed, T> = (outcome: Passed | Refusal) => MaybePromise<T>

/** The steps between a request and its handler. */
export interface Receiver<Request, Given extends Listener<unknown> = Listener> {
  /**
   * Finds the listener, reads the body, and examines it. Calls `onOutcome` as soon as the outcome is known, and resolves with
   * its result. Rejects with any error that it throws, and with a ListenerConfigError for a setup mistake. Both belong on the
   * framework's error path. What a framework could take for no error, or cannot read, becomes a ListenerConfigError too.
   */
  receive<Passed extends { readonly reply?: undefined }, T>(
    request: Request,
    incoming: Incoming,
    examine: Examine<Given, Passed>,
    onOutcome: OnOutcome<Passed, T>,
  ): Promise<T>
  /** Does the rest for a request that `check` has passed: `examine` is `claim`. Calls `onOutcome` as `receive` does. */
  resume<Passed extends { readonly reply?: undefined }, T>(
    checked: Checked,
    sender: Pick<Incoming, 'whenGone'>,
    examine: (checked: Checked) => MaybePromise<Passed | Refusal>,
    onOutcome: OnOutcome<Passed, T>,
  ): Promise<T>
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
  const lookup = lookupOf(caller, target)
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
  return { receive, resume }

  // Awaits only what is not known yet: each needless promise would cost a turn of the microtask queue.
  async function receive<Passed extends { readonly reply?: undefined }, T>(
    request: Request,
    incoming: Incoming,
    examine: Examine<Given, Passed>,
    onOutcome: OnOutcome<Passed, T>,
  ): Promise<T> {
    const { method, url, where, header, pipelined } = incoming
    let listener: Given | undefined
    let sourceIp: string | undefined
    let isDisallowed = false
    let startedAt = 0
    let inFlight: BodyInFlight | undefined
    let outcome: Passed | Refusal
    try {
      let isCutOff = pipelined?.isCutOff ?? false
      if (isPromise(isCutOff)) {
        inFlight = bodies.enter()
        isCutOff = await inFlight.during(isCutOff, incoming)
      }
      if (!isCutOff && wasReceived(request)) throw mountedTwice()
      let found = isCutOff ? BUSY : lookup(request)
      if (isPromise(found)) {
        found.catch(() => {}) // nothing awaits it if there is no room
        inFlight ??= bodies.enter()
        found = await inFlight.during(found, incoming)
      }
      if (isRefusal(found)) outcome = found
      else {
        listener = found
        mustFit(listener)
        startedAt = nowIfObserved(listener)
        sourceIp = addressOf(incoming.sourceIp(listener))
        // An empty address, like an unknown one, is in no network.
        isDisallowed = listener.isSourceAllowed?.(sourceIp ?? '') === false
        if (isDisallowed) {
          inFlight?.leave()
          inFlight = disallowed.enter()
        } else inFlight ??= bodies.enter()
        const body = await incoming.readBody(listener.maxBodyBytes, timeoutMs, inFlight)
        const examined = examine({ method, url, where, header, body, sourceIp }, listener)
        outcome = isPromise(examined) ? await inFlight.during(examined, incoming) : examined
      }
    } catch (error) {
      try {
        const head = { method, url, header, sourceIp }
        if (isA(error, OverloadError)) {
          if (listener === undefined) outcome = BUSY
          else if (isDisallowed) outcome = refuseSource(head, listener)
          else outcome = refuseBusy(error, head, listener, startedAt)
        } else if (isA(error, BodyIncompleteError) && listener) {
          outcome = refuseIncomplete(error, head, listener, startedAt)
        } else throw error
      } catch (last) {
        pipelined?.end(false)
        throw asError(last)
      }
    } finally {
      inFlight?.leave()
    }
    pipelined?.end(closesConnection(outcome))
    return passed(outcome, onOutcome)
  }

  async function resume<Passed, T>(
    checked: Checked,
    sender: Pick<Incoming, 'whenGone'>,
    examine: (checked: Checked) => MaybePromise<Passed | Refusal>,
    onOutcome: OnOutcome<Passed, T>,
  ): Promise<T> {
    let inFlight: BodyInFlight | undefined
    let outcome: Passed | Refusal
    try {
      const examined = examine(checked)
      if (isPromise(examined)) {
        inFlight = bodies.admit(checked.verification.delivery.body.byteLength)
        outcome = await inFlight.during(examined, sender)
      } else outcome = examined
    } catch (error) {
      throw asError(error)
    } finally {
      inFlight?.leave()
    }
    return passed(outcome, onOutcome)
  }
}

/** What a handler throws at once goes to the same error path, and must not pass for none there either. */
function passed<Passed, T>(outcome: Passed | Refusal, onOutcome: OnOutcome<Passed, T>): MaybePromise<T> {
  try {
    return onOutcome(outcome)
  } catch (error) {
    throw asError(error)
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

type Found<Given> = Given | Refusal

/** Not `in`, which engines do not optimize: hence the cast. */
export const isRefusal = (found: object): found is Refusal =>
  (found as { reply?: object }).reply !== undefined

/** Turns a listener or a lookup into a function that returns a listener or a refusal. @throws ListenerConfigError */
export function lookupOf<Request, Given extends Listener<unknown>>(
  caller: string,
  target: Given | ListenerLookup<Request, Given>,
): (request: Request) => MaybePromise<Found<Given>> {
  if (typeof target === 'function') return (request) => judged(() => target(request))
  if (!isListener(target)) throw noListener(caller, target)
  return () => target
}

function judged<Given extends Listener<unknown>>(
  find: () => MaybePromise<Given | undefined>,
): MaybePromise<Found<Given>> {
  try {
    const found = find()
    return isPromise(found) ? Promise.resolve(found).then(judge<Given>, refuseUnloaded) : judge(found)
  } catch (error) {
    return refuseUnloaded(error)
  }
}

function judge<Given extends Listener<unknown>>(found: Given | undefined): Found<Given> {
  if (found === undefined) return UNKNOWN_LISTENER
  if (!isListener(found))
    throw new ListenerConfigError(
      'listener',
      'a lookup must return the result of defineListener(), or undefined',
    )
  return found
}

function refuseUnloaded(error: unknown): Refusal {
  // Not `instanceof`: it may be of another copy of hookgate.
  if (memberOf(error, 'code') === 'ERR_LISTENER_LOAD') return retryLater(retryAfterOf(error))
  throw error
}

/** If `verifyWebhook` was mounted without a call, `found` is a request or Hono's context. */
function noListener(caller: string, found: unknown): ListenerConfigError {
  if (memberOf(found, 'headers') || memberOf(found, 'req')) {
    const given = caller === 'webhookHandler' ? 'listener, handler' : 'listener'
    return new ListenerConfigError(caller, `was passed as a function; call it: ${caller}(${given})`)
  }
  return new ListenerConfigError(
    'listener',
    'must come from defineListener(), or be a function that finds one',
  )
}
