import { EventStoreError, LeaseLostError, ListenerConfigError } from './errors.ts'
import type { ClaimAnswer, CommitAnswer, EventKey } from './event-store.ts'
import type { Clock } from './lib/clock.ts'
import { callHook } from './lib/hooks.ts'
import { isPromise, type MaybePromise, whenKnown } from './lib/maybe-promise.ts'
import { memberOf } from './lib/member-of.ts'
import type { Listener } from './listener.ts'
import type { StoreAnswer } from './report.ts'
import { ask, CLAIM, COMMIT, RELEASE, type StoreCall } from './store-call.ts'
import type { Verification, Waiter } from './verification.ts'

/** What a lease needs to know of a delivery. */
type Leased = Pick<Verification, 'claimKeys' | 'eventId' | 'listener' | 'retentionMs'>

/** What the store answered for the keys that it did not fail for. */
export interface Answers<Answer> {
  readonly answers: readonly Answer[]
  readonly failure: { readonly reason: unknown } | undefined
}

/** The handler's own transaction, which decides about the event, and may be rolled back. `joining.ts` has the only one. */
export interface Joined {
  /** The last `commit(tx)`. */
  readonly committing: Promise<CommitAnswer>
  /** Whether one has succeeded. */
  readonly isDone: boolean
  /** Commits once the transaction has ended: asks whether it was committed. */
  ask(): Promise<CommitAnswer>
}

/** Commits a lease in a transaction, and sets its `joined`. */
export type Join = (lease: Lease, tx: object | undefined) => Promise<CommitAnswer>

/**
 * The lease of one delivery on its event, by each of the event's keys, of which there are at most two. Knows by the monotonic clock when it
 * has ended, whatever the store says later. `beat` renews it, and what joins a transaction comes with the stores that do: both see its
 * members.
 */
export class Lease {
  readonly listener: Listener<unknown>
  readonly owner: string
  readonly retentionMs: number | undefined
  readonly eventId: string
  /** When the last claim or renewal that succeeded began, in monotonic milliseconds. The store counts from a later time. */
  heldSince: number
  /** Also told of a loss, e.g. to write it to the console. */
  warn:
    | ((listener: Listener<unknown>, code: LeaseLostError['code'], error: LeaseLostError) => void)
    | undefined
  readonly clock: Clock
  readonly claimedAt: number
  /** The same objects in each call: a store may remember by them what it has claimed. */
  readonly keys: readonly EventKey[]
  /** The last call of `commit()` or `release()`, until it has failed. */
  settling: Promise<unknown> | undefined
  renewing: Promise<unknown> | undefined
  /** In words, for its end. Who renews it says so. */
  whyNotRenewed = 'verify() alone does not renew it'
  isSettled = false
  /** What the next commit answers, if it need not ask. */
  answer: CommitAnswer | undefined
  #isCommitTried = false
  joined: Joined | undefined
  lost: LeaseLostError | undefined
  #lostBecause = ''
  #isTooLate = false
  /** Why the last renewal has failed. */
  problem: unknown
  #aborter: AbortController | undefined

  /** Claims nothing yet. */
  constructor(leased: Leased, owner: string, clock: Clock = performance) {
    this.listener = leased.listener
    this.owner = owner
    this.retentionMs = leased.retentionMs
    this.eventId = leased.eventId
    this.warn = undefined
    this.clock = clock
    this.claimedAt = clock.now()
    const { id: listenerId, store } = this.listener
    const ids = leased.claimKeys.length === 0 && store.claimsAll ? [owner] : leased.claimKeys
    this.keys = ids.map((eventId) => ({ listenerId, eventId }))
    this.heldSince = this.claimedAt
  }

  /** @throws EventStoreError if the store throws, takes too long or returns an invalid answer. */
  take(waiter: Waiter): MaybePromise<ClaimAnswer> {
    const [first, second] = this.keys
    if (first === undefined) return 'acquired' // every delivery is new
    const taking = ask(CLAIM, this, first, waiter)
    const taken = second === undefined ? taking : this.#takeBoth(taking, first, second, waiter)
    return whenKnown(taken, (answer) => this.inTime(answer)) // a synchronous store may block for as long
  }

