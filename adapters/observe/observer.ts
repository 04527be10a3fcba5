import type { Delivery } from '../../src/delivery.ts'
import { callHook } from '../../src/lib/hooks.ts'
import { isPromise } from '../../src/lib/maybe-promise.ts'
import { isA } from '../../src/lib/member-of.ts'
import { aFunction, checkOptions, optional } from '../../src/lib/options.ts'
import type { WaitUntil } from '../../src/lib/refreshed.ts'
import type { Listener } from '../../src/listener.ts'
import { report, traceVerify } from '../../src/report.ts'
import type { Verdict } from '../../src/verdict.ts'
import { acceptedEvent, Verification } from '../../src/verification.ts'
import { check } from '../../src/verify.ts'
import { BodiesInFlight, type BodyInFlight, OverloadError } from '../kit/bodies-in-flight.ts'
import { type ListenerLookup, lookupOf } from '../kit/lookup.ts'
import {
  addressOf,
  isRefusal,
  LIMITS,
  MOST_BODIES,
  MOST_BYTES,
  type ReceiverOptions,
} from '../kit/receiver.ts'
import { codeOf, ReportedError, reportFailure, warnOfFailure, warnOfRefusal } from '../kit/warn.ts'
import { BodyCopy } from './body-copy.ts'
import type { ObservedRequest } from './observed-request.ts'

/** The options that `observeWebhook` has in all adapters. */
export interface ObserverOptions extends Omit<ReceiverOptions, 'bodyTimeoutSeconds'> {
  /**
   * Keeps the work alive after the response: `waitUntil` of `cloudflare:workers`, or your platform's own. Without it, Workers
   * may stop before the verdict.
   */
  readonly waitUntil?: WaitUntil | undefined
}

/** Judges requests beside whatever answers them. */
export interface Observer<Request> {
  /** Starts to copy the body. Never throws or rejects. Resolves when the verdict, if there is one, was reported. */
  observe(request: Request, observed: () => ObservedRequest): Promise<void>
}

/**
 * Makes the observer of one mounted `observeWebhook`. Runs every check but the claim, tells the listener's hooks, and changes
 * nothing.
 *
 * @example
 * ```ts
 * const observer = createObserver(listener)
 * void observer.observe(req, () => observedNode(req))
 * ```
 *
 * @throws ListenerConfigError for an unknown or invalid option, and for a target that is neither a listener nor a function.
 */
export function createObserver<Request extends object>(
  target: Listener<unknown> | ListenerLookup<Request, Listener<unknown>>,
  options: ObserverOptions = {},
  ownOptions: { readonly [name: string]: (value: unknown, option: string) => void } = {},
): Observer<Request> {
  const lookup = lookupOf('observeWebhook', target)
  checkOptions('observeWebhook', options, { ...LIMITS, waitUntil: optional(aFunction), ...ownOptions })
  const { maxConcurrentBodies = MOST_BODIES, maxConcurrentBytes = MOST_BYTES, waitUntil } = options
  const bodies = new BodiesInFlight(maxConcurrentBodies, maxConcurrentBytes, 0)
  /** The listeners that were told of a mistake. Told once, because it would come with every request. */
  const told = new WeakSet<object>()
  return {
    observe(request, observed) {
      const work = judge(request, observed).catch(() => {}) // a lookup may find a listener that cannot be read
      callHook(waitUntil, work) // it throws e.g. outside of a request
      return work
    },
  }

  async function judge(request: Request, observed: () => ObservedRequest): Promise<void> {
    let listener: Listener<unknown> | undefined
    let inFlight: BodyInFlight | undefined
    try {
      const found = lookup(request)
      if (isPromise(found))
        found.catch(() => {}) // nothing awaits it if there is no room
      else if (isRefusal(found)) return
      else listener = found
      inFlight = bodies.enter()
      const { method, url, header, joinsHeaders, sourceIp, copyBody } = observed()
      const copy = new BodyCopy(inFlight, listener?.maxBodyBytes ?? maxConcurrentBytes)
      copy.attempt(() => copyBody(copy)) // before a lookup ends: the bytes come only once
      const known = await found
      if (isRefusal(known)) return
      listener = known
      const source = addressOf(sourceIp(listener))
      const body = await copy.within(listener.maxBodyBytes)
      if (body === undefined) return
      await new Promise((resolve) => setTimeout(resolve)) // what has read the body goes first
      await judgeBody({ method, url, header, joinsHeaders, body, sourceIp: source }, listener)
    } catch (error) {
      tell(error, listener)
    } finally {
      inFlight?.cutOff(new OverloadError('nobody waits for this body'))
    }
  }

  function tell(error: unknown, listener: Listener<unknown> | undefined): void {
    const problem = isA(error, OverloadError)
      ? new ReportedError('ERR_TOO_MANY_BODIES', error.message)
      : error
    if (listener === undefined) warnOfFailure(NOT_FOUND, codeOf(problem, 'ERR_LISTENER_LOAD'))
    else if (isA(problem, ReportedError)) reportFailure(listener, problem, UNENFORCED)
    else if (!told.has(listener)) {
      told.add(listener)
      reportFailure(listener, problem, UNENFORCED)
    }
  }
}

const UNENFORCED = { durationMs: 0, enforced: false } as const

/** Stands for the listener that a lookup failed to find. */
const NOT_FOUND = { id: 'unknown', clock: Date, onError: undefined }

/**
 * `check` tells the hooks of a refusal. Warns for a listener without them. Rejects only if the clock throws, which it tells
 * nobody.
 */
async function judgeBody(delivery: Delivery, listener: Listener<unknown>): Promise<void> {
  const verification = new Verification(delivery, listener)
  verification.isEnforced = false
  try {
    const verdict = await traceVerify(verification, checkWithoutClaim)
    if (verdict.reason) warnOfRefusal(verification, verdict, 'would refuse a delivery')
  } catch (error) {
    warnOfFailure(listener, codeOf(error, 'ERR_LISTENER_CONFIG'))
  }
}

/** Leaves the claim, and the answers to handshakes, to whatever answers the request. */
async function checkWithoutClaim(verification: Verification): Promise<Verdict<unknown>> {
  const stop = await check(verification)
  return stop ?? report(verification, { ok: true, event: acceptedEvent(verification, new Unclaimed()) })
}

/** Stands for the lease of an event that was never claimed. */
class Unclaimed {
  readonly signal: AbortSignal = new AbortController().signal
  commit = async (): Promise<'lost'> => 'lost'
  release = async (): Promise<boolean> => false
}
