import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Reads of single rows, for which all who ask for the same one in one turn of the event loop share a read. It begins when
 * they have asked, never before: what was written until then, it sees.
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