  /**
   * The store's answer, unless it came later than the end of the lease that it began: another delivery may run the event by now, so
   * nothing starts, and the claim is given back.
   *
   * @throws EventStoreError if it came too late.
   */
  inTime(answer: ClaimAnswer): ClaimAnswer {
    if (answer !== 'acquired' || !this.#hasEnded()) return answer
    void this.askForEach(RELEASE) // one that fails changes nothing: the lease has ended
    const { leaseMs } = this.listener
    throw new EventStoreError(
      `the event store answered ${this.ranFor()}, when its lease of ${leaseMs / 1000} s had ended: ` +
        'set leaseSeconds to more than the store may take',
    )
  }

  // In the order of the calls: a commit that overtook a release in flight would mark the event as done, a release that
  // overtook a commit would undo it, and a renewal that came after either would find no lease.
  commit(...given: [] | [tx: object]): Promise<CommitAnswer> {
    if (given.length > 0) return this.#commitIn(given[0])
    const committing = this.#commitAfter(this.#before, this.#hasEnded())
    this.settling = committing
    return committing
  }

  release(): Promise<boolean> {
    this.judge()
    const before = this.#before
    const release = () => this.releaseNow()
    const releasing = before?.then(release, release) ?? release()
    this.settling = releasing
    return releasing
  }

  /** Aborted when the lease is lost, or the handler has run for too long. Made when it is first read. */
  get signal(): AbortSignal {
    if (this.#aborter === undefined) {
      this.#aborter = new AbortController()
      if (this.lost) this.#aborter.abort(this.lost)
    }
    return this.#aborter.signal
  }

  /** Tells of a lease that has ended, if nobody has. Returns whether it is lost. */
  judge(): boolean {
    if (this.lost === undefined && this.#hasEnded()) this.#loseToTime()
    return this.lost !== undefined
  }

  async #takeBoth(
    taking: MaybePromise<ClaimAnswer>,
    first: EventKey,
    second: EventKey,
    waiter: Waiter,
  ): Promise<ClaimAnswer> {
    if ((await taking) !== 'acquired') return taking
    let answer: ClaimAnswer | undefined
    try {
      answer = await ask(CLAIM, this, second, waiter)
      return answer
    } finally {
      // A release that fails changes nothing: the lease lapses.
      if (answer !== 'acquired') await this.#ask(RELEASE, first)
    }
  }

  /** The lease goes on, because the transaction does: a renewal is not in its way. */
  #commitIn(tx: object | undefined): Promise<CommitAnswer> {
    const join = memberOf(this.listener.store.commitIn, 'join')
    if (typeof join !== 'function') return Promise.reject(takesNoTransaction())
    return (join as Join)(this, tx) // `inTransaction` has set it
  }

