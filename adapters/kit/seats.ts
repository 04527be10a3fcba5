import { abandon, wasAbandoned } from '#crypto'
import { MAX_BODY_BYTES } from '../../src/limits.ts'
import { fail } from '../../src/reason.ts'
import type { Verification, Waiter } from '../../src/verification.ts'

/** Who has sent a request, and may disconnect before it gets its response. */
export interface Sender {
  /** Calls `callback` when the sender disconnects or its response ends, if the platform reports it. May call twice. */
  whenGone(callback: () => void): void
}

/** There is no room for another body, or this one was cut to make room. The message says which limit was reached. */
export class OverloadError extends Error {
  override readonly name = 'OverloadError'
}

/**
 * A body that has sent nothing yet ranks as if it had sent this much. Otherwise a flood would cut every new delivery between
 * its head and its first byte.
 */
const HEAD_BYTES = 64

/**
 * The seats of one `verifyWebhook()`: how many requests are read or checked at the same time, and how many bytes of their bodies
 * have arrived. When either is short, the slowest incomplete body is cut. If all are complete, the newest is refused.
 */
export class Seats {
  readonly maxBytes: number
  readonly now: () => number
  /** Those of incomplete bodies. A body that arrives in one turn of the event loop never gets in here. */
  readonly arriving: Set<Seat> = new Set()
  /** Those whose body work still holds although its sender has left. Who left first comes first. */
  readonly abandoned: Set<Seat> = new Set()
  readonly #maxBodies: number
  readonly #graceMs: number
  #bodies = 0
  #bytes = 0

  /** @param graceMs How long an abandoned seat is kept when others need it. */
  constructor(
    maxBodies: number,
    maxBytes: number,
    graceMs: number,
    now: () => number = () => performance.now(),
  ) {
    this.maxBytes = maxBytes
    this.now = now
    this.#maxBodies = maxBodies
    this.#graceMs = graceMs
  }

  /** @throws OverloadError if there are too many, and all are complete. */
  take(sender: Sender): Seat {
    if (this.#bodies >= this.#maxBodies) {
      const problem = `${this.#maxBodies} bodies are in flight already (maxConcurrentBodies)`
      if (!this.#freeAbandoned() && !this.#cut(this.#slowest(0), problem)) throw new OverloadError(problem)
    }
    return this.grant(sender, 0)
  }

  /** Regardless of the limits, for a complete body that had a seat before. */
  grant(sender: Sender, bytes: number): Seat {
    this.#bodies += 1
    this.#bytes += bytes
    return new Seat(this, sender, bytes)
  }

  /** Makes room for bytes that have arrived. Returns an error if their own seat has to go. */
  grow(seat: Seat, bytes: number): OverloadError | undefined {
    const before = this.#bytes
    this.#bytes += bytes
    while (this.#bytes > this.maxBytes) {
      if (this.#freeAbandoned()) continue
      const problem = `${before} bytes of bodies are in flight, and ${bytes} more are too many (maxConcurrentBytes)`
      const slowest = this.#slowest(1)
      if (slowest === seat || !this.#cut(slowest, problem)) return new OverloadError(problem)
    }
    return undefined
  }

  shrink(bytes: number): void {
    this.#bodies -= 1
    this.#bytes -= bytes
  }

  /** Looks at every incomplete body, but only when there is no room. */
  #slowest(leastBytes: number): Seat | undefined {
    const now = this.now()
    let slowest: Seat | undefined
    let lowest = Number.POSITIVE_INFINITY
    for (const seat of this.arriving) {
      if (seat.bytes < leastBytes) continue
      const rate = (seat.bytes || HEAD_BYTES) / (now - seat.since)
      if (slowest !== undefined && rate >= lowest) continue
      slowest = seat
      lowest = rate
    }
    return slowest
  }

  #cut(seat: Seat | undefined, problem: string): boolean {
    seat?.cutOff(new OverloadError(`${problem}, and this one was the slowest to arrive`))
    return seat !== undefined
  }

  #freeAbandoned(): boolean {
    for (const seat of this.abandoned) {
      if (seat.since + this.#graceMs > this.now()) return false
      seat.leave()
      return true
    }
    return false
  }
}

/** A request's share of the limits, from its first byte to its verdict. */
export class Seat implements Waiter {
  readonly sender: Sender
  readonly #all: Seats
  /** The verification of a long body, once it has arrived. */
  #long: Verification | undefined
  #cut: ((error: OverloadError) => void) | undefined
  #isOver = false
  #isWaiting = false
  #isWatched = false
  /** Whether its sender has left, as far as is known. */
  #isGone = false
  /** Bytes that have arrived. */
  bytes: number
  /** When its first byte arrived, or else when reading began. If it is abandoned, when its sender left. */
  since = 0

