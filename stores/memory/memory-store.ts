import { EventStoreError } from '../../src/errors.ts'
import type { ClaimAnswer, CommitAnswer, EventKey, EventStore } from '../../src/event-store.ts'
import type { Clock } from '../../src/lib/clock.ts'
import { callHook } from '../../src/lib/hooks.ts'
import {
  aFunction,
  checkOptions,
  type OptionTable,
  optional,
  positiveInteger,
  positiveSeconds,
  withMethods,
} from '../../src/lib/options.ts'
import { replayWindowSeconds } from '../../src/limits.ts'
import { EventTable, NONE } from './event-table.ts'

/**
 * The options of `memoryStore`.
 *
 * @example const options: MemoryStoreOptions = { maxRecords: 100_000 }
 */
export interface MemoryStoreOptions {
  /** Maximum number of events. Defaults to 1,000,000 (60 MB when full). For 7 days, allow 604,800 per event per second. */
  readonly maxRecords?: number | undefined
  /** Minimum time to keep each record, in seconds. Defaults to 601. Must be at least 2 × `toleranceSeconds` + 1. */
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

class MemoryStore implements EventStore {
  readonly replayWindowSeconds: number
  readonly #maxRecords: number
  readonly #clock: Clock
  readonly #onEvict: ((ageSeconds: number) => unknown) | undefined
  readonly #events = new EventTable()

  constructor(options: MemoryStoreOptions) {
    this.replayWindowSeconds = options.replayWindowSeconds ?? replayWindowSeconds()
    this.#maxRecords = options.maxRecords ?? 1_000_000
    this.#clock = options.clock ?? performance
    this.#onEvict = options.onEvict
  }

  claim(key: EventKey, owner: string, leaseMs: number): ClaimAnswer {
    const now = this.#clock.now()
    const found = this.#find(key, now)
    if (found !== NONE) {
      const holder = this.#events.ownerOf(found)
      if (holder === undefined) return 'done'
      return holder === owner ? 'acquired' : 'busy'
    }
    this.#add(now, leaseMs, owner)
    return 'acquired'
  }

  commit(key: EventKey, owner: string, retentionMs: number): CommitAnswer {
    const now = this.#clock.now()
    const found = this.#find(key, now)
    if (found === NONE) {
      this.#add(now, retentionMs)
      return 'committed'
    }
    const holder = this.#events.ownerOf(found)
    if (holder !== owner) return holder === undefined ? 'already' : 'lost'
    this.#events.commit(found, now, retentionMs)
    return 'committed'
  }

  release(key: EventKey, owner: string): boolean {
    const found = this.#find(key, this.#clock.now())
    if (found === NONE || this.#events.ownerOf(found) !== owner) return false
    this.#events.remove(found)
    return true
  }

  /** Expired records count as absent. */
  #find(key: EventKey, now: number): number {
    const found = this.#events.find(key)
    if (found === NONE || this.#events.isAlive(found, now)) return found
    this.#events.remove(found)
    return NONE
  }

  /** Adds a record for the key of the last `#find()`. When full, evicts the least recently changed. */
  #add(now: number, milliseconds: number, owner?: string): void {
    const evictedAge = this.#events.size < this.#maxRecords ? undefined : this.#makeRoom(now)
    this.#events.add(now, milliseconds, owner)
    if (evictedAge !== undefined) callHook(this.#onEvict, evictedAge)
  }

  /** Evicts one record. Returns its age, unless it had expired. */
  #makeRoom(now: number): number | undefined {
    for (let passed = 0; passed < MOST_PASSED; passed += 1) {
      const { oldest } = this.#events
      const age = this.#events.isAlive(oldest, now) ? this.#events.age(oldest, now) : undefined
      if (age !== undefined && age <= this.replayWindowSeconds) break
      if (age === undefined || this.#events.ownerOf(oldest) === undefined) {
        this.#events.remove(oldest)
        return age
      }
      this.#events.touch(oldest) // a long-running lease: keep it and try the next oldest
    }
    throw new EventStoreError(
      `the memory store is full: ${this.#maxRecords} events are too young to forget; raise maxRecords`,
    )
  }
}
