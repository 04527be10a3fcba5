import { queryTextOf } from './delivery.ts'
import { EventStoreError, LeaseLostError } from './errors.ts'
import type { ClaimedEvent, EventAuth, PayloadSchema, WebhookEvent as SomeEvent } from './event.ts'
import {
  CLAIM_ANSWERS,
  type ClaimAnswer,
  COMMIT_ANSWERS,
  type CommitAnswer,
  type EventKey,
} from './event-store.ts'
import { type Clock, withDeadline } from './lib/clock.ts'
import { callHook } from './lib/hooks.ts'
import { isPromise, type MaybePromise } from './lib/maybe-promise.ts'
import { isA, memberOf } from './lib/member-of.ts'
import { type TracingChannel, traced, tracingChannel } from './lib/tracing.ts'
import type { Listener } from './listener.ts'
import type { StoreAnswer, StoreFields } from './report.ts'
import type { Verification, Waiter } from './verification.ts'

/** The claim of one delivery to its event, with its commit and release. */
export interface EventClaim {
  /** @throws EventStoreError if the store throws, takes too long or returns an invalid answer. */
  take(waiter: Waiter): Promise<ClaimAnswer>
  commit(): Promise<CommitAnswer>
  release(): Promise<boolean>
  /** Whether the store has `renew`. */
  readonly isRenewable: boolean
  /** Begins the lease anew. False if it is no longer held. */
  renew(): Promise<boolean>
}

/** The longest time between two looks at a running handler. */
const BEAT_MS = 1000

/** What a lease needs to know of a delivery. */
type Leased = Pick<Verification, 'claimKeys' | 'eventId' | 'listener' | 'retentionMs'>

