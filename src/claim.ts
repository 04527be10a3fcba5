import { queryTextOf } from './delivery.ts'
import { EventStoreError } from './errors.ts'
import type { EventAuth, PayloadSchema, WebhookEvent } from './event.ts'
import {
  CLAIM_ANSWERS,
  type ClaimAnswer,
  COMMIT_ANSWERS,
  type CommitAnswer,
  type EventKey,
} from './event-store.ts'
import { withDeadline } from './lib/clock.ts'
import { callHook } from './lib/hooks.ts'
import { isPromise, type MaybePromise } from './lib/maybe-promise.ts'
import { isA } from './lib/member-of.ts'
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
}

/** One claim for each of an event's keys, of which there are at most two. Nothing is asked yet. */
export function claimOf({ claimKeys, listener, retentionMs }: Verification, owner: string): EventClaim {
  const [first, second] = claimKeys
  if (first === undefined) return WITHOUT_KEY
  const claim = new Claim(listener, first, owner, retentionMs)
  return second === undefined ? claim : new ClaimPair(claim, new Claim(listener, second, owner, retentionMs))
}

/** Nothing is held while a commit or a release is awaited. */
const DIRECT: Waiter = { wait: (promise) => promise }

/** Publishes store calls and their answers to subscribers. */
const STORE: TracingChannel | undefined = /* @__PURE__ */ tracingChannel('store')

class Claim implements EventClaim {
  readonly #listener: Listener<unknown>
  readonly #key: EventKey
  readonly #owner: string
  readonly #retentionMs: number | undefined
  readonly #takenAt: number
  #settled: 'committed' | 'released' | undefined
  #isOverrun = false

  constructor(listener: Listener<unknown>, eventId: string, owner: string, retentionMs: number | undefined) {
    this.#listener = listener
    this.#key = { listenerId: listener.id, eventId }
    this.#owner = owner
    this.#retentionMs = retentionMs
    this.#takenAt = listener.onError ? performance.now() : 0
  }

  take(waiter: Waiter): Promise<ClaimAnswer> {
    return this.#ask(CLAIM, waiter)
  }

  async commit(): Promise<CommitAnswer> {
    if (this.#settled) return this.#settled === 'released' ? 'lost' : 'already'
    const answer = await this.#ask(COMMIT)
    if (answer === 'lost') this.#tellOverrun()
    else this.#settled = 'committed'
    return answer
  }

  async release(): Promise<boolean> {
    const released = await this.#ask(RELEASE)
    if (released) this.#settled = 'released'
    return released
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
      const asked = call.ask(this.#listener, this.#key, this.#owner, this.#retentionMs)
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
    const { storeTimeoutMs } = this.#listener
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
    return RELEASE.ask(this.#listener, this.#key, this.#owner)
  }
}

/** One of the three calls, and the answers that the contract allows. */
interface StoreCall<Answer extends StoreAnswer> {
  readonly name: StoreFields['verb']
  readonly answers: readonly Answer[]
  /** `retentionMs`: set if the event is not to be remembered for as long as the listener says. */
  ask(listener: Listener<unknown>, key: EventKey, owner: string, retentionMs?: number): MaybePromise<Answer>
}

const CLAIM: StoreCall<ClaimAnswer> = {
  name: 'claim',
  answers: CLAIM_ANSWERS,
  ask: ({ store, leaseMs }, key, owner, retentionMs) =>
    retentionMs === undefined
      ? store.claim(key, owner, leaseMs)
      : store.claim(key, owner, leaseMs, retentionMs),
}

const COMMIT: StoreCall<CommitAnswer> = {
  name: 'commit',
  answers: COMMIT_ANSWERS,
  ask: ({ store, retentionMs: longestMs }, key, owner, retentionMs = longestMs) =>
    store.commit(key, owner, Math.min(retentionMs, longestMs)),
}

const RELEASE: StoreCall<boolean> = {
  name: 'release',
  answers: [true, false],
  ask: ({ store }, key, owner) => store.release(key, owner),
}

/** For events without a key: every delivery is new. */
const WITHOUT_KEY: EventClaim = {
  take: async () => 'acquired',
  commit: async () => 'committed',
  release: async () => true,
}

/** Two keys of one event. The event is new only if both are, and both are committed or released together. */
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
}

const encoder = /* @__PURE__ */ new TextEncoder()

/** The event of a delivery that passed every check, settled by `claim`. */
export function acceptedEvent(verification: Verification, claim: EventClaim): WebhookEvent<unknown> {
  const { auth, delivery, eventId, eventTypeText, listener, payload, protocol, sentAt } = verification
  const commit = () => claim.commit()
  const release = () => claim.release()
  let settling: Promise<unknown> | undefined
  const event: Writable<WebhookEvent<unknown>> = {
    id: eventId,
    listenerId: listener.id,
    sentAt: new Date(sentAt * 1000),
    payload,
    rawBody: delivery.body,
    auth: auth as EventAuth, // `checkAuthenticity` has set it
    // In the order of the calls: a commit that overtook a release in flight would mark the event as done, and a release that
    // overtook a commit would undo it.
    commit() {
      const committing = settling?.then(commit, commit) ?? commit()
      settling = committing
      return committing
    },
    release() {
      const releasing = settling?.then(release, release) ?? release()
      settling = releasing
      return releasing
    },
  }
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

/** Kept off the event, so that it shows up in neither logs nor copies. */
const schemas = new WeakMap<object, PayloadSchema>()

/** The schema that produced an event's payload, if any. */
export function schemaOf(event: object): PayloadSchema | undefined {
  return schemas.get(event)
}
