import { EventStoreError } from '../src/errors.ts'
import type { ClaimAnswer, CommitAnswer, EventKey, EventStore } from '../src/event-store.ts'
import { callHook } from '../src/lib/hooks.ts'
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
import type { Clock } from '../src/listener-options.ts'
import { EventTable, NONE } from './shared/event-table.ts'

/** The options of `memoryStore`. */
export interface MemoryStoreOptions {
  /**
   * Most events remembered at once. Default 1,000,000, which take about 60 MB when they are all there. To keep
   * 7 days in full it takes 604,800 records for each event a second.
   */
  readonly maxRecords?: number | undefined
  /** How long a record is kept whatever happens, in seconds. Default 601; at least 2 x `toleranceSeconds` + 1. */
  readonly replayWindowSeconds?: number | undefined
  /** Told, once for each, how old a record was (in seconds) that had to make room before its retention was over. */
  readonly onEvict?: ((ageSeconds: number) => unknown) | undefined
  /** Measures ages, in milliseconds. Default `performance`, which no one can set back. */
  readonly clock?: Clock | undefined
}

const OPTIONS: OptionTable<MemoryStoreOptions> = {
  maxRecords: optional(positiveInteger),
  replayWindowSeconds: optional(positiveSeconds),
  onEvict: optional(aFunction),
  clock: optional(withMethods('now')),
}

/**
 * Remembers events in this process: lost at restart, not shared with another process, bounded. Under pressure it drops
 * the oldest records, but never one that a captured delivery could still replay, nor a running lease: then it throws,
 * and the sender is told to come back (503).
 *
 * @throws ListenerConfigError for options that are unknown or wrong.
 */
export function memoryStore(options: MemoryStoreOptions = {}): EventStore {
  checkOptions('memoryStore', options, OPTIONS)
  return new MemoryStore(options)
}

/** How many leases that run for long are passed over to make room for one event. */
const MOST_PASSED = 100

class MemoryStore implements EventStore {
  readonly replayWindowSeconds: number
  readonly #maxRecords: number
  readonly #clock: Clock
  readonly #onEvict: ((ageSeconds: number) => unknown) | undefined
  readonly #events: EventTable
  /** Whose lease each record is. The others are done. */
  readonly #owners: (string | undefined)[] = [undefined]

  constructor(options: MemoryStoreOptions) {
    this.replayWindowSeconds = options.replayWindowSeconds ?? replayWindowSeconds()
    this.#maxRecords = options.maxRecords ?? 1_000_000
    this.#clock = options.clock ?? performance
    this.#onEvict = options.onEvict
    this.#events = new EventTable(this.#maxRecords)
  }

  claim(key: EventKey, owner: string, leaseMs: number): ClaimAnswer {
    const now = this.#clock.now()
    const found = this.#find(key, now)
    if (found !== NONE) {
      const holder = this.#owners[found]
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
    const holder = this.#owners[found]
    if (holder !== owner) return holder === undefined ? 'already' : 'lost'
    this.#owners[found] = undefined
    this.#events.touch(found)
    this.#events.keep(found, now, retentionMs)
    return 'committed'
  }

  release(key: EventKey, owner: string): boolean {
    const found = this.#find(key, this.#clock.now())
    if (found === NONE || this.#owners[found] !== owner) return false
    this.#remove(found)
    return true
  }

  /** A record whose time is up is none. */
  #find(key: EventKey, now: number): number {
    const found = this.#events.find(key)
    if (found === NONE || this.#events.isAlive(found, now)) return found
    this.#remove(found)
    return NONE
  }

  /** A record of the key that was looked for last: where it is full, in place of the one changed longest ago. */
  #add(now: number, milliseconds: number, owner?: string): void {
    const evictedAge = this.#events.size < this.#maxRecords ? undefined : this.#makeRoom(now)
    const record = this.#events.add()
    this.#events.keep(record, now, milliseconds)
    this.#owners[record] = owner
    if (evictedAge !== undefined) callHook(this.#onEvict, evictedAge)
  }

  /** The age of the record that had to go, if its time was not up. */
  #makeRoom(now: number): number | undefined {
    for (let passed = 0; passed < MOST_PASSED; passed += 1) {
      const { oldest } = this.#events
      const age = this.#events.isAlive(oldest, now) ? this.#events.age(oldest, now) : undefined
      if (age !== undefined && age <= this.replayWindowSeconds) break
      if (age === undefined || this.#owners[oldest] === undefined) {
        this.#remove(oldest)
        return age
      }
      this.#events.touch(oldest) // a lease that runs for long: it stays, and the next oldest may go
    }
    throw new EventStoreError(
      `the memory store is full: ${this.#maxRecords} events are too young to forget; raise maxRecords`,
    )
  }

  #remove(record: number): void {
    this.#owners[record] = undefined
    this.#events.remove(record)
  }
}
