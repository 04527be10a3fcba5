import { LRUCache } from 'lru-cache'
import {
  type ClaimAnswer,
  type CommitAnswer,
  type EventKey,
  type EventStore,
  eventKeyText,
} from '../src/event-store.ts'
import type { Clock } from '../src/lib/clock.ts'
import { type MaybePromise, whenKnown } from '../src/lib/maybe-promise.ts'
import { checkOptions, type OptionTable, optional, positiveInteger, withMethods } from '../src/lib/options.ts'

/** The options of `withLocalCache`. */
export interface LocalCacheOptions {
  /**
   * Maximum number of cached events, about 180 bytes each. The least recently used is evicted. Defaults to 100,000. 28 bytes
   * of each are allocated up front.
   */
  readonly maxRecords?: number | undefined
  /** Measures ages, in milliseconds. Defaults to `performance`, which is monotonic. */
  readonly clock?: Clock | undefined
}

const OPTIONS: OptionTable<LocalCacheOptions> = {
  maxRecords: optional(positiveInteger),
  clock: optional(withMethods(['now'])),
}

const STORE = { store: withMethods(['claim', 'commit', 'release'], 'redisStore(client)') }

/** How long to cache a `done` of the store, which does not say when its retention ends. */
const REMOTE_DONE_MS = 60_000

/**
 * Caches in this process which events are done, so that repeated duplicates cost no round trip to a remote store. Events
 * committed here are cached for as long as the store keeps them, and a `done` of the store for one minute. An event may thus be
 * forgotten up to a minute late, but never early. Leases are never cached.
 *
 * Returns only `claim`, `commit` and `release`. Keep the original store for its `migrate()`, `sweep()` and `check()`.
 *
 * @example
 * ```ts
 * const store = withLocalCache(redisStore(client))
 * ```
 *
 * @throws ListenerConfigError if `store` is not a store, and for unknown or invalid options.
 */
export function withLocalCache(store: EventStore, options: LocalCacheOptions = {}): EventStore {
  checkOptions('withLocalCache', { store }, STORE)
  checkOptions('withLocalCache', options, OPTIONS)
  return new LocalCache(store, options)
}

class LocalCache implements EventStore {
  declare readonly replayWindowSeconds?: number
  readonly #store: EventStore
  readonly #clock: Clock
  /** How long the store itself remembers for certain, whatever the listener's retention. */
  readonly #keptMs: number
  /** When each cached `done` expires. Not lru-cache's own `ttl`, which misreads a clock at 0. */
  readonly #doneUntil: LRUCache<string, number>

  constructor(store: EventStore, { maxRecords = 100_000, clock = performance }: LocalCacheOptions) {
    if (store.replayWindowSeconds !== undefined) this.replayWindowSeconds = store.replayWindowSeconds
    this.#store = store
    this.#clock = clock
    this.#keptMs = (store.replayWindowSeconds ?? Infinity) * 1000
    this.#doneUntil = new LRUCache({ max: maxRecords })
  }

  claim(key: EventKey, owner: string, leaseMs: number): MaybePromise<ClaimAnswer> {
    const name = eventKeyText(key)
    if (this.#isDone(name)) return 'done'
    return whenKnown(this.#store.claim(key, owner, leaseMs), (answer) => {
      if (answer === 'done') this.#doneUntil.set(name, this.#clock.now() + REMOTE_DONE_MS)
      return answer
    })
  }

  commit(key: EventKey, owner: string, retentionMs: number): MaybePromise<CommitAnswer> {
    const name = eventKeyText(key)
    const start = this.#clock.now() // before the call, so that it expires here no later than in the store
    return whenKnown(this.#store.commit(key, owner, retentionMs), (answer) => {
      if (answer === 'committed') this.#doneUntil.set(name, start + Math.min(retentionMs, this.#keptMs))
      else if (answer === 'already' && !this.#isDone(name))
        this.#doneUntil.set(name, this.#clock.now() + REMOTE_DONE_MS)
      return answer
    })
  }

  release(key: EventKey, owner: string): MaybePromise<boolean> {
    return this.#store.release(key, owner)
  }

  accepted(event: object, owner: string): void {
    this.#store.accepted?.(event, owner)
  }

  #isDone(name: string): boolean {
    const until = this.#doneUntil.get(name)
    if (until === undefined) return false
    if (this.#clock.now() <= until) return true
    this.#doneUntil.delete(name)
    return false
  }
}
