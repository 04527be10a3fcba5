import { LRUCache } from 'lru-cache'
import { type EventStore, eventKeyText } from '../event-store.ts'
import { type Clock, timeOf } from '../lib/clock.ts'
import { whenKnown } from '../lib/maybe-promise.ts'
import { checkOptions, type OptionTable, optional, positiveInteger, withMethods } from '../lib/options.ts'

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
 * Returns only the methods of an `EventStore`. Keep the original store for its `migrate()`,
 * `sweep()` and `check()`.
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
  const { maxRecords = 100_000, clock = performance } = options
  /** How long the store itself remembers for certain, whatever the listener's retention. */
  const keptMs = (store.replayWindowSeconds ?? Infinity) * 1000
  /** When each cached `done` expires. Not lru-cache's own `ttl`, which misreads a clock at 0. */
  const doneUntil = new LRUCache<string, number>({ max: maxRecords })
  const isDone = (name: string) => {
    const until = doneUntil.get(name)
    if (until === undefined) return false
    if (timeOf(clock) <= until) return true
    doneUntil.delete(name)
    return false
  }
  return {
    ...(store.claimsAll && { claimsAll: true }),
    ...(store.replayWindowSeconds !== undefined && { replayWindowSeconds: store.replayWindowSeconds }),
    claim(key, owner, leaseMs) {
      const name = eventKeyText(key)
      if (isDone(name)) return 'done'
      return whenKnown(store.claim(key, owner, leaseMs), (answer) => {
        if (answer === 'done') doneUntil.set(name, timeOf(clock) + REMOTE_DONE_MS)
        return answer
      })
    },
    commit(key, owner, retentionMs) {
      const name = eventKeyText(key)
      const start = timeOf(clock) // before the call, so that it expires here no later than in the store
      return whenKnown(store.commit(key, owner, retentionMs), (answer) => {
        if (answer === 'committed') doneUntil.set(name, start + Math.min(retentionMs, keptMs))
        else if (answer === 'already' && !isDone(name)) doneUntil.set(name, timeOf(clock) + REMOTE_DONE_MS)
        return answer
      })
    },
    ...(store.commitIn && { commitIn: store.commitIn }),
    release: (key, owner) => store.release(key, owner),
    ...(store.renew && {
      renew: (key, owner, leaseMs) =>
        !isDone(eventKeyText(key)) && (store.renew?.(key, owner, leaseMs) ?? false),
    }),
    ...(store.holds && { holds: (...given) => store.holds?.(...given) ?? false }),
    ...(store.accepted && { accepted: (...given) => store.accepted?.(...given) }),
  }
}
