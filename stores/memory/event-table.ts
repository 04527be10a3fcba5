import type { EventKey } from '../../src/event-store.ts'
import { Block, blockOf, placeOf } from './blocks.ts'
import { EventIndex, NONE } from './event-index.ts'
import { listenerWords, WORDS, writeWords } from './event-words.ts'

export { NONE } from './event-index.ts'

/** Maximum number of cached listener hashes. */
const MOST_LISTENERS = 1000

/**
 * Events in the order of their last change, about 53 bytes each at a million. Uses flat arrays, so that events cost the
 * garbage collector nothing. A record is an index, valid until `remove()`. The records form a doubly linked list in the
 * order of change. Record 0 is its sentinel.
 */
export class EventTable {
  size = 0
  readonly #listeners = new Map<string, Uint32Array>()
  readonly #index = new EventIndex()
  readonly #first = new Block()
  readonly #blocks: Block[] = [this.#first]
  /** The first record never used, and the head of the free list. */
  #unused = 1
  #removed = NONE
  /** The last key passed to `find()`, and its words. A commit often follows its claim, and need not hash the key again. */
  #listenerId: string | undefined
  #eventId: string | undefined
  readonly #wanted = new Uint32Array(WORDS)

  /** The least recently changed record, or NONE. */
  get oldest(): number {
    return this.#first.newer[0] ?? NONE
  }

  /** The record of a key, or NONE. */
  find({ listenerId, eventId }: EventKey): number {
    if (eventId !== this.#eventId || listenerId !== this.#listenerId) this.#want(listenerId, eventId)
    return this.#index.find(this.#wanted)
  }

  #want(listenerId: string, eventId: string): void {
    writeWords(this.#wanted, eventId, this.#listeners.get(listenerId) ?? this.#meet(listenerId))
    this.#index.hash(this.#wanted)
    this.#listenerId = listenerId
    this.#eventId = eventId
  }

  #meet(listenerId: string): Uint32Array {
    if (this.#listeners.size === MOST_LISTENERS) this.#listeners.clear()
    const words = listenerWords(listenerId)
    this.#listeners.set(listenerId, words)
    return words
  }

  /** Adds a record for the key that the last `find()` did not find, as the newest. Without an owner, it is committed. */
  add(now: number, milliseconds: number, owner: string | undefined): number {
    const record = this.#take()
    this.#index.add(record, this.#wanted)
    this.#keep(record, now, milliseconds, owner)
    this.#link(record)
    this.size += 1
    return record
  }

  /** Makes a leased record a committed one, and the newest. */
  commit(record: number, now: number, milliseconds: number): void {
    this.#keep(record, now, milliseconds, undefined)
    this.touch(record)
  }

  isAlive(record: number, now: number): boolean {
    return now <= (this.#blockOf(record).until[placeOf(record)] ?? 0)
  }

  /** Whole seconds since it was claimed or committed. */
  age(record: number, now: number): number {
    return Math.floor(now / 1000) - (this.#blockOf(record).keptAt[placeOf(record)] ?? 0)
  }

  /** The owner of a leased record. Undefined if committed. */
  ownerOf(record: number): string | undefined {
    return this.#blockOf(record).owners[placeOf(record)]
  }

  /** Makes a record the newest. */
  touch(record: number): void {
    if (this.#first.older[0] === record) return
    this.#unlink(record)
    this.#link(record)
  }

  remove(record: number): void {
    this.#index.remove(record)
    this.#unlink(record)
    const block = this.#blockOf(record)
    block.owners[placeOf(record)] = undefined
    block.newer[placeOf(record)] = this.#removed
    this.#removed = record
    this.size -= 1
  }

  #take(): number {
    const record = this.#removed
    if (record !== NONE) {
      this.#removed = this.#blockOf(record).newer[placeOf(record)] ?? NONE
      return record
    }
    if (blockOf(this.#unused) === this.#blocks.length) this.#blocks.push(new Block())
    return this.#unused++
  }

  /** The record expires after `milliseconds`. */
  #keep(record: number, now: number, milliseconds: number, owner: string | undefined): void {
    const block = this.#blockOf(record)
    const place = placeOf(record)
    block.until[place] = now + milliseconds
    block.keptAt[place] = now / 1000
    block.owners[place] = owner
  }

  #link(record: number): void {
    const newest = this.#first.older[0] ?? NONE
    const block = this.#blockOf(record)
    block.older[placeOf(record)] = newest
    block.newer[placeOf(record)] = 0
    this.#blockOf(newest).newer[placeOf(newest)] = record
    this.#first.older[0] = record
  }

  #unlink(record: number): void {
    const block = this.#blockOf(record)
    const older = block.older[placeOf(record)] ?? NONE
    const newer = block.newer[placeOf(record)] ?? NONE
    this.#blockOf(older).newer[placeOf(older)] = newer
    this.#blockOf(newer).older[placeOf(newer)] = older
  }

  #blockOf(record: number): Block {
    return this.#blocks[blockOf(record)] as Block // every record was taken once
  }
}
