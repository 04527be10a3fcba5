import { LRUCache } from 'lru-cache'
import {
  type ClaimAnswer,
  type CommitAnswer,
  type EventKey,
  type EventStore,
  eventKeyText,
} from '../src/event-store.ts'
import { type MaybePromise, whenKnown } from '../src/lib/maybe-promise.ts'
import { checkOptions, type OptionTable, optional, positiveInteger, withMethods } from '../src/lib/options.ts'
import type { Clock } from '../src/listener-options.ts'

export interface LocalCacheOptions {
  /** Most events remembered here, about 250 bytes each. The one not asked for longest makes room. Default 100,000. */
  readonly maxRecords?: number | undefined
  /** Measures ages, in milliseconds. Default `performance`, which no one can set back. */
  readonly clock?: Clock | undefined
}

const OPTIONS: OptionTable<LocalCacheOptions> = {
  maxRecords: optional(positiveInteger),
  clock: optional(withMethods('now')),
}

const STORE = { store: withMethods('claim', 'commit', 'release') }

/** How long a `done` of the store is repeated without asking again. It does not say how much time it had left. */
const HEARSAY_MS = 60_000

/**
 * Remembers in this process which events a remote store calls done, so that a storm of duplicates costs no round trip.
 * What was committed here is known for its whole retention; what the store said was done, for a minute. So an event
 * may be forgotten up to a minute late, and never early. Who has a lease is always asked.
 *
 * Only the three verbs pass through: keep the store itself for its `migrate()`, `sweep()` and `check()`.
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
  readonly #done: LRUCache<string, true>

  constructor(store: EventStore, { maxRecords = 100_000, clock = performance }: LocalCacheOptions) {
    if (store.replayWindowSeconds !== undefined) this.replayWindowSeconds = store.replayWindowSeconds
    this.#store = store
    this.#clock = clock
    this.#done = new LRUCache({
      maxSize: maxRecords, // with `max` it would reserve room for all of them at once
      sizeCalculation: () => 1,
      ttl: HEARSAY_MS,
      ttlResolution: 0,
      perf: { now: () => this.#now() },
    })
  }

  claim(key: EventKey, owner: string, leaseMs: number): MaybePromise<ClaimAnswer> {
    const name = eventKeyText(key)
    if (this.#done.get(name)) return 'done'
    return whenKnown(this.#store.claim(key, owner, leaseMs), (answer) => {
      if (answer === 'done') this.#done.set(name, true)
      return answer
    })
  }

  commit(key: EventKey, owner: string, retentionMs: number): MaybePromise<CommitAnswer> {
    const name = eventKeyText(key)
    const start = this.#now() // before the call, so that it ends here no later than there
    return whenKnown(this.#store.commit(key, owner, retentionMs), (answer) => {
      if (answer === 'committed') this.#done.set(name, true, { ttl: retentionMs, start })
      else if (answer === 'already' && !this.#done.has(name)) this.#done.set(name, true)
      return answer
    })
  }

  release(key: EventKey, owner: string): MaybePromise<boolean> {
    return this.#store.release(key, owner)
  }

  /** Never 0: a start of 0 means "never expires" to the cache. */
  #now(): number {
    return this.#clock.now() + 1
  }
}