/**
 * The lease of one delivery on its event. Whatever watches the handler calls `beat`, which renews it. Knows by the monotonic clock when
 * the lease has ended, whatever the store says later.
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
  readonly #claim: EventClaim
  /** The last call of `commit()` or `release()`, until it has failed. */
  #settling: Promise<unknown> | undefined
  #renewing: Promise<unknown> | undefined
  #isSettled = false
  #lost: LeaseLostError | undefined
  #isTooLate = false
  #problem: unknown
  #aborter: AbortController | undefined

  /** Claims nothing yet. */
  constructor(leased: Leased, owner: string, claim?: EventClaim, clock: Clock = performance) {
    this.listener = leased.listener
    this.owner = owner
    this.retentionMs = leased.retentionMs
    this.eventId = leased.eventId
    this.beatMs = Math.min(BEAT_MS, this.listener.leaseMs / 4)
    this.warn = undefined
    this.#clock = clock
    this.#claimedAt = clock.now()
    this.heldSince = this.#claimedAt
    this.#claim = claim ?? claimOf(leased.claimKeys, this)
  }

  take(waiter: Waiter): Promise<ClaimAnswer> {
    return this.#claim.take(waiter)
  }

  // In the order of the calls: a commit that overtook a release in flight would mark the event as done, a release that
  // overtook a commit would undo it, and a renewal that came after either would find no lease.
  commit(): Promise<CommitAnswer> {
    const before = this.#settling ?? this.#renewing
    const isLate = this.#hasEnded()
    const committing = before || isLate ? this.#commitAfter(before, isLate) : this.#claim.commit()
    this.#settling = committing
    return committing
  }

  release(): Promise<boolean> {
    this.judge()
    const before = this.#settling ?? this.#renewing
    const release = () => this.#claim.release()
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
      this.#lose('ERR_RUN_TOO_LONG', `${tooLong(maxRunMs)}: its lease is not renewed any more, ${MAY_RUN}`)
      return false
    }
    const isDue = now - this.heldSince >= leaseMs / 2
    if (isDue && this.#renewing === undefined && this.#claim.isRenewable) this.#renewing = this.#renew(now)
    return true
  }

  /** Tells of a lease that has ended, if nobody has. Returns whether it is lost. */
  judge(): boolean {
    if (this.#lost === undefined && this.#hasEnded()) this.#loseToTime()
    return this.#lost !== undefined
  }

  /** Tells that another delivery has run the event, or runs it: this commit changed nothing. */
  overtaken(answer: CommitAnswer): void {
    if (answer === 'already' && !this.#lost) return // an earlier commit of this delivery, whose reply was lost
    if (this.#isTooLate) return
    this.#isTooLate = true
    const { leaseMs, maxRunMs } = this.listener
    const code = this.#lost?.code ?? 'ERR_LEASE_LOST'
    const why =
      code === 'ERR_RUN_TOO_LONG'
        ? tooLong(maxRunMs)
        : `its lease of ${leaseMs / 1000} s was lost${code === 'ERR_NO_ANSWER' ? ', because this store cannot renew it' : ''}`
    this.#lose(code, `the commit came too late, and another delivery ran the event too: ${why}`)
  }

  async #renew(startedAt: number): Promise<void> {
    try {
      const isHeld = await this.#claim.renew()
      if (this.judge()) return
      if (isHeld) this.heldSince = startedAt
      else this.#lose('ERR_LEASE_LOST', `the store had ended the lease ${this.#ranFor()}, ${MAY_RUN}`)
    } catch (error) {
      this.#problem = error // it is tried again until the lease has ended
    } finally {
      this.#renewing = undefined
    }
  }

  async #commitAfter(before: Promise<unknown> | undefined, isLate: boolean): Promise<CommitAnswer> {
    try {
      await before
    } catch {} // it was told then
    try {
      return await this.#claim.commit()
    } finally {
      if (isLate && this.#lost === undefined) this.#loseToTime()
    }
  }

  /** What has been settled no longer needs a lease. */
  #hasEnded(): boolean {
    return this.#settling === undefined && this.#clock.now() - this.heldSince > this.listener.leaseMs
  }

  #loseToTime(): void {
    const lease = `the lease of ${this.listener.leaseMs / 1000} s`
    if (this.#claim.isRenewable) {
      const why = this.warn ? 'the process was paused, or the store away' : 'verify() alone does not renew it'
      this.#lose('ERR_LEASE_LOST', `${lease} ended ${this.#ranFor()}: ${why}, ${MAY_RUN}`)
    } else {
      this.#lose('ERR_NO_ANSWER', `no answer within ${lease}, which this store cannot renew, ${MAY_RUN}`)
    }
  }

  #lose(code: LeaseLostError['code'], problem: string): void {
    const { listener, eventId } = this
    const error = new LeaseLostError(
      code,
      problem,
      this.#problem === undefined ? {} : { cause: this.#problem },
    )
    const durationMs = this.#clock.now() - this.#claimedAt
    this.#lost ??= error
    this.#aborter?.abort(this.#lost)
    callHook(listener.onError, error, { listenerId: listener.id, eventId, durationMs })
    callHook(this.warn, listener, code)
  }

  #ranFor(): string {
    return `${((this.#clock.now() - this.#claimedAt) / 1000).toFixed(1)} s after the claim`
  }
}

const MAY_RUN = 'and the next delivery of this event may run'

const tooLong = (maxRunMs: number) => `the handler ran longer than maxRunSeconds (${maxRunMs / 1000})`

/** One claim for each of an event's keys, of which there are at most two. Nothing is asked yet. */
function claimOf([first, second]: readonly string[], lease: Lease): EventClaim {
  if (first === undefined) return lease.listener.store.claimsAll ? new Claim(lease, lease.owner) : WITHOUT_KEY
  const claim = new Claim(lease, first)
  return second === undefined ? claim : new ClaimPair(claim, new Claim(lease, second))
}

/** Nothing is held while a commit or a release is awaited. */
const DIRECT: Waiter = { wait: (promise) => promise }

/** Publishes store calls and their answers to subscribers. */
const STORE: TracingChannel | undefined = /* @__PURE__ */ tracingChannel('store')

class Claim implements EventClaim {
  readonly #lease: Lease
  readonly #key: EventKey
  #settled: 'committed' | 'released' | undefined
  #isTried = false

