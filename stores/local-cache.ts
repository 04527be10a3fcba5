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

/** The options of `withLocalCache`. */
export interface LocalCacheOptions {
  /**
   * Most events remembered here, about 180 bytes each. The one not asked for longest makes room. Default 100,000; 28 bytes of
   * each are taken at once.
   */
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
 *
 * @throws ListenerConfigError for what is no store, and for options that are unknown or wrong.
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
  /** Until when an event is known to be done. Not lru-cache's own `ttl`, which takes a clock at 0 for none. */
  readonly #doneUntil: LRUCache<string, number>

  constructor(store: EventStore, { maxRecords = 100_000, clock = performance }: LocalCacheOptions) {
    if (store.replayWindowSeconds !== undefined) this.replayWindowSeconds = store.replayWindowSeconds
    this.#store = store
    this.#clock = clock
    this.#doneUntil = new LRUCache({ max: maxRecords })
  }

  claim(key: EventKey, owner: string, leaseMs: number): MaybePromise<ClaimAnswer> {
    const name = eventKeyText(key)
    if (this.#isDone(name)) return 'done'
    return whenKnown(this.#store.claim(key, owner, leaseMs), (answer) => {
      if (answer === 'done') this.#doneUntil.set(name, this.#clock.now() + HEARSAY_MS)
      return answer
    })
  }

  commit(key: EventKey, owner: string, retentionMs: number): MaybePromise<CommitAnswer> {
    const name = eventKeyText(key)
    const start = this.#clock.now() // before the call, so that it ends here no later than there
    return whenKnown(this.#store.commit(key, owner, retentionMs), (answer) => {
      if (answer === 'committed') this.#doneUntil.set(name, start + retentionMs)
      else if (answer === 'already' && !this.#isDone(name))
        this.#doneUntil.set(name, this.#clock.now() + HEARSAY_MS)
      return answer
    })
  }

  release(key: EventKey, owner: string): MaybePromise<boolean> {
    return this.#store.release(key, owner)
  }

  #isDone(name: string): boolean {
    const until = this.#doneUntil.get(name)
    if (until === undefined) return false
    if (this.#clock.now() <= until) return true
    this.#doneUntil.delete(name)
    return false
  }
}
