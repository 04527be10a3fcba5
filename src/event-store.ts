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

/** The result of `EventStore.claim`. */
export type ClaimAnswer = 'acquired' | 'busy' | 'done'
/** The result of `EventStore.commit`. */
export type CommitAnswer = 'committed' | 'already' | 'lost'

export const CLAIM_ANSWERS: readonly ClaimAnswer[] = ['acquired', 'busy', 'done']
export const COMMIT_ANSWERS: readonly CommitAnswer[] = ['committed', 'already', 'lost']

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
   *
   * `retentionMs` is given for the few events that are not to be remembered for as long as the others. Only a store that commits with
   * the claim needs it.
   */
  claim(key: EventKey, owner: string, leaseMs: number, retentionMs?: number): MaybePromise<ClaimAnswer>
  /**
   * Remembers the event as done for `retentionMs`. `committed`: this owner held it, or it was absent (the work is done
   * either way). `already`: it was committed before. `lost`: a later owner holds it, and keeps it.
   */
  commit(key: EventKey, owner: string, retentionMs: number): MaybePromise<CommitAnswer>
  /** Forgets the event if this owner holds its lease. Returns whether it did. */
  release(key: EventKey, owner: string): MaybePromise<boolean>
  /**
   * Begins this owner's lease anew, so that it ends `leaseMs` from now. Optional: without it, a handler that runs longer than its
   * lease can run twice. Never creates, takes over or revives a record, and never undoes a commit.
   *
   * @returns True only if this owner holds the lease and it has not ended.
   */
  renew?(key: EventKey, owner: string, leaseMs: number): MaybePromise<boolean>
  /**
   * For stores that hold something open for an event, such as a transaction: called when `verify()` accepts the event.
   * `owner` is the one of its claims, and `delivery` the request that it came in.
   */
  accepted?(event: object, owner: string, delivery?: Delivery): void
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
