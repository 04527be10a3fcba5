import { LeaseLostError } from './errors.ts'
import type { ClaimAnswer, CommitAnswer, EventKey } from './event-store.ts'
import type { Clock } from './lib/clock.ts'
import { callHook } from './lib/hooks.ts'
import { memberOf } from './lib/member-of.ts'
import type { Listener } from './listener.ts'
import type { StoreAnswer } from './report.ts'
import { ask, CLAIM, COMMIT, RELEASE, RENEW, type StoreCall } from './store-call.ts'
import type { Verification, Waiter } from './verification.ts'

/** The longest time between two looks at a running handler. */
const BEAT_MS = 1000

/** What a lease needs to know of a delivery. */
type Leased = Pick<Verification, 'claimKeys' | 'eventId' | 'listener' | 'retentionMs'>

/** What the store answered for the keys that it did not fail for. */
interface Answers<Answer> {
  readonly answers: readonly Answer[]
  readonly failure: { readonly reason: unknown } | undefined
}

/**
 * The lease of one delivery on its event, by each of the event's keys, of which there are at most two. Whatever watches the handler calls
 * `beat`, which renews it. Knows by the monotonic clock when the lease has ended, whatever the store says later.
 */
export class Lease {
  readonly listener: Listener<unknown>
  readonly owner: string
  readonly retentionMs: number | undefined
  readonly eventId: string
  /** How often `beat` must be called, in milliseconds. */
  readonly beatMs: number
  /** When the last claim or renewal that succeeded began, in monotonic milliseconds. The store counts from a later time. */
  heldSince: number
  /** Also told of a loss, e.g. to write it to the console. */
  warn: ((listener: Listener<unknown>, code: LeaseLostError['code']) => void) | undefined
  readonly #clock: Clock
  readonly #claimedAt: number
  /** The same objects in each call: a store may remember by them what it has claimed. */
  readonly #keys: readonly EventKey[]
  /** The last call of `commit()` or `release()`, until it has failed. */
  #settling: Promise<unknown> | undefined
  #renewing: Promise<unknown> | undefined
  #isSettled = false
  /** What the next commit answers, if it need not ask. */
  #answer: CommitAnswer | undefined
  #isCommitTried = false
  #lost: LeaseLostError | undefined
  #lostBecause = ''
  #isTooLate = false
  #problem: unknown
  #aborter: AbortController | undefined

  /** Claims nothing yet. */
  constructor(leased: Leased, owner: string, clock: Clock = performance) {
    this.listener = leased.listener
    this.owner = owner
    this.retentionMs = leased.retentionMs
    this.eventId = leased.eventId
    this.beatMs = Math.min(BEAT_MS, this.listener.leaseMs / 4)
    this.warn = undefined
    this.#clock = clock
    this.#claimedAt = clock.now()
    const { id: listenerId, store } = this.listener
    const ids = leased.claimKeys.length === 0 && store.claimsAll ? [owner] : leased.claimKeys
    this.#keys = ids.map((eventId) => ({ listenerId, eventId }))
    this.heldSince = this.#claimedAt
  }

  /** @throws EventStoreError if the store throws, takes too long or returns an invalid answer. */
  take(waiter: Waiter): Promise<ClaimAnswer> {
    const [first, second] = this.#keys
    if (first === undefined) return Promise.resolve('acquired') // every delivery is new
    const taking = ask(CLAIM, this, first, waiter)
    return second === undefined ? taking : this.#takeBoth(taking, first, second, waiter)
  }

  // In the order of the calls: a commit that overtook a release in flight would mark the event as done, a release that
  // overtook a commit would undo it, and a renewal that came after either would find no lease.
  commit(): Promise<CommitAnswer> {
    const before = this.#settling ?? this.#renewing
    const isLate = this.#hasEnded()
    const committing = before || isLate ? this.#commitAfter(before, isLate) : this.#commitNow()
    this.#settling = committing
    return committing
  }

  release(): Promise<boolean> {
    this.judge()
    const before = this.#settling ?? this.#renewing
    const release = () => this.#releaseNow()
    const releasing = before?.then(release, release) ?? release()
    this.#settling = releasing
    return releasing
  }

