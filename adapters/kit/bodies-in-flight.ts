import { abandon, wasAbandoned } from '#crypto'
import { MAX_BODY_BYTES } from '../../src/limits.ts'
import { fail } from '../../src/reason.ts'
import type { Verification, Waiter } from '../../src/verification.ts'

/** A sender, which may disconnect before it gets its response. */
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
 * The bodies in flight of one `verifyWebhook()`: how many there are, and how many of their bytes have arrived. When either is
 * short, the slowest incomplete body is cut. If all are complete, the newest is refused.
 */
export class BodiesInFlight {
  readonly maxBytes: number
  readonly now: () => number
  /** Incomplete bodies. A body that arrives in one turn of the event loop never gets in here. */
  readonly arriving: Set<BodyInFlight> = new Set()
  /** Bodies that work still holds although their senders have left. Those that left first come first. */
  readonly abandoned: Set<BodyInFlight> = new Set()
  readonly #maxBodies: number
  readonly #graceMs: number
  #bodies = 0
  #bytes = 0

  /** @param graceMs How long a body that its sender has abandoned keeps its room when others need it. */
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
  enter(): BodyInFlight {
    if (this.#bodies >= this.#maxBodies) {
      const problem = `${this.#maxBodies} bodies are in flight already (maxConcurrentBodies)`
      if (!this.#freeAbandoned() && !this.#cut(this.#slowest(0), problem)) throw new OverloadError(problem)
    }
    return this.admit(0)
  }

  /** Regardless of the limits, e.g. for a complete body that was admitted before. */
  admit(bytes: number): BodyInFlight {
    this.#bodies += 1
    this.#bytes += bytes
    return new BodyInFlight(this, bytes)
  }

  /** Makes room for bytes of a body that have arrived. Returns an error if that body itself has to go. */
  grow(body: BodyInFlight, bytes: number): OverloadError | undefined {
    const before = this.#bytes
    this.#bytes += bytes
    while (this.#bytes > this.maxBytes) {
      if (this.#freeAbandoned()) continue
      const problem = `${before} bytes of bodies are in flight, and ${bytes} more are too many (maxConcurrentBytes)`
      const slowest = this.#slowest(1)
      if (slowest === body || !this.#cut(slowest, problem)) return new OverloadError(problem)
    }
    return undefined
  }

  shrink(bytes: number): void {
    this.#bodies -= 1
    this.#bytes -= bytes
  }

  /** Looks at every incomplete body, but only when there is no room. */
  #slowest(leastBytes: number): BodyInFlight | undefined {
    const now = this.now()
    let slowest: BodyInFlight | undefined
    let lowest = Number.POSITIVE_INFINITY
    for (const body of this.arriving) {
      if (body.bytes < leastBytes) continue
      const rate = (body.bytes || HEAD_BYTES) / (now - body.since)
      if (slowest !== undefined && rate >= lowest) continue
      slowest = body
      lowest = rate
    }
    return slowest
  }

  #cut(body: BodyInFlight | undefined, problem: string): boolean {
    body?.cutOff(new OverloadError(`${problem}, and this one was the slowest to arrive`))
    return body !== undefined
  }

  #freeAbandoned(): boolean {
    for (const body of this.abandoned) {
      if (body.since + this.#graceMs > this.now()) return false
      body.leave()
      return true
    }
    return false
  }
}

/** One body's share of the limits, from its admission to its verdict. */
export class BodyInFlight {
  readonly #all: BodiesInFlight
  #cut: ((error: OverloadError) => void) | undefined
  #isOver = false
  #isWaiting = false
  #isWatched = false
  /** Whether its sender has left, as far as is known. */
  #isGone = false
  /** Bytes that have arrived. */
  bytes: number
  /** Called when its sender leaves while work holds it. */
  onAbandoned: (() => void) | undefined = undefined
  /** When its first byte arrived, or else when reading began. For an abandoned body, when its sender left. */
  since = 0

  constructor(all: BodiesInFlight, bytes: number) {
    this.#all = all
    this.bytes = bytes
  }

  /** Counts bytes that have arrived. Returns an error if there is no room, and this body has to go. */
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

  /** Settles like `work`. If the sender leaves meanwhile, the work still holds the body. */
  async during<T>(work: PromiseLike<T>, sender: Sender): Promise<T> {
    this.#isWaiting = true
    if (this.#isGone) this.#abandon()
    if (!this.#isWatched) {
      this.#isWatched = true
      sender.whenGone(() => {
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
    this.onAbandoned?.()
  }
}

/** A delivery whose body has arrived. Its place among the bodies in flight is kept until the verdict. */
export class Arrived implements Waiter {
  readonly verification: Verification
  readonly sender: Sender
  readonly place: BodyInFlight
  readonly reply?: undefined

  constructor(verification: Verification, sender: Sender, place: BodyInFlight) {
    this.verification = verification
    this.sender = sender
    this.place = place
    const { body } = verification.delivery
    if (body.byteLength <= MAX_BODY_BYTES) return
    place.onAbandoned = () => {
      if (verification.auth === undefined) abandon(body)
    }
  }

  /** The work on a long body ends when its sender leaves: strangers could have more hashed than they hold connections for. */
  wait<Value>(promise: PromiseLike<Value>): PromiseLike<Value> {
    const waited = this.place.during(promise, this.sender)
    return this.place.onAbandoned ? this.#waitWithLongBody(waited) : waited
  }

  /** Holds nothing parsed until the sender is known: it can take 28 times the memory of its bytes, and strangers can keep many waiting. */
  async #waitWithLongBody<Value>(waited: Promise<Value>): Promise<Value> {
    const { verification } = this
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
}

const SENDER_LEFT = fail('body_incomplete', 'the connection ended before the signature was computed')
