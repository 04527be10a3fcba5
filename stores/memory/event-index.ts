import { hashOf, WORDS } from './event-words.ts'

/** The index that means no record. */
export const NONE = 0

/** A slot of the former table whose record is gone. Probes go on behind it. */
const GONE = 0xffffffff

/** How many records each `add()` moves from the former table: done before a quarter of the new one has been added. */
const MOVED_AT_ONCE = 4

/**
 * Maps keys to records: a hash table with open addressing and linear probing, with the keys in a parallel array. When it
 * grows, the former slots stay until every `add()` has moved its share of the records to the new ones.
 */
export class EventIndex {
  /** The keys by record. */
  #words: Uint32Array
  /** The slots: each record sits at its key's hash, or in the next free slot. */
  #slots: Uint32Array
  /** The slots before the last growth. They count for the records from `#moved` to `#end` that were not removed since. */
  #former: Uint32Array | undefined
  #moved = 0
  #end = 0
  /** The hash of the last key passed to `find()`. */
  #hash = 0

  constructor(capacity: number) {
    this.#words = new Uint32Array(capacity * WORDS)
    this.#slots = new Uint32Array(slotsFor(capacity))
  }

  /** The record of a key, or NONE. */
  find(words: Uint32Array): number {
    this.#hash = hashOf(words, 0)
    const record = this.#slots[this.#slotOf(words, 0, this.#hash)] ?? NONE
    if (record !== NONE || this.#former === undefined) return record
    return this.#former[this.#formerSlotOf(this.#former, words, 0, this.#hash)] ?? NONE
  }

  /** @param words The key that was last passed to `find()`, which did not find it. */
  add(record: number, words: Uint32Array): void {
    const first = record * WORDS
    for (let index = 0; index < WORDS; index += 1) this.#words[first + index] = words[index] ?? 0
    this.#slots[this.#slotOf(words, 0, this.#hash)] = record
    if (this.#former) this.#moveSome(this.#former, MOVED_AT_ONCE)
  }

  /** Backward-shift deletion: moves displaced records up, so that no probe sequence breaks. */
  remove(record: number): void {
    const last = this.#slots.length - 1
    const at = record * WORDS
    const hash = hashOf(this.#words, at)
    let gap = this.#slotOf(this.#words, at, hash)
    if (this.#slots[gap] !== record) {
      if (this.#former) this.#former[this.#formerSlotOf(this.#former, this.#words, at, hash)] = GONE
      return
    }
    for (let slot = (gap + 1) & last; this.#slots[slot] !== NONE; slot = (slot + 1) & last) {
      const moved = this.#slots[slot] ?? NONE
      const home = hashOf(this.#words, moved * WORDS) & last
      if (((slot - home) & last) < ((slot - gap) & last)) continue
      this.#slots[gap] = moved
      gap = slot
    }
    this.#slots[gap] = NONE
  }

  get capacity(): number {
    return this.#words.length / WORDS
  }

  /** Makes room for records below `capacity`. Those below `end` may be in use. */
  grow(end: number, capacity: number): void {
    this.#words = grown(this.#words, new Uint32Array(capacity * WORDS))
    const length = slotsFor(capacity)
    if (length === this.#slots.length) return
    if (this.#former) this.#moveSome(this.#former, this.#end)
    this.#former = this.#slots
    this.#slots = new Uint32Array(length)
    this.#moved = 1
    this.#end = end
  }

  #moveSome(former: Uint32Array, most: number): void {
    const end = Math.min(this.#moved + most, this.#end)
    for (; this.#moved < end; this.#moved += 1) {
      const at = this.#moved * WORDS
      const hash = hashOf(this.#words, at)
      if (former[this.#formerSlotOf(former, this.#words, at, hash)] !== this.#moved) continue
      this.#slots[this.#slotOf(this.#words, at, hash)] = this.#moved
    }
    if (this.#moved === this.#end) this.#former = undefined
  }

  /** The slot of the key at `words[at]`, or the free slot where it belongs. */
  #slotOf(words: Uint32Array, at: number, hash: number): number {
    const last = this.#slots.length - 1
    let slot = hash & last
    for (;;) {
      const record = this.#slots[slot] ?? NONE
      if (record === NONE || areSame(words, at, this.#words, record * WORDS)) return slot
      slot = (slot + 1) & last
    }
  }

  /** The slot of the key at `words[at]` in the former table, or its free slot. Slots of moved records are out of date. */
  #formerSlotOf(former: Uint32Array, words: Uint32Array, at: number, hash: number): number {
    const last = former.length - 1
    let slot = hash & last
    for (;;) {
      const record = former[slot] ?? NONE
      const counts = record >= this.#moved && record !== GONE
      if (record === NONE || (counts && areSame(words, at, this.#words, record * WORDS))) return slot
      slot = (slot + 1) & last
    }
  }
}

/** A power of two, with a load factor of at most 0.8. */
function slotsFor(capacity: number): number {
  return 2 ** Math.ceil(Math.log2(capacity * 1.25))
}

export function grown<Kept extends Float64Array | Uint32Array>(from: Kept, into: Kept): Kept {
  into.set(from)
  return into
}

function areSame(left: Uint32Array, at: number, right: Uint32Array, from: number): boolean {
  for (let index = 0; index < WORDS; index += 1) {
    if (left[at + index] !== right[from + index]) return false
  }
  return true
}
