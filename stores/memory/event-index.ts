import { BLOCK, blockOf, placeOf } from './blocks.ts'
import { hashOf, WORDS } from './event-words.ts'

/** The index that means no record. */
export const NONE = 0

/** A slot of the former table whose record was removed. Probes continue after it. */
const GONE = 0xffffffff

/** The maximum load factor. Above it, probes grow long. */
const MOST_FULL = 0.5

const FIRST_SLOTS = 1024

/** How many former slots each `add()` moves: all of them long before the slots grow again, and in under 2 µs. */
const MOVED_AT_ONCE = 16

/**
 * Maps keys to records: a hash table with open addressing and linear probing. The keys are in blocks of their own. When it
 * grows, the former slots stay until every `add()` has moved its share of the records to the new ones.
 */
export class EventIndex {
  /** The keys by record. */
  readonly #words: Uint32Array[] = []
  /** A power of two. Each record sits at its key's hash, or in the next free slot. */
  #slots = new Uint32Array(FIRST_SLOTS)
  /** The slots before the last growth. Those below `#moved` are out of date. */
  #former: Uint32Array | undefined
  #moved = 0
  /** The hash of the last key passed to `hash()`. */
  #hash = 0

  /** Hashes the key that the next calls of `find()` and `add()` look for. */
  hash(words: Uint32Array): void {
    this.#hash = hashOf(words, 0)
  }

  /** The record of the key last passed to `hash()`, or NONE. */
  find(words: Uint32Array): number {
    const record = this.#slots[this.#slotOf(words, 0, this.#hash)] ?? NONE
    if (record !== NONE || this.#former === undefined) return record
    return this.#former[this.#formerSlotOf(this.#former, words, 0, this.#hash)] ?? NONE
  }

  /**
   * @param record At most one more than the highest before.
   * @param words The key that was last passed to `hash()`, and that `find()` did not find.
   */
  add(record: number, words: Uint32Array): void {
    if (blockOf(record) === this.#words.length) this.#words.push(new Uint32Array(BLOCK * WORDS))
    if (record > this.#slots.length * MOST_FULL) this.#grow()
    const own = this.#wordsOf(record)
    const first = placeOf(record) * WORDS
    for (let index = 0; index < WORDS; index += 1) own[first + index] = words[index] ?? 0
    this.#slots[this.#slotOf(words, 0, this.#hash)] = record
    if (this.#former) this.#moveSome(this.#former)
  }

  /** Backward-shift deletion: moves displaced records up, so that no probe sequence breaks. */
  remove(record: number): void {
    const last = this.#slots.length - 1
    const own = this.#wordsOf(record)
    const at = placeOf(record) * WORDS
    const hash = hashOf(own, at)
    let gap = this.#slotOf(own, at, hash)
    if (this.#slots[gap] !== record) {
      if (this.#former) this.#former[this.#formerSlotOf(this.#former, own, at, hash)] = GONE
      return
    }
    for (let slot = (gap + 1) & last; this.#slots[slot] !== NONE; slot = (slot + 1) & last) {
      const moved = this.#slots[slot] ?? NONE
      const home = hashOf(this.#wordsOf(moved), placeOf(moved) * WORDS) & last
      if (((slot - home) & last) < ((slot - gap) & last)) continue
      this.#slots[gap] = moved
      gap = slot
    }
    this.#slots[gap] = NONE
  }

  #grow(): void {
    this.#former = this.#slots
    this.#slots = new Uint32Array(this.#slots.length * 2)
    this.#moved = 0
  }

  /** In the order of the slots, so that both tables are read and written almost in sequence. */
  #moveSome(former: Uint32Array): void {
    const last = this.#slots.length - 1
    for (const end = this.#moved + MOVED_AT_ONCE; this.#moved < end; this.#moved += 1) {
      const record = former[this.#moved] ?? NONE
      if (record === NONE || record === GONE) continue
      let slot = hashOf(this.#wordsOf(record), placeOf(record) * WORDS) & last
      while (this.#slots[slot] !== NONE) slot = (slot + 1) & last
      this.#slots[slot] = record
    }
    if (this.#moved === former.length) this.#former = undefined
  }

  #wordsOf(record: number): Uint32Array {
    return this.#words[blockOf(record)] as Uint32Array // every record was added once
  }

  #isAt(record: number, words: Uint32Array, at: number): boolean {
    const own = this.#wordsOf(record)
    const first = placeOf(record) * WORDS
    for (let index = 0; index < WORDS; index += 1) {
      if (words[at + index] !== own[first + index]) return false
    }
    return true
  }

  /** The slot of the key at `words[at]`, or the free slot where it belongs. */
  #slotOf(words: Uint32Array, at: number, hash: number): number {
    const last = this.#slots.length - 1
    let slot = hash & last
    for (;;) {
      const record = this.#slots[slot] ?? NONE
      if (record === NONE || this.#isAt(record, words, at)) return slot
      slot = (slot + 1) & last
    }
  }

  /** The slot of the key at `words[at]` in the former table, or its free slot. */
  #formerSlotOf(former: Uint32Array, words: Uint32Array, at: number, hash: number): number {
    const last = former.length - 1
    let slot = hash & last
    for (;;) {
      const record = former[slot] ?? NONE
      const counts = slot >= this.#moved && record !== GONE
      if (record === NONE || (counts && this.#isAt(record, words, at))) return slot
      slot = (slot + 1) & last
    }
  }
}
