import { nextTurn } from '../lib/timers.ts'

/** What is asked for, with the key that no two of one statement share. */
interface Asked<Item, Answer> {
  readonly item: Item
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}

/**
 * Batches items into one statement: those of the same turn of the event loop, and those that arrive while the last statement runs. Uses no
 * timer, so a single item is sent at once.
 */
export class Together<Item extends { readonly key: string }, Answer> {
  readonly #send: (items: readonly Item[]) => Promise<readonly Answer[]>
  readonly #onFirst: () => void
  #waiting: Asked<Item, Answer>[] = []
  #isSending = false

  /**
   * @param send Answers in the order of the items.
   * @param onFirst Called before the first item of a statement waits: others may come along.
   */
  constructor(send: (items: readonly Item[]) => Promise<readonly Answer[]>, onFirst: () => void = () => {}) {
    this.#send = send
    this.#onFirst = onFirst
  }

  ask(item: Item): Promise<Answer> {
    const isFirst = this.#waiting.length === 0
    const answered = new Promise<Answer>((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
    })
    if (isFirst) this.#onFirst()
    if (!this.#isSending) void this.#sendAll()
    return answered
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true
    await nextTurn() // what is asked for in this one comes along
    while (this.#waiting.length > 0) {
      const group = this.#nextGroup()
      try {
        const answers = await this.#send(group.map(({ item }) => item))
        for (const [at, { resolve }] of group.entries()) resolve(answers[at] as Answer) // one for each
      } catch (error) {
        for (const { reject } of group) reject(error)
      }
    }
    this.#isSending = false
  }

  #nextGroup(): readonly Asked<Item, Answer>[] {
    const group = new Map<string, Asked<Item, Answer>>()
    const later: Asked<Item, Answer>[] = []
    for (const asked of this.#waiting) {
      if (group.has(asked.item.key)) later.push(asked)
      else group.set(asked.item.key, asked)
    }
    this.#waiting = later
    return [...group.values()]
  }
}
