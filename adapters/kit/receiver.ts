import { isPromise, type MaybePromise, whenKnown } from '../../src/lib/maybe-promise.ts'
import { checkOptions, type OptionTable } from '../../src/lib/options.ts'
import type { Listener } from '../../src/listener.ts'
import { nowIfWatched } from '../../src/report.ts'
import { Admission } from './admission.ts'
import { BodyIncompleteError } from './body.ts'
import type { Incoming, Leaving } from './incoming.ts'
import { type Found, type ListenerLookup, lookupOf } from './lookup.ts'
import { markReceived } from './mark-received.ts'
import { closesConnection, type Examine, type Refusal } from './outcome.ts'
import { Place } from './places.ts'
import type { ReceiverOptions } from './receiver-options.ts'
import { BUSY, refuseIncomplete } from './refuse-early.ts'
import { mountedTwice } from './set-up-errors.ts'

export type { ListenerLookup } from './lookup.ts'

/** Continues with a passed request, or sends the reply. */
export type OnOutcome<Passed, T> = (outcome: Passed | Refusal) => MaybePromise<T>

/** Finds the source address of a request. The listener decides whether an unknown address is an error. */
export type SourceFinder = (listener: Listener<unknown>) => string | undefined

/** The steps between a request and its handler. Each `verifyWebhook()` call has its own, with its own limits. */
export class Receiver<Request extends object, Payload, Passed extends { readonly reply?: undefined }> {
  readonly #lookup: (request: Request) => MaybePromise<Found<Payload>>
  readonly #examine: Examine<Payload, Passed>
  readonly #wasReceived: (request: Request) => boolean
  readonly #timeoutMs: number
  readonly #admission: Admission

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
    this.#examine = examine
    this.#wasReceived = wasReceived
    this.#timeoutMs = (options.bodyTimeoutSeconds ?? 10) * 1000
    this.#admission = new Admission(options, this.#timeoutMs)
    if (typeof target !== 'function') this.#admission.mustFit(target)
  }

  /**
   * Calls `onOutcome` as soon as the outcome is known, and returns its result: a promise in between would
   * cost a turn of the event loop. Rejects with any error that it throws, and with a ListenerConfigError for
   * a setup mistake. Both belong on the framework's error path.
   */
  receive<T>(
    request: Request,
    incoming: Incoming,
    findSource: SourceFinder,
    onOutcome: OnOutcome<Passed, T>,
  ): Promise<T> {
    const { turn } = incoming
    if (turn === undefined) return this.#find(request, incoming, findSource, onOutcome)
    const told: OnOutcome<Passed, T> = (outcome) => {
      turn.end(closesConnection(outcome))
      return onOutcome(outcome)
    }
    const next = (isCutOff: boolean) =>
      isCutOff ? Promise.resolve(BUSY).then(told) : this.#find(request, incoming, findSource, told)
    const { isCutOff } = turn
    const work = isPromise(isCutOff) ? this.#wait(isCutOff, incoming, told, next) : next(isCutOff)
    turn.begin(work)
    return work
  }

  /** Counts a received body that is still waiting, in a later step of its framework. */
  hold<T>(bytes: number, sender: Leaving, work: () => MaybePromise<T>): MaybePromise<T> {
    return this.#admission.admitAgain(bytes).during(work, sender)
  }

  #find<T>(
    request: Request,
    incoming: Incoming,
    findSource: SourceFinder,
    onOutcome: OnOutcome<Passed, T>,
  ): Promise<T> {
    try {
      // A second receiver would find its event claimed, and answer 409.
      if (this.#wasReceived(request)) throw mountedTwice()
      const found = this.#lookup(request)
      if (!isPromise(found)) return this.#receiveFor(found, incoming, findSource, onOutcome)
      const next = (later: Found<Payload>) => this.#receiveFor(later, incoming, findSource, onOutcome)
      return this.#wait(found, incoming, onOutcome, next)
    } catch (error) {
      return Promise.reject(error)
    }
  }

  /** A request that waits before its body is read counts too, because the first bytes are in memory. */
  #wait<Value, T>(
    work: PromiseLike<Value>,
    incoming: Incoming,
    onOutcome: OnOutcome<Passed, T>,
    next: (value: Value) => Promise<T>,
  ): Promise<T> {
    const place = this.#admission.admitUnknown(incoming)
    if (place instanceof Place) return place.until(work, incoming).then(next)
    work.then(undefined, () => {})
    return Promise.resolve(place).then(onOutcome)
  }

  /** Not async: a waiting async function keeps more state than all the checks. */
  #receiveFor<T>(
    found: Found<Payload>,
    incoming: Incoming,
    findSource: SourceFinder,
    onOutcome: OnOutcome<Passed, T>,
  ): Promise<T> {
    if (isRefusal(found)) return Promise.resolve(found).then(onOutcome)
    const listener = found
    const startedAt = nowIfWatched(listener)
    const sourceIp = findSource(listener)
    const place = this.#admission.admit(incoming, listener, sourceIp)
    if (!(place instanceof Place)) return Promise.resolve(place).then(onOutcome)
    const body = place.unlessThrown(() => incoming.readBody(listener.maxBodyBytes, this.#timeoutMs))
    const { method, url, where, header } = incoming
    return Promise.resolve(body).then(
      (body) => {
        const verdict = () => this.#examine({ method, url, where, header, body, sourceIp }, listener)
        return whenKnown(place.during(verdict, incoming), onOutcome)
      },
      (error) => {
        place.giveBack()
        if (error instanceof BodyIncompleteError) {
          return onOutcome(refuseIncomplete(error, { method, url, header, sourceIp }, listener, startedAt))
        }
        throw error
      },
    )
  }
}

/** Not `in`, which engines do not optimize: hence the cast. */
const isRefusal = (found: object): found is Refusal => (found as { reply?: object }).reply !== undefined
