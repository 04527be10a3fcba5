import { LRUCache } from 'lru-cache'
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
import { MAX_EXPIRY_SECONDS } from '../src/limits.ts'
import type { Clock } from '../src/listener-options.ts'

export interface MemoryStoreOptions {
  /**
   * Most events remembered at once. Default 1,000,000, which take about 150 MB when they are all there. To keep
   * 7 days in full it takes 604,800 records for each event a second.
   */
  readonly maxRecords?: number | undefined
  /** How long a record is kept whatever happens, in seconds. Default 600; at least twice `toleranceSeconds`. */
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
 */
export function memoryStore(options: MemoryStoreOptions = {}): EventStore {
  checkOptions('memoryStore', options, OPTIONS)
  return new MemoryStore(options)
}

/** A leased record holds its owner; a done one the second of its commit. Numbers need no object of their own. */
type MemoryRecord = string | number

class MemoryStore implements EventStore {
  readonly replayWindowSeconds: number
  readonly #maxRecords: number
  readonly #clock: Clock
  readonly #onEvict: ((ageSeconds: number) => unknown) | undefined
  readonly #records: LRUCache<string, MemoryRecord>
  /** A number for each listener, so that its name is not in every key. */
  readonly #listeners = new Map<string, number>()

  constructor(options: MemoryStoreOptions) {
    this.replayWindowSeconds = options.replayWindowSeconds ?? MAX_EXPIRY_SECONDS
    this.#maxRecords = options.maxRecords ?? 1_000_000
    this.#clock = options.clock ?? performance
    this.#onEvict = options.onEvict
    this.#records = new LRUCache({
      maxSize: this.#maxRecords, // with `max` it would reserve room for all of them at once
      sizeCalculation: () => 1,
      ttl: 1, // switches expiry on; each record brings its own
      ttlResolution: 0,
      allowStale: true, // so that rkeys() begins with the record that set() would drop
      perf: { now: () => this.#clock.now() + 1 }, // a start of 0 means "never expires" there
    })
  }

  claim(key: EventKey, owner: string, leaseMs: number): ClaimAnswer {
    const packed = this.#pack(key)
    const record = this.#read(packed)
    if (typeof record === 'number') return 'done'
    if (record !== undefined) return record === owner ? 'acquired' : 'busy'
    this.#makeRoom(packed)
    this.#records.set(packed, owner, { ttl: leaseMs })
    return 'acquired'
  }

  commit(key: EventKey, owner: string, retentionMs: number): CommitAnswer {
    const packed = this.#pack(key)
    const record = this.#read(packed)
    if (typeof record === 'number') return 'already'
    if (record !== undefined && record !== owner) return 'lost'
    this.#makeRoom(packed)
    this.#records.set(packed, this.#seconds(), { ttl: retentionMs })
    return 'committed'
  }

  release(key: EventKey, owner: string): boolean {
    const packed = this.#pack(key)
    return this.#read(packed) === owner && this.#records.delete(packed)
  }

  /** peek(), because a look must not make a record younger. */
  #read(packed: string): MemoryRecord | undefined {
    return this.#records.peek(packed, { allowStale: false })
  }

  /** The cache drops the record that was changed longest ago, when it is full: this asks whether it may. */
  #makeRoom(packed: string): void {
    if (this.#records.size < this.#maxRecords || this.#records.peek(packed) !== undefined) return
    const [oldest = ''] = this.#records.rkeys()
    const record = this.#read(oldest)
    if (record === undefined) return
    const age = typeof record === 'number' ? this.#seconds() - record : 0
    if (age <= this.replayWindowSeconds) {
      throw new EventStoreError(
        `the memory store is full: ${this.#maxRecords} events are too young to forget; raise maxRecords`,
      )
    }
    callHook(this.#onEvict, age)
  }

  /** 16 bytes of UUID behind 3 of listener number, as one flat Latin-1 string. */
  #pack({ listenerId, eventId }: EventKey): string {
    let listener = this.#listeners.get(listenerId)
    if (listener === undefined) {
      listener = this.#listeners.size
      this.#listeners.set(listenerId, listener)
    }
    return String.fromCharCode.apply(null, packedCodes(listener, eventId))
  }

  #seconds(): number {
    return Math.floor(this.#clock.now() / 1000)
  }
}

function packedCodes(listener: number, uuid: string): number[] {
  const codes = [listener >> 16, (listener >> 8) & 255, listener & 255]
  for (let index = 0; index < uuid.length; index += 2) {
    if (uuid.charCodeAt(index) === HYPHEN) index += 1
    codes.push((nibble(uuid, index) << 4) | nibble(uuid, index + 1))
  }
  return codes
}

const HYPHEN = 0x2d

/** The value of a hexadecimal digit, of either case. */
function nibble(text: string, index: number): number {
  const code = text.charCodeAt(index)
  return (code & 15) + (code >> 6) * 9
}
