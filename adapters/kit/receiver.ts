import { isPromise, type MaybePromise } from '../../src/lib/maybe-promise.ts'
import { checkOptions, type OptionTable } from '../../src/lib/options.ts'
import { MAX_BODY_BYTES } from '../../src/limits.ts'
import type { Listener } from '../../src/listener.ts'
import { nowIfWatched } from '../../src/report.ts'
import type { Leaving } from './bodies-in-flight.ts'
import { BodiesInFlight, type BodyInFlight, OverloadError } from './bodies-in-flight.ts'
import { BodyIncompleteError } from './body.ts'
import type { Incoming } from './incoming.ts'
import { type Found, type ListenerLookup, lookupOf } from './lookup.ts'
import { closesConnection, type Examine, type Refusal } from './outcome.ts'
import type { ReceiverOptions } from './receiver-options.ts'
import { BUSY, refuseBusy, refuseIncomplete, refuseSource } from './refuse-early.ts'
import { bytesTooFew, mountedTwice } from './set-up-errors.ts'

export type { ListenerLookup } from './lookup.ts'

/** Continues with a passed request, or sends the reply. */
export type OnOutcome<Passed, T> = (outcome: Passed | Refusal) => MaybePromise<T>

/** Finds the source address of a request. The listener decides whether an unknown address is an error. */
export type SourceFinder = (listener: Listener<unknown>) => string | undefined

/** Bodies in flight from addresses that are not allowed: enough to refuse them properly, too few to cause harm. */
const MOST_DISALLOWED = 64

/** The steps between a request and its handler. Each `verifyWebhook()` call has its own, with its own limits. */
export class Receiver<Request extends object, Payload, Passed extends { readonly reply?: undefined }> {
  readonly #lookup: (request: Request) => MaybePromise<Found<Payload>>
  readonly #examine: Examine<Payload, Passed>
  readonly #wasReceived: (request: Request) => boolean
  readonly #timeoutMs: number
  readonly #bodies: BodiesInFlight
  readonly #disallowed: BodiesInFlight

  /** `wasReceived` recognises requests that show it themselves; others are marked. @throws ListenerConfigError */
  constructor(
    caller: string,
    target: Listener<Payload> | ListenerLookup<Request, Payload>,
    options: ReceiverOptions,
    table: OptionTable<ReceiverOptions>,
    examine: Examine<Payload, Passed>,
    wasReceived: (request: Request) => boolean = markReceived,
  ) {
    this.#lookup = lookupOf(caller, target)
    checkOptions(caller, options, table)
    const { bodyTimeoutSeconds = 10, maxConcurrentBodies = 4096, maxConcurrentBytes = 268_435_456 } = options
    this.#examine = examine
    this.#wasReceived = wasReceived
    this.#timeoutMs = bodyTimeoutSeconds * 1000
    this.#bodies = new BodiesInFlight(maxConcurrentBodies, maxConcurrentBytes, this.#timeoutMs)
    this.#disallowed = new BodiesInFlight(MOST_DISALLOWED, MOST_DISALLOWED * MAX_BODY_BYTES, this.#timeoutMs)
    if (typeof target !== 'function') this.#mustFit(target)
  }

  /**
   * Calls `onOutcome` as soon as the outcome is known, and resolves with its result. Rejects with any error that it throws, and
   * with a ListenerConfigError for a setup mistake. Both belong on the framework's error path.
   *
   * Awaits only what is not known yet: each needless promise would cost a turn of the microtask queue.
   */
  async receive<T>(
    request: Request,
    incoming: Incoming,
    findSource: SourceFinder,
    onOutcome: OnOutcome<Passed, T>,
  ): Promise<T> {
    const { method, url, where, header, turn } = incoming
    let listener: Listener<Payload> | undefined
    let sourceIp: string | undefined
    let isDisallowed = false
    let startedAt = 0
    let inFlight: BodyInFlight | undefined
    let outcome: Passed | Refusal
    try {
      let isCutOff = turn?.isCutOff ?? false
      if (isPromise(isCutOff)) {
        inFlight = this.#bodies.enter()
        isCutOff = await inFlight.during(isCutOff, incoming)
      }
      // A second receiver would find its event claimed, and answer 409.
      if (!isCutOff && this.#wasReceived(request)) throw mountedTwice()
      let found = isCutOff ? BUSY : this.#lookup(request)
      if (isPromise(found)) {
        found.then(undefined, () => {}) // awaited only if there is room
        inFlight ??= this.#bodies.enter()
        found = await inFlight.during(found, incoming)
      }
      if (isRefusal(found)) outcome = found
      else {
        listener = found
        this.#mustFit(listener)
        startedAt = nowIfWatched(listener)
        sourceIp = findSource(listener)
        // An empty address, like an unknown one, is in no network.
        isDisallowed = listener.isSourceAllowed?.(sourceIp ?? '') === false
        if (isDisallowed) inFlight?.leave()
        if (isDisallowed) inFlight = this.#disallowed.enter()
        else inFlight ??= this.#bodies.enter()
        const body = await incoming.readBody(listener.maxBodyBytes, this.#timeoutMs, inFlight)
        const examined = this.#examine({ method, url, where, header, body, sourceIp }, listener)
        outcome = isPromise(examined) ? await inFlight.during(examined, incoming) : examined
      }
    } catch (error) {
      const early = { method, url, header, sourceIp }
      if (error instanceof OverloadError) {
        if (listener === undefined) outcome = BUSY
        else if (isDisallowed) outcome = refuseSource(early, listener)
        else outcome = refuseBusy(error, early, listener, startedAt)
      } else if (error instanceof BodyIncompleteError && listener) {
        outcome = refuseIncomplete(error, early, listener, startedAt)
      } else {
        turn?.end(false)
        throw error
      }
    } finally {
      inFlight?.leave()
    }
    turn?.end(closesConnection(outcome))
    return onOutcome(outcome)
  }

  /** Counts a complete body that waits in a later step of its framework. */
  hold<T>(bytes: number, sender: Leaving, work: MaybePromise<T>): MaybePromise<T> {
    if (!isPromise(work)) return work
    const inFlight = this.#bodies.reenter(bytes)
    return inFlight.during(work, sender).finally(() => inFlight.leave())
  }

  /** @throws ListenerConfigError if the listener's largest body exceeds `maxConcurrentBytes`. */
  #mustFit({ maxBodyBytes }: Listener<unknown>): void {
    if (maxBodyBytes > this.#bodies.maxBytes) throw bytesTooFew(maxBodyBytes)
  }
}

/** Marks received requests. A WeakSet would cost the garbage collector more than the checks cost. */
const RECEIVED: unique symbol = Symbol('verifyWebhook')

/** Marks a request, and returns whether it was marked before. */
function markReceived(request: { [RECEIVED]?: boolean }): boolean {
  const before = request[RECEIVED] === true
  request[RECEIVED] = true
  return before
}

/** Not `in`, which engines do not optimize: hence the cast. */
const isRefusal = (found: object): found is Refusal => (found as { reply?: object }).reply !== undefined
