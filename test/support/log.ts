/** A list to wait on. Servers log their events here, so that no test has to sleep. */
export class Log<Entry> {
  readonly entries: Entry[] = []
  #waiting: { readonly isReached: () => boolean; readonly resolve: () => void }[] = []

  add(entry: Entry): void {
    this.entries.push(entry)
    for (const { isReached, resolve } of this.#waiting) if (isReached()) resolve()
    this.#waiting = this.#waiting.filter(({ isReached }) => !isReached())
  }

  /** Resolves when there are at least this many entries. */
  reaches(count: number): Promise<void> {
    const isReached = () => this.entries.length >= count
    if (isReached()) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push({ isReached, resolve }))
  }

  /** Resolves when the list contains this entry. */
  has(entry: Entry): Promise<void> {
    const isReached = () => this.entries.includes(entry)
    if (isReached()) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push({ isReached, resolve }))
  }
}
