/** Work that is not over yet. */
export class UnderWay {
  readonly #work = new Set<Promise<unknown>>()

  get size(): number {
    return this.#work.size
  }

  add<Work extends Promise<unknown>>(work: Work): Work {
    this.#work.add(work)
    const over = () => void this.#work.delete(work)
    work.then(over, over)
    return work
  }

  /** Waits until the work so far is over, even if it fails. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#work)
  }
}
