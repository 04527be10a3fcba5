import type { StoreAnswer, StoreFields } from './channel-fields.ts'
import type { Held } from './claim-keys.ts'
import { EventStoreError } from './errors.ts'
import type { ClaimAnswer, CommitAnswer, EventKey } from './event-store.ts'
import { withDeadline } from './lib/deadline.ts'
import { callHook } from './lib/hooks.ts'
import { isPromise, type MaybePromise, whenKnown } from './lib/maybe-promise.ts'
import { type TracingChannel, traced, tracingChannel } from './lib/tracing.ts'
import type { Listener } from './listener.ts'
import { CLAIM, COMMIT, RELEASE, type StoreCall, throwStoreError, validAnswer } from './store-call.ts'
import { type Rejected, rejected } from './verdict.ts'
import type { Verification } from './verification.ts'
import { nowIfWatched } from './watch.ts'

/** Why a valid delivery is refused: its event was handled before, or is in progress. */
export type ClaimReason = 'event_duplicate' | 'event_in_progress'

/**
 * The only side effect: claims the event for this delivery, or returns why it cannot.
 *
 * @throws EventStoreError if the store throws, takes too long or returns an invalid answer.
 */
export function claimEvent<Accepted>(
  { listener, eventId, sender, claimKeys }: Verification,
  accept: (claim: Held) => Accepted,
): MaybePromise<Accepted | Rejected> {
  const claim = sender?.hold(claimKeys, (key) => new Claim(listener, key)) ?? new Claim(listener, eventId)
  const { auth, leaseMs } = listener
  return whenKnown(claim.take(), (answer) => {
    if (answer === 'acquired') return accept(claim)
    if (answer === 'done') return rejected('event_duplicate', 'this event was accepted before', auth)
    return rejected('event_in_progress', 'this event is being worked on', auth, Math.ceil(leaseMs / 1000))
  })
}

/** Publishes store calls and their answers to subscribers. */
const STORE: TracingChannel | undefined = /* @__PURE__ */ tracingChannel('store')

class Claim implements Held {
  readonly #listener: Listener<unknown>
  readonly #key: EventKey
  readonly #owner: string
  readonly #takenAt: number
  #released = false

  constructor(listener: Listener<unknown>, eventId: string) {
    this.#listener = listener
    this.#key = { listenerId: listener.id, eventId }
    this.#owner = listener.nextOwner()
    this.#takenAt = nowIfWatched(listener)
  }

  take(): MaybePromise<ClaimAnswer> {
    return this.#ask(CLAIM)
  }

  /** Not `async`: this runs for every handled event, and most in-process stores answer synchronously. */
  commit(): Promise<CommitAnswer> {
    if (this.#released) return Promise.resolve('lost')
    try {
      return Promise.resolve(whenKnown(this.#ask(COMMIT), (answer) => this.#heard(answer)))
    } catch (error) {
      return Promise.reject(error)
    }
  }

  async release(): Promise<boolean> {
    const released = await this.#ask(RELEASE)
    this.#released ||= released
    return released
  }

  #heard(answer: CommitAnswer): CommitAnswer {
    if (answer === 'lost') this.#tellOverrun()
    return answer
  }

  /** Nothing can be undone, but the operator should know that the handler ran twice. */
  #tellOverrun(): void {
    const { onError, leaseMs } = this.#listener
    const problem = `the work outlived its lease of ${leaseMs / 1000} s and another delivery ran it too: raise leaseSeconds`
    const durationMs = performance.now() - this.#takenAt
    callHook(onError, new EventStoreError(problem), { ...this.#key, durationMs })
  }

  #ask<Answer extends StoreAnswer>(call: StoreCall<Answer>): MaybePromise<Answer> {
    if (!STORE?.hasSubscribers) return this.#askInTime(call) // before the closures below are made
    return traced(
      STORE,
      () => this.#askInTime(call),
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
          if (call.name === 'claim') this.#giveBack(answer)
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
  #giveBack(answer: PromiseLike<unknown>): void {
    const release = () => RELEASE.ask(this.#listener, this.#key, this.#owner)
    answer.then(release, release).then(undefined, () => {})
  }
}
