import { hashOf, WORDS } from './event-words.ts'

/** The index that means no record. */
export const NONE = 0

/** Maps keys to records: a hash table with open addressing and linear probing, with the keys in a parallel array. */
export class EventIndex {
  /** The keys by record. */
  #words: Uint32Array
  /** The slots: each record sits at its key's hash, or in the next free slot. */
  #places: Uint32Array
  /** The hash of the last key passed to `find()`. */
  #hash = 0

  constructor(capacity: number) {
    this.#words = new Uint32Array(capacity * WORDS)
    this.#places = placesFor(capacity)
  }

  /** The record of a key, or NONE. */
  find(words: Uint32Array): number {
    this.#hash = hashOf(words, 0)
    return this.#places[this.#placeOf(words, 0, this.#hash)] ?? NONE
  }

  /** @param words The key that was last passed to `find()`. */
  add(record: number, words: Uint32Array): void {
    for (let index = 0; index < WORDS; index += 1) this.#words[record * WORDS + index] = words[index] ?? 0
    this.#places[this.#placeOf(words, 0, this.#hash)] = record
  }

  /** Backward-shift deletion: moves displaced records up, so that no probe sequence breaks. */
  remove(record: number): void {
    const last = this.#places.length - 1
    let gap = this.#placeOf(this.#words, record * WORDS)
    for (let place = (gap + 1) & last; this.#places[place] !== NONE; place = (place + 1) & last) {
      const moved = this.#places[place] ?? NONE
      const home = hashOf(this.#words, moved * WORDS) & last
      if (((place - home) & last) < ((place - gap) & last)) continue
      this.#places[gap] = moved
      gap = place
    }
    this.#places[gap] = NONE
  }

  /** Rehashes the records below `end`, all of which must be in use. */
  grow(end: number, capacity: number): void {
    this.#words = grown(this.#words, new Uint32Array(capacity * WORDS))
    this.#places = placesFor(capacity)
    for (let record = 1; record < end; record += 1) {
      this.#places[this.#placeOf(this.#words, record * WORDS)] = record
    }
  }

  /** The slot of the key at `words[at]`, or the free slot where it belongs. */
  #placeOf(words: Uint32Array, at: number, hash = hashOf(words, at)): number {
    const last = this.#places.length - 1
    let place = hash & last
    for (;;) {
      const record = this.#places[place] ?? NONE
      if (record === NONE || areSame(words, at, this.#words, record * WORDS)) return place
      place = (place + 1) & last
    }
  }
}

/** A power of two, with a load factor of at most 0.8. */
function placesFor(capacity: number): Uint32Array {
  return new Uint32Array(2 ** Math.ceil(Math.log2(capacity * 1.25)))
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