  constructor(all: Seats, sender: Sender, bytes: number) {
    this.#all = all
    this.sender = sender
    this.bytes = bytes
  }

  /** Counts bytes that have arrived. Returns an error if there is no room, and this seat has to go. */
  add(bytes: number): OverloadError | undefined {
    if (this.#isOver) return undefined
    if (this.bytes === 0 && this.#cut) this.since = this.#all.now()
    this.bytes += bytes
    return this.#all.grow(this, bytes)
  }

  /** Calls `cut`, once, if others need the room before `arrived` is called. */
  allowCut(cut: (error: OverloadError) => void): void {
    this.#cut = cut
    this.since = this.#all.now()
    this.#all.arriving.add(this)
  }

  /** The body is complete: it is no longer cut. */
  arrived(): void {
    if (this.#cut) this.#all.arriving.delete(this)
    this.#cut = undefined
  }

  cutOff(error: OverloadError): void {
    const cut = this.#cut
    this.leave()
    cut?.(error)
  }

  /** The body has arrived. The work on a long one ends when its sender leaves: strangers could have more hashed than they hold connections for. */
  holds(verification: Verification): void {
    if (verification.delivery.body.byteLength > MAX_BODY_BYTES) this.#long = verification
  }

  /** Settles like `work`. If the sender leaves meanwhile, the work still holds the seat. */
  wait<Value>(work: PromiseLike<Value>): Promise<Value> {
    const waited = this.#during(work)
    return this.#long ? this.#withLongBody(waited, this.#long) : waited
  }

  async #during<Value>(work: PromiseLike<Value>): Promise<Value> {
    this.#isWaiting = true
    if (this.#isGone) this.#abandon()
    if (!this.#isWatched) {
      this.#isWatched = true
      this.sender.whenGone(() => {
        this.#isGone = true
        if (this.#isWaiting) this.#abandon()
      })
    }
    try {
      return await work
    } finally {
      this.#isWaiting = false
    }
  }

  /** Holds nothing parsed until the sender is known: it can take 28 times the memory of its bytes, and strangers can keep many waiting. */
  async #withLongBody<Value>(waited: Promise<Value>, verification: Verification): Promise<Value> {
    const isStranger = verification.auth === undefined
    if (isStranger) verification.payload = undefined
    try {
      const value = await waited
      if (isStranger && verification.auth) verification.payload ??= verification.keepParsed()
      return value
    } catch (error) {
      if (!wasAbandoned(error)) throw error
      return SENDER_LEFT as Value // what a check answers; nothing is hashed after the checks
    }
  }

  /** Idempotent. */
  leave(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.arrived()
    if (this.#isGone) this.#all.abandoned.delete(this)
    this.#all.shrink(this.bytes)
  }

  #abandon(): void {
    if (this.#isOver || this.#all.abandoned.has(this)) return
    this.since = this.#all.now()
    this.#all.abandoned.add(this)
    if (this.#long && this.#long.auth === undefined) abandon(this.#long.delivery.body)
  }
}

const SENDER_LEFT = fail('body_incomplete', 'the connection ended before the signature was computed')