  constructor(lease: Lease, eventId: string) {
    this.#lease = lease
    this.#key = { listenerId: lease.listener.id, eventId }
  }

  take(waiter: Waiter): Promise<ClaimAnswer> {
    return this.#ask(CLAIM, waiter)
  }

  async commit(): Promise<CommitAnswer> {
    if (this.#settled) return this.#settled === 'released' ? 'lost' : 'already'
    const isRepeated = this.#isTried // the first may have been carried out although it failed
    this.#isTried = true
    const answer = await this.#ask(COMMIT)
    if (answer !== 'lost') this.#settled = 'committed'
    if (answer === 'lost' || (answer === 'already' && !isRepeated)) this.#lease.overtaken(answer)
    return answer
  }

  async release(): Promise<boolean> {
    const released = await this.#ask(RELEASE)
    if (released) this.#settled = 'released'
    return released
  }

  get isRenewable(): boolean {
    return typeof memberOf(this.#lease.listener.store, 'renew') === 'function'
  }

  renew(): Promise<boolean> {
    return this.#ask(RENEW)
  }

  #ask<Answer extends StoreAnswer>(call: StoreCall<Answer>, waiter?: Waiter): Promise<Answer> {
    if (!STORE?.hasSubscribers) return this.#answer(call, waiter)
    return traced(
      STORE,
      () => this.#answer(call, waiter),
      (answer): StoreFields => ({ listenerId: this.#key.listenerId, verb: call.name, answer }),
    )
  }

  async #answer<Answer extends StoreAnswer>(
    call: StoreCall<Answer>,
    waiter: Waiter | undefined,
  ): Promise<Answer> {
    try {
      const asked = call.ask(this.#key, this.#lease)
      const answer = isPromise(asked) ? await (waiter ?? DIRECT).wait(this.#inTime(call, asked)) : asked
      if (call.answers.includes(answer)) return answer
    } catch (cause) {
      if (isA(cause, EventStoreError)) throw cause
      throw new EventStoreError(`the event store failed to ${call.name}`, { cause })
    }
    throw new EventStoreError(
      `the event store must answer ${call.name} with one of ${call.answers.join(', ')}`,
    )
  }

  /** With a deadline: some clients hang for a minute when their server dies. */
  async #inTime<Answer extends StoreAnswer>(
    { name }: StoreCall<Answer>,
    asked: PromiseLike<Answer>,
  ): Promise<Answer> {
    const { storeTimeoutMs } = this.#lease.listener
    const late = () => new EventStoreError(`the event store did not ${name} within ${storeTimeoutMs} ms`)
    try {
      return await withDeadline(asked, storeTimeoutMs, late)
    } catch (error) {
      if (name === 'claim') callHook(() => this.#giveBack(asked))
      throw error
    }
  }

  /**
   * A failed claim may still have been carried out: late, or after the client gave up. No handler runs under
   * it, and it would block the retry.
   */
  async #giveBack(asked: PromiseLike<unknown>): Promise<unknown> {
    try {
      await asked
    } catch {}
    return RELEASE.ask(this.#key, this.#lease)
  }
}

/** One of the four calls, and the answers that the contract allows. */
interface StoreCall<Answer extends StoreAnswer> {
  readonly name: StoreFields['verb']
  readonly answers: readonly Answer[]
  ask(key: EventKey, lease: Lease): MaybePromise<Answer>
}

const CLAIM: StoreCall<ClaimAnswer> = {
  name: 'claim',
  answers: CLAIM_ANSWERS,
  ask: (key, { listener: { store, leaseMs }, owner, retentionMs }) =>
    retentionMs === undefined
      ? store.claim(key, owner, leaseMs)
      : store.claim(key, owner, leaseMs, retentionMs),
}

const COMMIT: StoreCall<CommitAnswer> = {
  name: 'commit',
  answers: COMMIT_ANSWERS,
  ask: (key, { listener: { store, retentionMs: longestMs }, owner, retentionMs = longestMs }) =>
    store.commit(key, owner, Math.min(retentionMs, longestMs)),
}

const RELEASE: StoreCall<boolean> = {
  name: 'release',
  answers: [true, false],
  ask: (key, { listener: { store }, owner }) => store.release(key, owner),
}

const RENEW: StoreCall<boolean> = {
  name: 'renew',
  answers: [true, false],
  ask: (key, { listener: { store, leaseMs }, owner }) =>
    store.renew ? store.renew(key, owner, leaseMs) : false,
}

/** For events without a key: every delivery is new. */
const WITHOUT_KEY: EventClaim = {
  take: async () => 'acquired',
  commit: async () => 'committed',
  release: async () => true,
  isRenewable: true, // there is nothing to lose
  renew: async () => true,
}

/** Two keys of one event. The event is new only if both are, and both are committed, released and renewed together. */
class ClaimPair implements EventClaim {
  readonly #first: EventClaim
  readonly #second: EventClaim

  constructor(first: EventClaim, second: EventClaim) {
    this.#first = first
    this.#second = second
  }

  async take(waiter: Waiter): Promise<ClaimAnswer> {
    const first = await this.#first.take(waiter)
    if (first !== 'acquired') return first
    let second: ClaimAnswer | undefined
    try {
      second = await this.#second.take(waiter)
      return second
    } finally {
      // A release that fails changes nothing: the lease lapses.
      if (second !== 'acquired') await this.#first.release().catch(() => {})
    }
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

  get isRenewable(): boolean {
    return this.#first.isRenewable
  }

  async renew(): Promise<boolean> {
    const [first, second] = await Promise.all([this.#first.renew(), this.#second.renew()])
    return first && second
  }
}

const encoder = /* @__PURE__ */ new TextEncoder()

/** The event of a delivery that passed every check, settled through `lease`. */
export function acceptedEvent(verification: Verification, lease: Lease): SomeEvent<unknown> {
  const event: Writable<SomeEvent<unknown>> = new WebhookEvent(verification, lease)
  const { delivery, eventTypeText, listener, protocol } = verification
  // Assigned one by one: a copy costs more than most checks.
  if (protocol.unsigned) {
    event.type = eventTypeText || undefined
    event.unsigned = protocol.unsigned
    if (delivery.method === 'GET') event.rawBody = encoder.encode(queryTextOf(delivery))
  }
  if (listener.payload) schemas.set(event, listener.payload)
  return event
}

type Writable<T> = { -readonly [Member in keyof T]: T[Member] }

/** A class, so that `signal` costs nothing until it is read, and shows up in neither logs nor copies: there it is a plain object. */
class ClassOfEvents implements ClaimedEvent<unknown> {
  readonly id: string
  readonly listenerId: string
  readonly sentAt: Date
  readonly payload: unknown
  readonly rawBody: Uint8Array
  readonly auth: EventAuth
  // Not methods of the class, so that they can be taken off the event, and copied.
  readonly commit: () => Promise<CommitAnswer> = () => this.#lease.commit()
  readonly release: () => Promise<boolean> = () => this.#lease.release()
  readonly #lease: Lease

  constructor({ auth, delivery, eventId, listener, payload, sentAt }: Verification, lease: Lease) {
    this.id = eventId
    this.listenerId = listener.id
    this.sentAt = new Date(sentAt * 1000)
    this.payload = payload
    this.rawBody = delivery.body
    this.auth = auth as EventAuth // `checkAuthenticity` has set it
    this.#lease = lease
  }

  get signal(): AbortSignal {
    return this.#lease.signal
  }
}

/** Not in a static block: a bundler would keep the class where nothing uses it. */
const WebhookEvent = /* @__PURE__ */ withoutConstructor(ClassOfEvents)

function withoutConstructor<Class extends { readonly prototype: object }>(given: Class): Class {
  Reflect.deleteProperty(given.prototype, 'constructor')
  return given
}

/** Kept off the event, so that it shows up in neither logs nor copies. */
const schemas = new WeakMap<object, PayloadSchema>()

/** The schema that produced an event's payload, if any. */
export function schemaOf(event: object): PayloadSchema | undefined {
  return schemas.get(event)
}
