import type { MaybePromise } from './lib/maybe-promise.ts'

/** What a store remembers. Two keys are the same event only if both parts are equal. */
export interface EventKey {
  /** The listener's configured id: any text. */
  readonly listenerId: string
  /** The event ID in lower case: 36 characters. */
  readonly eventId: string
}

/** Whether the event may be run: see `EventStore.claim`. */
export type ClaimAnswer = 'acquired' | 'busy' | 'done'
/** Whether the event is done, and by whom: see `EventStore.commit`. */
export type CommitAnswer = 'committed' | 'already' | 'lost'

/**
 * Remembers events, so that each is handled once (specification 6). Each verb is one atomic step, judged by the
 * store's own clock; a record past its time counts as absent. Prove an implementation with `eventStoreSuite`.
 *
 * ```
 *          claim ── lease ──► commit ── retention ──► forgotten
 * absent ─► leased ─────────► done ─────────────────► absent
 *             └─ release, or the lease lapses ──────► absent
 * ```
 *
 * A verb that fails throws or rejects: never an answer that was not decided.
 */
export interface EventStore {
  /**
   * Takes the event for `leaseMs`. `acquired`: it was absent, or this owner has it already (a lost reply may be
   * asked again). `busy`: another owner's lease runs. `done`: committed, and still remembered.
   */
  claim(key: EventKey, owner: string, leaseMs: number): MaybePromise<ClaimAnswer>
  /**
   * Remembers the event as done for `retentionMs`. `committed`: the record was mine, or absent (the work is done
   * either way). `already`: it was done before. `lost`: a later owner has it, and keeps it.
   */
  commit(key: EventKey, owner: string, retentionMs: number): MaybePromise<CommitAnswer>
  /** Forgets the event, if this owner's lease is all there is. True when it did. */
  release(key: EventKey, owner: string): MaybePromise<boolean>
  /**
   * For stores that drop records when they are full: how long, in seconds, they keep each one whatever happens.
   * `defineListener` refuses a store that keeps less than a captured delivery can be replayed.
   */
  readonly replayWindowSeconds?: number
}

/** One text for one key. The length in front keeps `a:b` + `c` apart from `a` + `b:c`. */
export function eventKeyText({ listenerId, eventId }: EventKey): string {
  // A template would keep its parts in memory beside the text.
  return [listenerId.length, listenerId, eventId].join(':')
}
