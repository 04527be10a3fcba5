import type { Delivery } from './delivery.ts'
import type { MaybePromise } from './lib/maybe-promise.ts'

/** Identifies an event in a store. Two keys name the same event only if both parts are equal. */
export interface EventKey {
  /** The listener's `id`: any text. */
  readonly listenerId: string
  /**
   * The event ID. `verify()` passes a UUID in lower case: the sender's own, or a UUIDv8 that stands for any other ID. Stores of
   * hookgate take any text, such as `event.id`, and find the same record by it.
   */
  readonly eventId: string
}

/** What a store hears of the listener that accepted an event. */
export interface AcceptingListener {
  /** Its `id`, which is that of the event's keys, too. */
  readonly id: string
  /** Its `onError`, for what the store finds out later. */
  readonly onError:
    | ((error: unknown, context: { readonly listenerId: string; readonly durationMs: number }) => unknown)
    | null
    | undefined
}

/** The result of `EventStore.claim`. */
export type ClaimAnswer = 'acquired' | 'busy' | 'done'
/** The result of `EventStore.commit`. */
export type CommitAnswer = 'committed' | 'already' | 'lost'
/** The result of `EventStore.renew`. */
export type RenewAnswer = boolean | 'locked'

/** The method of `EventStore` that commits in a transaction of yours. `inTransaction` makes one. */
export interface CommitIn {
  (tx: object, key: EventKey, owner: string, retentionMs: number): Promise<'committed'>
  /** What `event.commit(tx)` calls, which calls this. */
  readonly join: unknown
}

export const CLAIM_ANSWERS: readonly ClaimAnswer[] = ['acquired', 'busy', 'done']
export const COMMIT_ANSWERS: readonly CommitAnswer[] = ['committed', 'already', 'lost']
export const RENEW_ANSWERS: readonly RenewAnswer[] = [true, false, 'locked']

/**
 * Remembers events, so that each is handled once. Each method is atomic and uses the store's own clock. An expired record
 * counts as absent. Test your implementation with `eventStoreSuite`.
 *
 * ```
 *          claim ── lease ──► commit ── retention ──► forgotten
 * absent ─► leased ─────────► done ─────────────────► absent
 *             └─ release, or the lease expires ─────► absent
 * ```
 *
 * A method that fails must throw or reject; it must never guess an answer.
 *
 * @example
 * ```ts
 * const store: EventStore = memoryStore()
 * await store.claim({ listenerId: 'orders', eventId }, 'worker-1', 60_000) // 'acquired'
 * ```
 */
export interface EventStore {
  /**
   * Leases the event for `leaseMs`. `acquired`: it was absent, or this owner holds it already, so that a claim whose reply
   * was lost can be repeated. `busy`: another owner holds the lease. `done`: committed, and still remembered.
   */
  claim(key: EventKey, owner: string, leaseMs: number): MaybePromise<ClaimAnswer>
  /**
   * Remembers the event as done for `retentionMs`. `committed`: this owner held it, or it was absent (the work is done
   * either way). `already`: it was committed before. `lost`: a later owner holds it, and keeps it.
   */
  commit(key: EventKey, owner: string, retentionMs: number): MaybePromise<CommitAnswer>
  /**
   * Like `commit`, in an open transaction of yours: the record then commits with what you wrote there, or not at all. Optional, for stores
   * in a database. If the event is not this owner's, because it was released, swept, committed, or taken over, rejects, and has the
   * transaction fail. Neither waits for a renewal nor prevents one. Until the transaction ends, a claim of any owner is `busy`, even this one's.
   *
   * @throws LeaseLostError if the event is not this owner's. ListenerConfigError if `tx` has no open transaction.
   */
  readonly commitIn?: CommitIn
  /** Forgets the event if this owner holds its lease. Returns whether it did. */
  release(key: EventKey, owner: string): MaybePromise<boolean>
  /**
   * Begins this owner's lease anew, so that it ends `leaseMs` from now. Optional: without it, a handler that runs longer than its
   * lease can run twice. Never creates, takes over or revives a record, and never undoes a commit.
   *
   * @returns True only if this owner holds the lease and it has not ended. `locked`: an open transaction, whosever it is, keeps the store
   * from the record. Nothing was renewed, and the store is asked again soon. Answer so instead of waiting for that transaction, because
   * each call that waits keeps a connection.
   */
  renew?(key: EventKey, owner: string, leaseMs: number): MaybePromise<RenewAnswer>
  /**
   * Whether nobody else can have the event, although its lease was not renewed. It then goes on: for stores that write in your
   * transactions, as long as `renew` finds the event locked by such a transaction of this owner.
   */
  holds?(key: EventKey, owner: string): boolean
  /**
   * For stores that keep the event itself, as an inbox does: called when `verify()` accepts it.
   * `owner` is the one of its claims, `delivery` the request that it came in, and `listener` the one that accepted it.
   */
  accepted?(event: object, owner: string, delivery?: Delivery, listener?: AcceptingListener): void
  /**
   * True for stores that have to hear of each event's end: `verify()` then claims events with `dedupe: 'off'` too, each under a key that
   * no other delivery has.
   */
  readonly claimsAll?: boolean
  /**
   * For stores that evict records when full: how long each record is kept at least, in seconds. `defineListener` refuses
   * a store that keeps records for less time than a captured delivery can be replayed.
   */
  readonly replayWindowSeconds?: number
}

/**
 * Encodes a key as one unambiguous string. The length prefix keeps `a:b` + `c` apart from `a` + `b:c`.
 *
 * @example
 * ```ts
 * eventKeyText({ listenerId: 'orders', eventId }) // '6:orders:…'
 * ```
 */
export function eventKeyText({ listenerId, eventId }: EventKey): string {
  // Keeps one flat string in memory; a template would retain its parts.
  return [listenerId.length, listenerId, eventId].join(':')
}
