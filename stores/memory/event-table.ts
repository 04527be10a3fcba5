import type { EventKey } from '../../src/event-store.ts'
import { EventIndex, grown, NONE } from './event-index.ts'
import { listenerWords, WORDS, writeWords } from './event-words.ts'

export { NONE } from './event-index.ts'

const FIRST_CAPACITY = 512

/** How many records before the end the arrays begin to grow: one for each of them. */
const ARRAYS = 5

/** Maximum number of cached listener hashes. */
const MOST_LISTENERS = 1000

/**
 * Events in the order of their last change, about 55 bytes each at a million. Uses flat arrays, so that events cost the
 * garbage collector nothing. A record is an index, valid until `remove()`. The arrays double as needed, up to `maxRecords`,
 * one at a time, so that no claim waits for all of them. The caller must not add more.
 */
export class EventTable {
  size = 0
  readonly #maxRecords: number
  readonly #listeners = new Map<string, Uint32Array>()
  readonly #index: EventIndex
  /** When a record expires, in milliseconds, and when `keep()` was last called, in whole seconds. */
  #until: Float64Array
  #keptAt: Uint32Array
  /** A doubly linked list in the order of change. Record 0 is its sentinel. */
  #older: Uint32Array
  #newer: Uint32Array
  /** The first record never used, and the head of the free list, which is linked through `#newer`. */
  #unused = 1
  #removed = NONE
  /** The last key passed to `find()`. */
  readonly #wanted = new Uint32Array(WORDS)

  constructor(maxRecords: number) {
    this.#maxRecords = maxRecords
    const capacity = Math.min(FIRST_CAPACITY, maxRecords) + 1
    this.#index = new EventIndex(capacity)
    this.#until = new Float64Array(capacity)
    this.#keptAt = new Uint32Array(capacity)
    this.#older = new Uint32Array(capacity)
    this.#newer = new Uint32Array(capacity)
  }

  /** The least recently changed record, or NONE. */
  get oldest(): number {
    return this.#newer[0] ?? NONE
  }

  /** The record of a key, or NONE. */
  find({ listenerId, eventId }: EventKey): number {
    writeWords(this.#wanted, eventId, this.#listeners.get(listenerId) ?? this.#meet(listenerId))
    return this.#index.find(this.#wanted)
  }

  #meet(listenerId: string): Uint32Array {
    if (this.#listeners.size === MOST_LISTENERS) this.#listeners.clear()
    const words = listenerWords(listenerId)
    this.#listeners.set(listenerId, words)
    return words
  }

  /** Adds a record for the key that the last `find()` did not find, as the newest. */
  add(): number {
    const record = this.#take()
    this.#index.add(record, this.#wanted)
    this.#link(record)
    this.size += 1
    return record
  }

  /** Makes a record expire after `milliseconds`. */
  keep(record: number, now: number, milliseconds: number): void {
    this.#until[record] = now + milliseconds
    this.#keptAt[record] = now / 1000
  }

  isAlive(record: number, now: number): boolean {
    return now <= (this.#until[record] ?? 0)
  }

  /** Whole seconds since the last `keep()`. */
  age(record: number, now: number): number {
    return Math.floor(now / 1000) - (this.#keptAt[record] ?? 0)
  }

  /** Makes a record the newest. */
  touch(record: number): void {
    this.#unlink(record)
    this.#link(record)
  }

  remove(record: number): void {
    this.#index.remove(record)
    this.#unlink(record)
    this.#newer[record] = this.#removed
    this.#removed = record
    this.size -= 1
  }

  #take(): number {
    const record = this.#removed
    if (record !== NONE) {
      this.#removed = this.#newer[record] ?? NONE
      return record
    }
    if (this.#unused + ARRAYS > this.#newer.length) this.#growNext()
    return this.#unused++
  }

  #link(record: number): void {
    const newest = this.#older[0] ?? NONE
    this.#older[record] = newest
    this.#newer[record] = 0
    this.#newer[newest] = record
    this.#older[0] = record
  }

  #unlink(record: number): void {
    const older = this.#older[record] ?? NONE
    const newer = this.#newer[record] ?? NONE
    this.#newer[older] = newer
    this.#older[newer] = older
  }

  /** Grows one array, `#newer` last. */
  #growNext(): void {
    const capacity = Math.min((this.#newer.length - 1) * 2, this.#maxRecords) + 1
    if (this.#index.capacity < capacity) this.#index.grow(this.#unused, capacity)
    else if (this.#until.length < capacity) this.#until = grown(this.#until, new Float64Array(capacity))
    else if (this.#keptAt.length < capacity) this.#keptAt = grown(this.#keptAt, new Uint32Array(capacity))
    else if (this.#older.length < capacity) this.#older = grown(this.#older, new Uint32Array(capacity))
    else if (this.#newer.length < capacity) this.#newer = grown(this.#newer, new Uint32Array(capacity))
  }
}
