import { EventStoreError } from './errors.ts'
import {
  CLAIM_ANSWERS,
  type ClaimAnswer,
  COMMIT_ANSWERS,
  type CommitAnswer,
  type EventKey,
} from './event-store.ts'
import { withDeadline } from './lib/clock.ts'
import { callHook } from './lib/hooks.ts'
import { isPromise, type MaybePromise, whenKnown } from './lib/maybe-promise.ts'
import { isA } from './lib/member-of.ts'
import { type TracingChannel, traced, tracingChannel } from './lib/tracing.ts'
import type { Listener } from './listener.ts'
import { nowIfObserved, type StoreAnswer, type StoreFields } from './report.ts'
import { type Rejected, rejected } from './verdict.ts'
import type { Verification } from './verification.ts'

/**
 * The only side effect: claims the event for this delivery, or returns why it cannot.
 *
 * @throws EventStoreError if the store throws, takes too long or returns an invalid answer.
 */
export function claimEvent<Accepted>(
  { listener, claimKeys }: Verification,
  accept: (claim: EventClaim, owner: string) => Accepted,
): MaybePromise<Accepted | Rejected> {
  const owner = listener.nextOwner()
  const claim = claimAll(claimKeys, (key) => new Claim(listener, key, owner))
  const { protocol, leaseMs } = listener
  return whenKnown(claim.take(), (answer) => {
    if (answer === 'acquired') return accept(claim, owner)
    if (answer === 'done') return rejected('event_duplicate', 'this event was accepted before', protocol)
    return rejected('event_in_progress', 'this event is being worked on', protocol, Math.ceil(leaseMs / 1000))
  })
}

/** Publishes store calls and their answers to subscribers. */
const STORE: TracingChannel | undefined = /* @__PURE__ */ tracingChannel('store')

class Claim implements EventClaim {
  readonly #listener: Listener<unknown>
  readonly #key: EventKey
  readonly #owner: string
  readonly #takenAt: number
  #settled: 'committed' | 'released' | undefined
  #isOverrun = false

  constructor(listener: Listener<unknown>, eventId: string, owner: string) {
    this.#listener = listener
    this.#key = { listenerId: listener.id, eventId }
    this.#owner = owner
    this.#takenAt = nowIfObserved(listener)
  }

  take(): MaybePromise<ClaimAnswer> {
    return this.#ask(CLAIM)
  }

