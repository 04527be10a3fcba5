import { hashOf, WORDS } from './event-words.ts'

/** No record. */
export const NONE = 0

/** Which record has which key: a hash table with open addressing, and the keys themselves beside it. */
export class EventIndex {
  /** The keys, by record. */
  #words: Uint32Array
  /** Records by the hash of their key, each in its own place or in the next free one behind it. */
  #places: Uint32Array
  /** The hash of what `find()` was asked for last. */
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

  /** `words` are those that `find()` was asked for last. */
  add(record: number, words: Uint32Array): void {
    for (let index = 0; index < WORDS; index += 1) this.#words[record * WORDS + index] = words[index] ?? 0
    this.#places[this.#placeOf(words, 0, this.#hash)] = record
  }

  /** Leaves no gap behind: what stands further on only because this place was taken moves up. */
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

  /** Takes over the records below `end`, all of which must be in use. */
  grow(end: number, capacity: number): void {
    this.#words = grown(this.#words, new Uint32Array(capacity * WORDS))
    this.#places = placesFor(capacity)
    for (let record = 1; record < end; record += 1) {
      this.#places[this.#placeOf(this.#words, record * WORDS)] = record
    }
  }

  /** Where the record of the words from `at` on stands, or the free place where it would. */
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

/** A power of two, of which at most four in five are taken. */
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
