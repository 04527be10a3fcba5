const SECOND_MS = 1000
const MINUTE_MS = 60_000

/** What was noted in the last minute, and how often somebody looked in this second: bounds what a flood costs. The clock may jump. */
export class Recent {
  readonly #noted = new Map<unknown, number>()
  #lookingSince: number = -Infinity
  #looks = 0

  /** Whether this look is one of the first `most` of its second. */
  mayLook(now: number, most: number): boolean {
    if (Math.abs(now - this.#lookingSince) >= SECOND_MS) {
      this.#lookingSince = now
      this.#looks = 0
    }
    this.#looks += 1
    return this.#looks <= most
  }

  /** Whether fewer than `most` were noted in the last minute. */
  hasRoom(now: number, most: number): boolean {
    for (const [each, at] of this.#noted) {
      if (isRecent(at, now)) break
      this.#noted.delete(each)
    }
    return this.#noted.size < most
  }

  /** Notes it. False if it was noted in the last minute, or `most` others were. */
  note(what: unknown, now: number, most: number = Infinity): boolean {
    if (!this.hasRoom(now, most) || isRecent(this.#noted.get(what), now)) return false
    this.#noted.set(what, now)
    return true
  }
}

const isRecent = (at: number = -Infinity, now: number) => Math.abs(now - at) < MINUTE_MS
