import type { Attempt } from './checks/check.ts'
import { EventStoreError } from './errors.ts'
import type { ClaimAnswer, CommitAnswer, EventKey } from './event-store.ts'
import { withDeadline } from './lib/deadline.ts'
import { callHook } from './lib/hooks.ts'
import { isPromise, type MaybePromise, whenKnown } from './lib/maybe-promise.ts'
import type { Listener } from './listener.ts'
import { type Rejected, rejected } from './verdict.ts'

/** Why a valid delivery loses: its event was done before (specification 6), or is being worked on now. */
export type ClaimReason = 'event_duplicate' | 'event_in_progress'

/**
 * The one effect: takes the event for this delivery, or tells who has it.
 *
 * @throws EventStoreError when the store throws, takes too long or answers anything but the contract's words.
 */
export function claimEvent({ listener, eventId }: Attempt): MaybePromise<Claim | Rejected> {
  const claim = new Claim(listener, eventId)
  return whenKnown(claim.take(), (answer) => {
    if (answer === 'acquired') return claim
    if (answer === 'done') return rejected('event_duplicate', 'this event was accepted before')
    return rejected('event_in_progress', 'this event is being worked on', Math.ceil(listener.leaseMs / 1000))
  })
}

/** An event taken by one delivery, and the two ways to let go of it. */
export class Claim {
  readonly #listener: Listener<unknown>
  readonly #key: EventKey
  readonly #owner: string
  readonly #takenAt = performance.now()
  #released = false

  constructor(listener: Listener<unknown>, eventId: string) {
    this.#listener = listener
    this.#key = { listenerId: listener.id, eventId }
    this.#owner = listener.nextOwner()
  }

  take(): MaybePromise<ClaimAnswer> {
    const { store, leaseMs } = this.#listener
    // A claim that arrives after the deadline is given back: nobody works under it, and it would hold up the retry.
    const giveBack = () => store.release(this.#key, this.#owner)
    return this.#ask(
      'claim',
      ['acquired', 'busy', 'done'],
      () => store.claim(this.#key, this.#owner, leaseMs),
      giveBack,
    )
  }

  async commit(): Promise<CommitAnswer> {
    if (this.#released) return 'lost'
    const { store, retentionMs } = this.#listener
    const answer = await this.#ask<CommitAnswer>('commit', ['committed', 'already', 'lost'], () =>
      store.commit(this.#key, this.#owner, retentionMs),
    )
    if (answer === 'lost') this.#tellOverrun()
    return answer
  }

  async release(): Promise<boolean> {
    const released = await this.#ask('release', [true, false], () =>
      this.#listener.store.release(this.#key, this.#owner),
    )
    this.#released ||= released
    return released
  }

  /** Nothing can be undone, but whoever runs the service should know that the handler ran twice. */
  #tellOverrun(): void {
    const { onError, leaseMs } = this.#listener
    const problem = `the work outlived its lease of ${leaseMs / 1000} s and another delivery ran it too: raise leaseSeconds`
    const durationMs = performance.now() - this.#takenAt
    callHook(onError, new EventStoreError(problem), { ...this.#key, durationMs })
  }

  /** One call of the store, under the deadline: clients are known to hang for a minute when their server dies. */
  #ask<Answer>(
    verb: string,
    answers: readonly Answer[],
    call: () => MaybePromise<Answer>,
    whenLate?: () => unknown,
  ): MaybePromise<Answer> {
    const judge = (answer: Answer) => {
      if (answers.includes(answer)) return answer
      throw new EventStoreError(
        `the event store answered ${verb} with something else than ${answers.join(', ')}`,
      )
    }
    const failed = (cause: unknown) => {
      if (cause instanceof EventStoreError) throw cause
      throw new EventStoreError(`the event store failed to ${verb}`, { cause })
    }
    try {
      const answer = call()
      if (!isPromise(answer)) return judge(answer)
      const late = () => {
        if (whenLate) answer.then(whenLate).then(undefined, () => {})
        return new EventStoreError(
          `the event store did not ${verb} within ${this.#listener.storeTimeoutMs} ms`,
        )
      }
      return withDeadline(answer, this.#listener.storeTimeoutMs, late).then(judge).catch(failed)
    } catch (error) {
      return failed(error)
    }
  }
}
