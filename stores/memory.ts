import { LRUCache } from 'lru-cache'
import { EventStoreError } from '../src/errors.ts'
import { storedKey } from '../src/event-key.ts'
import {
  type ClaimAnswer,
  type CommitAnswer,
  type EventKey,
  type EventStore,
  eventKeyText,
} from '../src/event-store.ts'
import type { Clock } from '../src/lib/clock.ts'
import { callHook } from '../src/lib/hooks.ts'
import { type MaybePromise, whenKnown } from '../src/lib/maybe-promise.ts'
import {
  aFunction,
  checkOptions,
  type OptionTable,
  optional,
  positiveInteger,
  positiveSeconds,
  withMethods,
} from '../src/lib/options.ts'
import { replayWindowSeconds } from '../src/limits.ts'

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

/**
 * Stores events in this process's memory, bounded. They are lost at restart and not shared with other processes. When full,
 * it evicts the oldest records, but never a running lease or a record that a captured delivery could still replay. If it
 * cannot evict any, it throws, and the sender gets 503.
 *
 * @example
 * ```ts
 * const store = memoryStore({ onEvict: (ageSeconds) => console.warn(`evicted after ${ageSeconds} s`) })
 * ```
 *
 * @throws ListenerConfigError for unknown or invalid options.
 */
export function memoryStore(options: MemoryStoreOptions = {}): EventStore {
  checkOptions('memoryStore', options, OPTIONS)
  return new MemoryStore(options)
}

/** Maximum number of long-running leases to skip when evicting. */
const MOST_PASSED = 100

interface EventRecord {
  /** Undefined once the event is done. */
  owner: string | undefined
  writtenAt: number
  expiresAt: number
}

class MemoryStore implements EventStore {
  readonly replayWindowSeconds: number
  readonly #clock: Clock
  readonly #onEvict: ((ageSeconds: number) => unknown) | undefined
  /** In the order of their last change. It never evicts by itself, because `#write` makes room first. */
  readonly #records: LRUCache<string, EventRecord>

  constructor(options: MemoryStoreOptions) {
    this.replayWindowSeconds = options.replayWindowSeconds ?? replayWindowSeconds()
    this.#clock = options.clock ?? performance
    this.#onEvict = options.onEvict
    // With `max`, lru-cache would allocate all records at once.
    this.#records = new LRUCache({ maxSize: options.maxRecords ?? 100_000, sizeCalculation: () => 1 })
  }

  claim(key: EventKey, owner: string, leaseMs: number): MaybePromise<ClaimAnswer> {
    return whenKnown(storedKey(key), (stored) => {
      const name = eventKeyText(stored)
      const found = this.#find(name)
      if (found) return found.owner === undefined ? 'done' : found.owner === owner ? 'acquired' : 'busy'
      this.#write(name, owner, leaseMs)
      return 'acquired'
    })
  }

  commit(key: EventKey, owner: string, retentionMs: number): MaybePromise<CommitAnswer> {
    return whenKnown(storedKey(key), (stored) => {
      const name = eventKeyText(stored)
      const found = this.#find(name)
      if (found && found.owner !== owner) return found.owner === undefined ? 'already' : 'lost'
      this.#write(name, undefined, retentionMs)
      return 'committed'
    })
  }

  release(key: EventKey, owner: string): MaybePromise<boolean> {
    return whenKnown(storedKey(key), (stored) => {
      const name = eventKeyText(stored)
      const found = this.#find(name)
      if (found?.owner !== owner) return false
      // Deleting its last record takes lru-cache as long as clearing all `maxRecords`.
      if (this.#records.size === 1) found.expiresAt = -Infinity
      else this.#records.delete(name)
      return true
    })
  }

  /** Undefined if absent or expired. Does not change the order. */
  #find(name: string): EventRecord | undefined {
    const found = this.#records.peek(name)
    return found && this.#clock.now() <= found.expiresAt ? found : undefined
  }

  #write(name: string, owner: string | undefined, milliseconds: number): void {
    const writtenAt = this.#clock.now()
    const record = { owner, writtenAt, expiresAt: writtenAt + milliseconds }
    const known = this.#records.get(name) // becomes the newest
    if (known) {
      Object.assign(known, record)
      return
    }
    const isFull = this.#records.size === this.#records.maxSize
    const evictedAge = isFull ? this.#makeRoom(writtenAt) : undefined
    this.#records.set(name, record)
    if (evictedAge !== undefined) callHook(this.#onEvict, evictedAge)
  }

  /** Evicts the oldest record, and returns its age in seconds unless it had expired. */
  #makeRoom(now: number): number | undefined {
    for (let passed = 0; passed < MOST_PASSED; passed += 1) {
      const name: string = this.#records.rkeys().next().value ?? ''
      const oldest = this.#records.peek(name)
      if (!oldest) break
      const age = now <= oldest.expiresAt ? (now - oldest.writtenAt) / 1000 : undefined
      if (age !== undefined && age <= this.replayWindowSeconds) break
      if (age === undefined || oldest.owner === undefined) {
        this.#records.delete(name)
        return age
      }
      this.#records.get(name) // a long-running lease: keep it and try the next oldest
    }
    throw new EventStoreError(
      `the memory store is full: ${this.#records.maxSize} events are too young to forget; raise maxRecords`,
    )
  }
}