  get #before(): Promise<unknown> | undefined {
    return this.settling ?? this.joined?.committing ?? this.renewing
  }

  async #commitAfter(before: Promise<unknown> | undefined, isLate: boolean): Promise<CommitAnswer> {
    if (before) await before.catch(() => {}) // it was told then
    try {
      if (this.answer) return this.answer
      if (this.joined) return await this.joined.ask()
      const isRepeated = this.#isCommitTried // the first may have been carried out although it failed
      this.#isCommitTried = true
      const asked = this.askForEach(COMMIT)
      const { answers, failure } = isPromise(asked) ? await asked : asked
      const isLost = answers.includes('lost')
      if (isLost || (answers.includes('already') && !isRepeated)) this.tellTooLate(isLost)
      if (failure) throw failure.reason
      if (isLost) return 'lost'
      this.answer = 'already'
      return answers.includes('committed') || answers.length === 0 ? 'committed' : 'already'
    } finally {
      if (isLate && this.lost === undefined) this.#loseToTime()
    }
  }

  async releaseNow(): Promise<boolean> {
    const { answers, failure } = await this.askForEach(RELEASE)
    if (answers.includes(true)) this.answer = 'lost'
    if (failure) throw failure.reason
    return !answers.includes(false)
  }

  /** Returns when the calls for all keys are over: the next must not overtake one that is still in flight. */
  askForEach<Answer extends StoreAnswer>(call: StoreCall<Answer>): MaybePromise<Answers<Answer>> {
    const [first, second] = this.keys
    if (first === undefined) return NO_ANSWERS
    const asked = this.#ask(call, first)
    if (second === undefined) return asked
    const also = this.#ask(call, second)
    return whenKnown(asked, (one) => whenKnown(also, (other) => both(one, other)))
  }

  /** Neither throws nor rejects. */
  #ask<Answer extends StoreAnswer>(call: StoreCall<Answer>, key: EventKey): MaybePromise<Answers<Answer>> {
    try {
      const asked = ask(call, this, key)
      return isPromise(asked) ? asked.then(answered, failed) : answered(asked)
    } catch (reason) {
      return failed(reason)
    }
  }

  get isRenewable(): boolean {
    return memberOf(this.listener.store, 'renew') !== undefined
  }

  /**
   * What has been settled no longer needs a lease, without a key there is nothing to lose, and nobody else can have what this owner's own
   * transaction holds.
   */
  #hasEnded(): boolean {
    if (this.settling !== undefined || this.keys.length === 0) return false
    return this.clock.now() - this.heldSince > this.listener.leaseMs && !this.#isKept()
  }

  /** A store that cannot say so keeps nothing. */
  #isKept(): boolean {
    const { store } = this.listener
    try {
      return this.keys.every((key) => store.holds?.(key, this.owner) === true)
    } catch {
      return false
    }
  }

  #loseToTime(): void {
    const lease = `the lease of ${this.listener.leaseMs / 1000} s`
    if (this.isRenewable) {
      this.lose('ERR_LEASE_LOST', `${lease} ended ${this.ranFor()}: ${this.whyNotRenewed}`)
    } else {
      this.lose('ERR_NO_ANSWER', `no answer within ${lease}, which this store cannot renew`)
    }
  }

  /** Another delivery has run the event, or runs it: the commit changed nothing. `already` may be of a delivery before the loss. */
  tellTooLate(isLost: boolean): void {
    if (this.#isTooLate || !(isLost || this.lost)) return
    this.#isTooLate = true
    const because = this.#lostBecause || `its lease of ${this.listener.leaseMs / 1000} s was lost`
    this.lose(
      this.lost?.code ?? 'ERR_LEASE_LOST',
      `the commit came too late, and another delivery ran the event too: ${because}`,
      '',
    )
  }

  lose(code: LeaseLostError['code'], because: string, follows: string = MAY_RUN): void {
    const { listener, eventId } = this
    const cause = this.problem === undefined ? {} : { cause: this.problem }
    const error = new LeaseLostError(code, because + follows, cause)
    const durationMs = this.clock.now() - this.claimedAt
    this.#lostBecause ||= because
    this.lost ??= error
    this.#aborter?.abort(this.lost)
    callHook(listener.onError, error, { listenerId: listener.id, eventId, durationMs })
    callHook(this.warn, listener, code, error)
  }

  ranFor(): string {
    return `${((this.clock.now() - this.claimedAt) / 1000).toFixed(1)} s after the claim`
  }
}

const NO_ANSWERS: Answers<never> = { answers: [], failure: undefined }
const answered = <Answer>(answer: Answer): Answers<Answer> => ({ answers: [answer], failure: undefined })
const failed = (reason: unknown): Answers<never> => ({ answers: [], failure: { reason } })
const both = <Answer>(one: Answers<Answer>, other: Answers<Answer>): Answers<Answer> => ({
  answers: [...one.answers, ...other.answers],
  failure: one.failure ?? other.failure,
})

function takesNoTransaction(): ListenerConfigError {
  return new ListenerConfigError(
    'store',
    'cannot commit in your transaction: use postgresStore or mysqlStore, or end it and call commit() without tx',
  )
}

const MAY_RUN = ', and the next delivery of this event may run'
