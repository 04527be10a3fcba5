/** A list that can be waited for: what happens on the server is told here, so that no test has to sleep. */
export class Log<Entry> {
  readonly entries: Entry[] = []
  #waiting: { readonly isReached: () => boolean; readonly resolve: () => void }[] = []

  add(entry: Entry): void {
    this.entries.push(entry)
    for (const { isReached, resolve } of this.#waiting) if (isReached()) resolve()
    this.#waiting = this.#waiting.filter(({ isReached }) => !isReached())
  }

  /** Resolves when there are this many entries, or now. */
  reaches(count: number): Promise<void> {
    const isReached = () => this.entries.length >= count
    if (isReached()) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push({ isReached, resolve }))
  }

  /** Resolves when this entry is there. */
  has(entry: Entry): Promise<void> {
    const isReached = () => this.entries.includes(entry)
    if (isReached()) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push({ isReached, resolve }))
  }
}
