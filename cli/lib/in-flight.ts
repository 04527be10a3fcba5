/** Work that is not over yet. */
export class InFlight {
  readonly #work = new Set<Promise<unknown>>()

  get size(): number {
    return this.#work.size
  }

  /** Starts the work, and counts it until it ends. */
  add<Result>(start: () => Promise<Result>): Promise<Result> {
    const work = start()
    this.#work.add(work)
    const over = () => void this.#work.delete(work)
    work.then(over, over)
    return work
  }

  /** Waits until no work is left, even if some of it fails. */
  async settled(): Promise<void> {
    while (this.#work.size > 0) await Promise.allSettled(this.#work)
  }
}
