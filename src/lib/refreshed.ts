import { type Clock, timeOf } from './clock.ts'
import { callHook } from './hooks.ts'

/** Workers cancel a request's I/O silently when the request ends, so other requests poll. */
const ENDS_WITH_ITS_REQUEST: boolean = 'WebSocketPair' in globalThis // at every compatibility date, unlike `navigator`

/** The polling interval of a waiting request. */
const LOOK_MS = 20

/** Extra time after a load's own deadline, before the load counts as lost. */
const GRACE_MS = 1000

/** Keeps work alive after the request that started it ends. */
export type WaitUntil = (work: Promise<unknown>) => void

interface LoadOptions {
  readonly clock: Clock
  readonly timeoutMs: number
  readonly waitUntil: WaitUntil | undefined
}

/**
 * A value that is loaded again as it ages. At most one load is in flight, and all callers share it. If it fails, the last good
 * value stays. The owner decides which ages are too old.
 */
export class Refreshed<T> {
  readonly #load: (known: T | undefined) => Promise<T>
  readonly #options: LoadOptions
  #loading: Promise<void> | undefined
  /** When the last load began, by the clock. */
  beganAt: number = -Infinity
  /** The result of the last load that succeeded. It is at least as recent as `at`, when that load began. It came at `endedAt`. */
  last: { readonly value: T; readonly at: number; readonly endedAt: number } | undefined
  /** Why the last load failed, if it did, and when. */
  failure: { readonly error: unknown; readonly at: number } | undefined

  /** @param load Gets the last value. Settles within the timeout unless its request ended. */
  constructor(load: (known: T | undefined) => Promise<T>, options: LoadOptions) {
    this.#load = load
    this.#options = options
  }

  /** How long ago that was, in milliseconds. Infinity if the clock was set back, because nobody knows then. */
  since(then: number = -Infinity): number {
    const age = timeOf(this.#options.clock) - then
    return age < 0 ? Infinity : age
  }

  /** Whether the last load's request ended before the load settled. */
  isLost(): boolean {
    if (!ENDS_WITH_ITS_REQUEST || this.#loading === undefined) return false
    return Math.abs(timeOf(this.#options.clock) - this.beganAt) >= this.#options.timeoutMs + GRACE_MS
  }

  isLoading(): boolean {
    return this.#loading !== undefined && !this.isLost()
  }

  /** Whether the load that began last has succeeded. If not, there may be a newer value. */
  isCurrent(): boolean {
    return this.failure === undefined && this.last?.at === this.beganAt
  }

  /** Starts a load. Undefined while another is in flight, or if `may` returns false. Never rejects: `failure` tells. */
  begin(may?: () => boolean): Promise<void> | undefined {
    if (this.isLoading() || may?.() === false) return undefined
    this.beganAt = timeOf(this.#options.clock)
    const over = () => {
      if (this.#loading === begun) this.#loading = undefined
    }
    const begun: Promise<void> = this.#settle(this.beganAt).then(over, over)
    this.#loading = begun
    callHook(this.#options.waitUntil, begun)
    return begun
  }

  /** Waits for the load in flight, if any. */
  join(): Promise<void> | undefined {
    if (!this.isLoading()) return undefined
    return ENDS_WITH_ITS_REQUEST ? this.#lookUntilOver(this.#loading) : this.#loading
  }

  async #settle(at: number): Promise<void> {
    try {
      const value = await this.#load(this.last?.value)
      this.last = { value, at, endedAt: timeOf(this.#options.clock) }
      this.failure = undefined
    } catch (error) {
      this.failure = { error, at: timeOf(this.#options.clock) }
    }
  }

  async #lookUntilOver(begun: Promise<void> | undefined): Promise<void> {
    while (this.#loading === begun && !this.isLost()) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
  }
}
