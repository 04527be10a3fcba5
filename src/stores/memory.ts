import { LRUCache } from 'lru-cache'
import { EventStoreError } from '../errors.ts'
import { storedKey } from '../event-key.ts'
import { type EventKey, type EventStore, eventKeyText } from '../event-store.ts'
import { type Clock, timeOf } from '../lib/clock.ts'
import { callHook } from '../lib/hooks.ts'
import { whenKnown } from '../lib/maybe-promise.ts'
import {
  aFunction,
  checkOptions,
  type OptionTable,
  optional,
  positiveInteger,
  positiveSeconds,
  withMethods,
} from '../lib/options.ts'
import { replayWindowSeconds } from '../limits.ts'

/** The options of `memoryStore`. */
export interface MemoryStoreOptions {
  /** Maximum number of events. Defaults to 100,000, about 24 MB when full. For 7 days, allow 604,800 per event per second. */
  readonly maxRecords?: number | undefined
  /** Minimum time to keep each record, in seconds. Defaults to 601. If you raise `toleranceSeconds`, at least twice that + 1. */
  readonly replayWindowSeconds?: number | undefined
  /** Called for each record evicted before its retention ended, with the record's age in seconds. */
  readonly onEvict?: ((ageSeconds: number) => unknown) | undefined
  /** Measures ages, in milliseconds. Defaults to `performance`, which is monotonic. */
  readonly clock?: Clock | undefined
}

const OPTIONS: OptionTable<MemoryStoreOptions> = {
  maxRecords: optional(positiveInteger),
  replayWindowSeconds: optional(positiveSeconds),
  onEvict: optional(aFunction),
  clock: optional(withMethods(['now'])),
}

/** Maximum number of long-running leases to skip when evicting. */
const MOST_PASSED = 100

type Answering<Answer> = (found: EventRecord | undefined, name: string, now: number) => Answer

interface EventRecord {
  readonly owner: string | undefined // undefined once the event is done
  readonly writtenAt: number
  expiresAt: number
}

/**
 * Stores events in this process's memory, bounded. They are lost at restart and not shared with other processes. When full,
 * it evicts the oldest records, but never a running lease or a record that a captured delivery could still replay. If it
 * cannot evict any, it throws, and the sender gets 503.
 *
 * @example const store = memoryStore({ onEvict: (ageSeconds) => console.warn(`evicted after ${ageSeconds} s`) })
 *
 * @throws ListenerConfigError for unknown or invalid options.
 */
export function memoryStore(options: MemoryStoreOptions = {}): EventStore {
  checkOptions('memoryStore', options, OPTIONS)
  const { maxRecords = 100_000, onEvict, clock = performance } = options
  const keptSeconds = options.replayWindowSeconds ?? replayWindowSeconds()
  // In the order of their last change. `write` makes room, so lru-cache never evicts. With `max`, it would allocate all at once.
  const records = new LRUCache<string, EventRecord>({ maxSize: maxRecords, sizeCalculation: () => 1 })

  return {
    replayWindowSeconds: keptSeconds,
    claim: (key, owner, leaseMs) =>
      find(key, (found, name, now) => {
        if (found) return found.owner === undefined ? 'done' : found.owner === owner ? 'acquired' : 'busy'
        write(name, owner, leaseMs, now)
        return 'acquired'
      }),
    commit: (key, owner, retentionMs) =>
      find(key, (found, name, now) => {
        if (found && found.owner !== owner) return found.owner === undefined ? 'already' : 'lost'
        write(name, undefined, retentionMs, now)
        return 'committed'
      }),
    release: (key, owner) =>
      find(key, (found, name) => {
        if (found?.owner !== owner) return false
        // Deleting its last record takes lru-cache as long as clearing all `maxRecords`.
        if (records.size === 1) found.expiresAt = -Infinity
        else records.delete(name)
        return true
      }),
  }

  /** Passes undefined for a record that is absent or expired. Does not change the order. */
  function find<Answer>(key: EventKey, answer: Answering<Answer>) {
    const stored = storedKey(key)
    // `verify` passes keys as they are stored.
    return stored === key ? look(key, answer) : whenKnown(stored, (late) => look(late, answer))
  }

  function look<Answer>(stored: EventKey, answer: Answering<Answer>) {
    const name = eventKeyText(stored)
    const found = records.peek(name)
    const now = timeOf(clock)
    return answer(found && now <= found.expiresAt ? found : undefined, name, now)
  }

  function write(name: string, owner: string | undefined, milliseconds: number, writtenAt: number): void {
    const isFull = records.size === maxRecords && !records.has(name)
    const evictedAge = isFull ? makeRoom(writtenAt) : undefined
    records.set(name, { owner, writtenAt, expiresAt: writtenAt + milliseconds }) // as the newest
    if (evictedAge !== undefined) callHook(onEvict, evictedAge)
  }

  /** Evicts the oldest record, and returns its age in seconds unless it had expired. */
  function makeRoom(now: number): number | undefined {
    for (let passed = 0; passed < MOST_PASSED; passed += 1) {
      const [name = ''] = records.rkeys()
      const oldest = records.peek(name)
      if (!oldest) break
      const age = now <= oldest.expiresAt ? (now - oldest.writtenAt) / 1000 : undefined
      if (age !== undefined && age <= keptSeconds) break
      if (age === undefined || oldest.owner === undefined) {
        records.delete(name)
        return age
      }
      records.get(name) // a long-running lease: keep it and try the next oldest
    }
    throw new EventStoreError(`the memory store is full of ${maxRecords} recent events; raise maxRecords`)
  }
}