  /** Not `async`: this runs for every handled event, and most in-process stores answer synchronously. */
  commit(): Promise<CommitAnswer> {
    if (this.#settled) return Promise.resolve(this.#settled === 'released' ? 'lost' : 'already')
    try {
      return Promise.resolve(whenKnown(this.#ask(COMMIT), (answer) => this.#heard(answer)))
    } catch (error) {
      return Promise.reject(error)
    }
  }

  async release(): Promise<boolean> {
    const released = await this.#ask(RELEASE)
    if (released) this.#settled = 'released'
    return released
  }

  #heard(answer: CommitAnswer): CommitAnswer {
    if (answer === 'lost') this.#tellOverrun()
    else this.#settled = 'committed'
    return answer
  }

  /** Nothing can be undone, but the operator should know, once, that the handler ran twice. */
  #tellOverrun(): void {
    if (this.#isOverrun) return
    this.#isOverrun = true
    const { onError, leaseMs } = this.#listener
    const problem = `the work outlived its lease of ${leaseMs / 1000} s and another delivery ran it too: raise leaseSeconds`
    const durationMs = performance.now() - this.#takenAt
    callHook(onError, new EventStoreError(problem), { ...this.#key, durationMs })
  }

  #ask<Answer extends StoreAnswer>(call: StoreCall<Answer>): MaybePromise<Answer> {
    if (!STORE?.hasSubscribers) return this.#askInTime(call) // before the closures below are made
    return traced(
      STORE,
      async () => this.#askInTime(call),
      (answer): StoreFields => ({ listenerId: this.#key.listenerId, verb: call.name, answer }),
    )
  }

  /** One store call with a deadline: some clients hang for a minute when their server dies. */
  #askInTime<Answer extends StoreAnswer>(call: StoreCall<Answer>): MaybePromise<Answer> {
    try {
      const answer = call.ask(this.#listener, this.#key, this.#owner)
      if (!isPromise(answer)) return validAnswer(call, answer)
      const { storeTimeoutMs } = this.#listener
      const late = () =>
        new EventStoreError(`the event store did not ${call.name} within ${storeTimeoutMs} ms`)
      return withDeadline(answer, storeTimeoutMs, late).then(
        (inTime) => validAnswer(call, inTime),
        (error) => {
          if (call.name === 'claim') callHook(() => this.#giveBack(answer))
          return throwStoreError(call, error)
        },
      )
    } catch (error) {
      return throwStoreError(call, error)
    }
  }

  /**
   * A failed claim may still have been carried out: late, or after the client gave up. No handler runs under
   * it, and it would block the retry.
   */
  async #giveBack(answer: PromiseLike<unknown>): Promise<unknown> {
    try {
      await answer
    } catch {}
    return RELEASE.ask(this.#listener, this.#key, this.#owner)
  }
}

/** One of the three calls, and the answers that the contract allows. */
interface StoreCall<Answer extends StoreAnswer> {
  readonly name: StoreFields['verb']
  readonly answers: readonly Answer[]
  ask(listener: Listener<unknown>, key: EventKey, owner: string): MaybePromise<Answer>
}

const CLAIM: StoreCall<ClaimAnswer> = {
  name: 'claim',
  answers: CLAIM_ANSWERS,
  ask: ({ store, leaseMs }, key, owner) => store.claim(key, owner, leaseMs),
}

const COMMIT: StoreCall<CommitAnswer> = {
  name: 'commit',
  answers: COMMIT_ANSWERS,
  ask: ({ store, retentionMs }, key, owner) => store.commit(key, owner, retentionMs),
}

const RELEASE: StoreCall<boolean> = {
  name: 'release',
  answers: [true, false],
  ask: ({ store }, key, owner) => store.release(key, owner),
}

/** Returns a valid answer. @throws EventStoreError for any other. */
function validAnswer<Answer extends StoreAnswer>(
  { name, answers }: StoreCall<Answer>,
  answer: Answer,
): Answer {
  if (answers.includes(answer)) return answer
  throw new EventStoreError(`the event store must answer ${name} with one of ${answers.join(', ')}`)
}

/** Throws an EventStoreError, with the failure of the store as its cause. */
function throwStoreError<Answer extends StoreAnswer>({ name }: StoreCall<Answer>, cause: unknown): never {
  if (isA(cause, EventStoreError)) throw cause
  throw new EventStoreError(`the event store failed to ${name}`, { cause })
}

/** An event claimed by one delivery, with its commit and release. */
export interface EventClaim {
  take(): MaybePromise<ClaimAnswer>
  commit(): Promise<CommitAnswer>
  release(): Promise<boolean>
}

/** One claim for each of an event's keys, of which there are at most two. */
function claimAll([first, second]: readonly string[], claim: (key: string) => EventClaim): EventClaim {
  if (first === undefined) return UNCLAIMED
  return second === undefined ? claim(first) : new ClaimPair(claim(first), claim(second))
}

/** For events without a key: every delivery is new. */
const UNCLAIMED: EventClaim = {
  take: () => 'acquired',
  commit: () => Promise.resolve('committed'),
  release: () => Promise.resolve(true),
}

/** Two keys of one event. The event is new only if both are, and both are committed or released together. */
class ClaimPair implements EventClaim {
  readonly #first: EventClaim
  readonly #second: EventClaim

  constructor(first: EventClaim, second: EventClaim) {
    this.#first = first
    this.#second = second
  }

  take(): MaybePromise<ClaimAnswer> {
    return whenKnown(this.#first.take(), (answer) => (answer === 'acquired' ? this.#takeSecond() : answer))
  }

  #takeSecond(): MaybePromise<ClaimAnswer> {
    try {
      const answer = this.#second.take()
      if (!isPromise(answer)) return this.#keepIfBoth(answer)
      return answer.then(
        (late) => this.#keepIfBoth(late),
        (error) => this.#giveBack(error),
      )
    } catch (error) {
      return this.#giveBack(error)
    }
  }

  #keepIfBoth(second: ClaimAnswer): MaybePromise<ClaimAnswer> {
    if (second === 'acquired') return second
    // A release that fails changes nothing: the lease lapses.
    return this.#first.release().then(
      () => second,
      () => second,
    )
  }

  #giveBack(error: unknown): Promise<never> {
    const fail = () => Promise.reject(error)
    return this.#first.release().then(fail, fail)
  }

  async commit(): Promise<CommitAnswer> {
    const [first, second] = await Promise.all([this.#first.commit(), this.#second.commit()])
    if (first === 'lost' || second === 'lost') return 'lost'
    return first === 'already' ? second : first
  }

  async release(): Promise<boolean> {
    const [first, second] = await Promise.all([this.#first.release(), this.#second.release()])
    return first && second
  }
}