  /** Aborted when the lease is lost, or the handler has run for too long. Made when it is first read. */
  get signal(): AbortSignal {
    if (this.#aborter === undefined) {
      this.#aborter = new AbortController()
      if (this.#lost) this.#aborter.abort(this.#lost)
    }
    return this.#aborter.signal
  }

  /**
   * Looks after the lease of a running handler: renews it once half of it has passed, and again if that failed. Returns whether it is
   * still held, and not settled.
   */
  beat(): boolean {
    if (this.#lost || this.#isSettled) return false
    const settling = this.#settling
    if (settling) {
      const onFailure = () => {
        if (this.#settling === settling) this.#settling = undefined // the lease is held on
      }
      settling.then(() => {
        this.#isSettled = true
      }, onFailure)
      return true
    }
    const { leaseMs, maxRunMs } = this.listener
    if (this.judge()) return false
    const now = this.#clock.now()
    if (now - this.#claimedAt >= maxRunMs) {
      this.#lose('ERR_RUN_TOO_LONG', `the handler ran longer than maxRunSeconds (${maxRunMs / 1000})`)
      return false
    }
    const isDue = now - this.heldSince >= leaseMs / 2
    if (isDue && this.#renewing === undefined && this.#isRenewable) this.#renewing = this.#renew(now)
    return true
  }

  /** Tells of a lease that has ended, if nobody has. Returns whether it is lost. */
  judge(): boolean {
    if (this.#lost === undefined && this.#hasEnded()) this.#loseToTime()
    return this.#lost !== undefined
  }

  async #takeBoth(
    taking: Promise<ClaimAnswer>,
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
      if (answer !== 'acquired') await ask(RELEASE, this, first).catch(() => {})
    }
  }

  async #commitNow(): Promise<CommitAnswer> {
    if (this.#answer) return this.#answer
    const isRepeated = this.#isCommitTried // the first may have been carried out although it failed
    this.#isCommitTried = true
    const { answers, failure } = await this.#askForEach(COMMIT)
    const isLost = answers.includes('lost')
    if (isLost || (answers.includes('already') && !isRepeated)) this.#tellTooLate(isLost)
    if (failure) throw failure.reason
    if (isLost) return 'lost'
    this.#answer = 'already'
    return answers.includes('committed') || answers.length === 0 ? 'committed' : 'already'
  }

  async #commitAfter(before: Promise<unknown> | undefined, isLate: boolean): Promise<CommitAnswer> {
    try {
      await before
    } catch {} // it was told then
    try {
      return await this.#commitNow()
    } finally {
      if (isLate && this.#lost === undefined) this.#loseToTime()
    }
  }

  async #releaseNow(): Promise<boolean> {
    const { answers, failure } = await this.#askForEach(RELEASE)
    if (answers.includes(true)) this.#answer = 'lost'
    if (failure) throw failure.reason
    return !answers.includes(false)
  }

  async #renew(startedAt: number): Promise<void> {
    const { answers, failure } = await this.#askForEach(RENEW)
    this.#renewing = undefined
    if (failure) this.#problem = failure.reason // it is tried again until the lease has ended
    if (this.judge()) return
    if (answers.includes(false))
      this.#lose('ERR_LEASE_LOST', `the store had ended the lease ${this.#ranFor()}`)
    else if (failure === undefined) this.heldSince = startedAt
  }

  /** Returns when the calls for all keys are over: the next must not overtake one that is still in flight. */
  #askForEach<Answer extends StoreAnswer>(call: StoreCall<Answer>): Promise<Answers<Answer>> {
    const asked: Promise<Answer>[] = []
    for (const key of this.#keys) asked.push(ask(call, this, key))
    const [first, second] = asked
    // As nearly always. allSettled takes half a microsecond.
    if (first && !second) return first.then(answered, failed)
    return Promise.allSettled(asked).then((outcomes) => ({
      answers: outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : [])),
      failure: outcomes.find((outcome) => outcome.status === 'rejected'),
    }))
  }

  get #isRenewable(): boolean {
    return typeof memberOf(this.listener.store, 'renew') === 'function'
  }

  /** What has been settled no longer needs a lease, and without a key there is nothing to lose. */
  #hasEnded(): boolean {
    const { leaseMs } = this.listener
    return (
      this.#settling === undefined && this.#keys.length > 0 && this.#clock.now() - this.heldSince > leaseMs
    )
  }

  #loseToTime(): void {
    const lease = `the lease of ${this.listener.leaseMs / 1000} s`
    if (this.#isRenewable) {
      const why = this.warn ? 'the process was paused, or the store away' : 'verify() alone does not renew it'
      this.#lose('ERR_LEASE_LOST', `${lease} ended ${this.#ranFor()}: ${why}`)
    } else {
      this.#lose('ERR_NO_ANSWER', `no answer within ${lease}, which this store cannot renew`)
    }
  }

  /** Another delivery has run the event, or runs it: the commit changed nothing. `already` may be of a delivery before the loss. */
  #tellTooLate(isLost: boolean): void {
    if (this.#isTooLate || !(isLost || this.#lost)) return
    this.#isTooLate = true
    const because = this.#lostBecause || `its lease of ${this.listener.leaseMs / 1000} s was lost`
    this.#lose(
      this.#lost?.code ?? 'ERR_LEASE_LOST',
      `the commit came too late, and another delivery ran the event too: ${because}`,
      '',
    )
  }

  #lose(code: LeaseLostError['code'], because: string, follows = MAY_RUN): void {
    const { listener, eventId } = this
    const cause = this.#problem === undefined ? {} : { cause: this.#problem }
    const error = new LeaseLostError(code, because + follows, cause)
    const durationMs = this.#clock.now() - this.#claimedAt
    this.#lostBecause ||= because
    this.#lost ??= error
    this.#aborter?.abort(this.#lost)
    callHook(listener.onError, error, { listenerId: listener.id, eventId, durationMs })
    callHook(this.warn, listener, code)
  }

  #ranFor(): string {
    return `${((this.#clock.now() - this.#claimedAt) / 1000).toFixed(1)} s after the claim`
  }
}

const answered = <Answer>(answer: Answer): Answers<Answer> => ({ answers: [answer], failure: undefined })
const failed = (reason: unknown): Answers<never> => ({ answers: [], failure: { reason } })

const MAY_RUN = ', and the next delivery of this event may run'
