/**
 * On Cloudflare Workers what a request began ends with that request, without a word, and nobody else may count on its
 * promises. There whoever waits has to look.
 */
const ENDS_WITH_ITS_REQUEST: boolean = 'WebSocketPair' in globalThis // at every compatibility date, unlike `navigator`

/** Between two looks of a waiting request. */
const LOOK_MS = 20

/** Keeps what a request began alive when the request ends. */
export type WaitUntil = (work: Promise<unknown>) => void

/** One attempt at a time, for all who wait for it. */
export class SharedAttempt {
  readonly #work: () => Promise<void>
  readonly #longestMs: number
  readonly #now: () => number
  readonly #waitUntil: WaitUntil | undefined
  #current: Promise<void> | undefined
  #beganAt = 0

  /** @param work Never rejects, and settles within `longestMs`, unless it is lost. */
  constructor(
    work: () => Promise<void>,
    longestMs: number,
    now: () => number,
    waitUntil: WaitUntil | undefined,
  ) {
    this.#work = work
    this.#longestMs = longestMs
    this.#now = now
    this.#waitUntil = waitUntil
  }

  /** The last attempt is over without a result: the request that began it is. */
  get isLost(): boolean {
    const isLate = Math.abs(this.#now() - this.#beganAt) >= this.#longestMs
    return ENDS_WITH_ITS_REQUEST && this.#current !== undefined && isLate
  }

  begin(): Promise<void> {
    const current = this.#work().finally(() => {
      if (this.#current === current) this.#current = undefined
    })
    this.#current = current
    this.#beganAt = this.#now()
    this.#waitUntil?.(current)
    return current
  }

  get isUnderWay(): boolean {
    return this.#current !== undefined && !this.isLost
  }

  /** The wait for the attempt under way, if there is one. */
  join(): Promise<void> | undefined {
    const current = this.isUnderWay ? this.#current : undefined
    return ENDS_WITH_ITS_REQUEST && current ? this.#lookUntilOver(current) : current
  }

  async #lookUntilOver(current: Promise<void>): Promise<void> {
    while (this.#current === current && !this.isLost) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
  }
}
