import { isPromise, type MaybePromise } from '../../src/lib/maybe-promise.ts'
import type { Leaving } from './incoming.ts'

/** Limits the bodies in flight, by number and by total bytes. */
export class Places {
  readonly maxBytes: number
  readonly #maxBodies: number
  readonly #graceMs: number
  #bodies = 0
  #bytes = 0

  /** @param graceMs How long a place is kept at most after its sender disconnects. */
  constructor(maxBodies: number, maxBytes: number, graceMs: number) {
    this.maxBytes = maxBytes
    this.#maxBodies = maxBodies
    this.#graceMs = graceMs
  }

  /** Describes the limit that another body of up to `bytes` would exceed, if any. */
  fullFor(bytes: number): string | undefined {
    if (this.#bodies >= this.#maxBodies) {
      return `${this.#maxBodies} bodies are in flight already (maxConcurrentBodies)`
    }
    if (this.#bytes + bytes <= this.maxBytes) return undefined
    return `${this.#bytes} bytes of bodies are in flight, and ${bytes} more are too many (maxConcurrentBytes)`
  }

  take(bytes: number): Place {
    this.#bodies += 1
    this.#bytes += bytes
    const putBack = () => {
      this.#bodies -= 1
      this.#bytes -= bytes
    }
    return new Place(putBack, this.#graceMs)
  }
}

/** One body's share of the limits. */
export class Place {
  readonly #graceMs: number
  #putBack: (() => void) | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(putBack: () => void, graceMs: number) {
    this.#putBack = putBack
    this.#graceMs = graceMs
  }

  /** Idempotent. */
  giveBack(): void {
    if (this.#timer !== undefined) clearTimeout(this.#timer)
    this.#putBack?.()
    this.#putBack = undefined
  }

  /** Runs `start`, and frees the place only if it throws. */
  unlessThrown<T>(start: () => T): T {
    try {
      return start()
    } catch (error) {
      this.giveBack()
      throw error
    }
  }

  /** Runs `work`, and frees the place when it settles. */
  during<T>(work: () => MaybePromise<T>, sender: Leaving): MaybePromise<T> {
    const made = this.unlessThrown(work)
    if (isPromise(made)) return this.until(made, sender)
    this.giveBack()
    return made
  }

  /**
   * Settles like `work`, and frees the place. If the sender disconnects, the work still holds the body, so
   * the place is kept for up to `graceMs`.
   */
  until<T>(work: PromiseLike<T>, sender: Leaving): Promise<T> {
    sender.whenGone(() => this.#giveBackSoon())
    return Promise.resolve(work).then(
      (value) => {
        this.giveBack()
        return value
      },
      (error: unknown) => {
        this.giveBack()
        throw error
      },
    )
  }

  #giveBackSoon(): void {
    if (this.#putBack) this.#timer ??= setTimeout(() => this.giveBack(), this.#graceMs)
  }
}
