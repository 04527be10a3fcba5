import type { StoreAnswer, StoreFields } from './channel-fields.ts'
import type { Held } from './claim-keys.ts'
import { EventStoreError } from './errors.ts'
import type { ClaimAnswer, CommitAnswer, EventKey } from './event-store.ts'
import { withDeadline } from './lib/deadline.ts'
import { callHook } from './lib/hooks.ts'
import { isPromise, type MaybePromise, whenKnown } from './lib/maybe-promise.ts'
import { type TracingChannel, traced, tracingChannel } from './lib/tracing.ts'
import type { Listener } from './listener.ts'
import { type Rejected, rejected } from './verdict.ts'
import type { Verification } from './verification.ts'
import { nowIfWatched } from './watch.ts'

/** Why a valid delivery loses: its event was handled before, or is in progress. */
export type ClaimReason = 'event_duplicate' | 'event_in_progress'

/**
 * The one effect: takes the event for this delivery, for `accept` to hand on, or tells who has it.
 *
 * @throws EventStoreError when the store throws, takes too long or answers anything but the contract's words.
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

/** What the store is asked and answers, for subscribers. */
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
    const { store, leaseMs } = this.#listener
    return this.#ask(CLAIM, () => store.claim(this.#key, this.#owner, leaseMs))
  }

  /** Not `async`: this runs for every handled event, and most in-process stores answer synchronously. */
  commit(): Promise<CommitAnswer> {
    if (this.#released) return Promise.resolve('lost')
    try {
      const { store, retentionMs } = this.#listener
      const answer = this.#ask(COMMIT, () => store.commit(this.#key, this.#owner, retentionMs))
      return Promise.resolve(whenKnown(answer, (known) => this.#heard(known)))
    } catch (error) {
      return Promise.reject(error)
    }
  }

  async release(): Promise<boolean> {
    const released = await this.#ask(RELEASE, () => this.#listener.store.release(this.#key, this.#owner))
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

  #ask<Answer extends StoreAnswer>(
    verb: Verb<Answer>,
    call: () => MaybePromise<Answer>,
  ): MaybePromise<Answer> {
    if (!STORE?.hasSubscribers) return this.#askInTime(verb, call) // before the closures below are made
    return traced(
      STORE,
      () => this.#askInTime(verb, call),
      (answer): StoreFields => ({ listenerId: this.#key.listenerId, verb: verb.name, answer }),
    )
  }

  /** One call of the store, under the deadline: clients are known to hang for a minute when their server dies. */
  #askInTime<Answer extends StoreAnswer>(
    verb: Verb<Answer>,
    call: () => MaybePromise<Answer>,
  ): MaybePromise<Answer> {
    try {
      const answer = call()
      if (!isPromise(answer)) return judge(verb, answer)
      const { storeTimeoutMs } = this.#listener
      const late = () =>
        new EventStoreError(`the event store did not ${verb.name} within ${storeTimeoutMs} ms`)
      return withDeadline(answer, storeTimeoutMs, late).then(
        (inTime) => judge(verb, inTime),
        (error) => {
          if (verb.name === 'claim') this.#giveBack(answer)
          return fail(verb, error)
        },
      )
    } catch (error) {
      return fail(verb, error)
    }
  }

  /**
   * A claim that failed may have been taken all the same: late, or unheard by a client that gave up before we did. Nobody
   * works under it, and it would hold up the retry.
   */
  #giveBack(answer: PromiseLike<unknown>): void {
    const release = () => this.#listener.store.release(this.#key, this.#owner)
    answer.then(release, release).then(undefined, () => {})
  }
}

interface Verb<Answer extends StoreAnswer> {
  readonly name: StoreFields['verb']
  readonly answers: readonly Answer[]
}

const CLAIM: Verb<ClaimAnswer> = { name: 'claim', answers: ['acquired', 'busy', 'done'] }
const COMMIT: Verb<CommitAnswer> = { name: 'commit', answers: ['committed', 'already', 'lost'] }
const RELEASE: Verb<boolean> = { name: 'release', answers: [true, false] }

function judge<Answer extends StoreAnswer>({ name, answers }: Verb<Answer>, answer: Answer): Answer {
  if (answers.includes(answer)) return answer
  throw new EventStoreError(`the event store answered ${name} with none of ${answers.join(', ')}`)
}

function fail<Answer extends StoreAnswer>({ name }: Verb<Answer>, cause: unknown): never {
  if (cause instanceof EventStoreError) throw cause
  throw new EventStoreError(`the event store failed to ${name}`, { cause })
}
