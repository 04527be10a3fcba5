import { EventStoreError } from '../errors.ts'
import { storedKey } from '../event-key.ts'
import { type EventKey, type EventStore, eventKeyText } from '../event-store.ts'
import { type Clock, timeOf } from '../lib/clock.ts'
import { callHook } from '../lib/hooks.ts'
import { type MaybePromise, whenKnown } from '../lib/maybe-promise.ts'
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
  /** The most events that are remembered. Defaults to 100,000, which take about 22 MB. One event a second makes 604,800 in 7 days. */
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

type Answering<Answer> = (found: EventRecord | undefined, name: string, now: number) => Answer

/** Maximum number of long-running leases to skip when evicting. */
const MOST_PASSED = 100

/** A record, in a ring that orders all records by their last change. */
class EventRecord {
  readonly name: string
  owner: string | undefined // undefined once the event is done
  writtenAt = 0
  expiresAt = 0
  older: EventRecord = this
  newer: EventRecord = this

  constructor(name: string) {
    this.name = name
  }

  leave(): void {
    this.older.newer = this.newer
    this.newer.older = this.older
  }

  joinBefore(next: EventRecord): void {
    this.older = next.older
    this.newer = next
    this.older.newer = this
    next.older = this
  }
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
  const records = new Map<string, EventRecord>()
  const end = new EventRecord('') // between the newest and the oldest

  return {
    replayWindowSeconds: keptSeconds,
    claim: (key, owner, leaseMs) =>
      find(key, (found, name, now) => {
        if (found) return found.owner === undefined ? 'done' : found.owner === owner ? 'acquired' : 'busy'
        write(found, name, owner, leaseMs, now)
        return 'acquired'
      }),
    commit: (key, owner, retentionMs) =>
      find(key, (found, name, now) => {
        if (found && found.owner !== owner) return found.owner === undefined ? 'already' : 'lost'
        write(found, name, undefined, retentionMs, now)
        return 'committed'
      }),
    release: (key, owner) =>
      find(key, (found) => {
        if (found?.owner !== owner) return false
        remove(found)
        return true
      }),
    renew: (key, owner, leaseMs) =>
      find(key, (found, name, now) => {
        if (found?.owner !== owner) return false
        write(found, name, owner, leaseMs, now)
        return true
      }),
  }

  /** Passes undefined for a record that is absent or has expired. */
  function find<Answer>(key: EventKey, answer: Answering<Answer>): MaybePromise<Answer> {
    const stored = storedKey(key)
    // `verify` passes keys as they are stored.
    if (stored !== key) return whenKnown(stored, (late) => find(late, answer))
    const name = eventKeyText(key)
    const record = records.get(name)
    const now = timeOf(clock)
    if (!record || now <= record.expiresAt) return answer(record, name, now)
    remove(record)
    return answer(undefined, name, now)
  }

  /** Calls `onEvict` last, because it may call the store. */
  function write(
    found: EventRecord | undefined,
    name: string,
    owner: string | undefined,
    milliseconds: number,
    now: number,
  ): void {
    const evictedAge = found || records.size < maxRecords ? undefined : makeRoom(now)
    const record = found ?? new EventRecord(name)
    record.owner = owner
    record.writtenAt = now
    record.expiresAt = now + milliseconds
    makeNewest(record)
    records.set(name, record)
    if (evictedAge !== undefined) callHook(onEvict, evictedAge)
  }

  function makeNewest(record: EventRecord): void {
    record.leave()
    record.joinBefore(end)
  }

  function remove(record: EventRecord): void {
    record.leave()
    records.delete(record.name)
  }

  /** Evicts the oldest record, and returns its age in seconds unless it had expired. */
  function makeRoom(now: number): number | undefined {
    for (let passed = 0; passed < MOST_PASSED; passed += 1) {
      const oldest = end.newer
      const age = now <= oldest.expiresAt ? (now - oldest.writtenAt) / 1000 : undefined
      if (age !== undefined && age <= keptSeconds) break
      if (age === undefined || oldest.owner === undefined) {
        remove(oldest)
        return age
      }
      makeNewest(oldest) // a long-running lease: keep it and try the next oldest
    }
    throw new EventStoreError(`the memory store is full of ${maxRecords} recent events; raise maxRecords`)
  }
}
