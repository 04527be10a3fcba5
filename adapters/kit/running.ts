import { sharesTimers, startUnreferenced } from '#crypto'
import { beat, beatMsOf } from '../../src/beat.ts'
import type { Lease } from '../../src/claim.ts'
import type { Clock } from '../../src/lib/clock.ts'

/** Starts a timer, like `setTimeout`. */
type StartTimer = (callback: () => void, milliseconds: number) => unknown

/**
 * The leases of running handlers. A set, because most handlers end before anything looks at them: all that these cost is `add` and
 * `delete`. One timer looks after all leases. Where requests may not share one, each lease has its own.
 */
export class Running extends Set<Lease> {
  /** When the shared timer fires, by the monotonic clock. Infinity if there is none. */
  dueAt: number = Infinity
  readonly #clock: Clock
  readonly #startTimer: StartTimer
  readonly #isShared: boolean
  /** The timer that counts: one that fires too late for a shorter lease is succeeded by another. */
  #current: object = {}

  constructor(
    clock: Clock = performance,
    startTimer: StartTimer = startUnreferenced,
    isShared: boolean = sharesTimers(),
  ) {
    super()
    this.#clock = clock
    this.#startTimer = startTimer
    this.#isShared = isShared
  }

  /** Starts a timer for a lease that has been added, and is to be looked at before `dueAt`. */
  watch(lease: Lease): void {
    if (this.#isShared) this.#lookIn(beatMsOf(lease))
    else this.#startTimer(() => this.#lookAt(lease), beatMsOf(lease))
  }

  #lookIn(milliseconds: number): void {
    const timer = {}
    this.#current = timer
    this.dueAt = this.#clock.now() + milliseconds
    this.#startTimer(() => {
      if (timer === this.#current) this.#look()
    }, milliseconds)
  }

  #look(): void {
    this.dueAt = Infinity
    let next = Infinity
    for (const lease of this) {
      if (beat(lease)) next = Math.min(next, beatMsOf(lease))
      else this.delete(lease)
    }
    if (this.size > 0) this.#lookIn(next)
  }

  #lookAt(lease: Lease): void {
    if (!this.has(lease)) return
    if (beat(lease)) this.watch(lease)
    else this.delete(lease)
  }
}

/** The leases of this process. */
export const running: Running = /* @__PURE__ */ new Running()
