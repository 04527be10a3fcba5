import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Deduplicates reads of single rows. Callers in the same turn of the event loop share a read. It starts after their
 * calls, so it sees all earlier writes.
 */
export class SharedReads<Row> {
  readonly #read: (id: string) => Promise<Row | undefined>
  readonly #toCome = new Map<string, Promise<Row | undefined>>()

  constructor(read: (id: string) => Promise<Row | undefined>) {
    this.#read = read
  }

  find(id: string): Promise<Row | undefined> {
    const read = this.#toCome.get(id) ?? this.#readNext(id)
    this.#toCome.set(id, read)
    return read
  }

  async #readNext(id: string): Promise<Row | undefined> {
    await nextTurn()
    this.#toCome.delete(id)
    return this.#read(id)
  }
}
