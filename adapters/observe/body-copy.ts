import { joinBody } from '#crypto'
import { callHook } from '../../src/lib/hooks.ts'
import type { MaybePromise } from '../../src/lib/maybe-promise.ts'
import { withChunk } from '../../src/lib/read-stream.ts'
import type { BodyInFlight, OverloadError } from '../kit/bodies-in-flight.ts'
import { NO_BYTES, oversizeBody } from '../kit/incoming.ts'
import { type StandIn, shadowGetter, shadowMethod } from './shadow.ts'

/**
 * The copy of one body, made while something else reads it, in its place and at its pace. It never asks for a byte, so it ends
 * when the reading ends.
 */
export class BodyCopy {
  /** The most bytes that its listener takes, as far as it is known. */
  limit: number
  /** How many bytes have been copied. */
  length = 0
  /** Whether nothing is copied any more. */
  isOver = false
  readonly #inFlight: BodyInFlight
  readonly #bytes: Promise<Uint8Array | undefined>
  #resolve: (bytes: MaybePromise<Uint8Array | undefined>) => void = () => {}
  #reject: (error: unknown) => void = () => {}
  #chunks: Uint8Array[] = []
  #undo: (() => void)[] = []

  constructor(inFlight: BodyInFlight, limit: number) {
    this.#inFlight = inFlight
    this.limit = limit
    this.#bytes = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    this.#bytes.catch(() => {}) // nothing awaits it if there is no listener
    inFlight.allowCut((error: OverloadError) => this.fail(error))
  }

  /**
   * The whole body, or a stand-in for one that is over the listener's limit. Undefined if nothing has read the body to its end, or
   * if it is doubtful that the bytes are those that arrived.
   */
  async within(limit: number): Promise<Uint8Array | undefined> {
    this.limit = limit
    if (this.length > limit) this.exceed()
    const bytes = await this.#bytes
    return bytes && this.length > limit ? oversizeBody(limit) : bytes
  }

  /** Copies what begins at `at` of the body, as far as no other reader of it, e.g. of a clone, has brought it before. */
  take(bytes: Uint8Array, at: number = this.length): void {
    if (this.isOver) return
    // Not slice(), which for a Buffer returns a view.
    const chunk = new Uint8Array(bytes.subarray(this.length - at, this.limit + 1 - at))
    if (chunk.byteLength === 0) return
    this.length += chunk.byteLength
    this.#chunks = withChunk(this.#chunks, chunk)
    const problem = this.#inFlight.add(chunk.byteLength)
    if (problem) this.fail(problem)
    else if (this.length > this.limit) this.exceed()
  }

  /** The body has been read to its end. */
  end(): void {
    if (this.isOver) return
    const bytes = joinBody(this.#chunks, this.length)
    this.#stop(() => this.#resolve(bytes), this.length)
  }

  /** These are the bytes, and nothing more is copied. */
  endWith(bytes: Uint8Array): void {
    this.take(bytes, 0)
    this.end()
  }

  /** The body is over the limit, so its bytes do not matter. */
  exceed(): void {
    if (this.isOver) return
    this.length = Math.max(this.length, this.limit + 1)
    this.#stop(() => this.#resolve(NO_BYTES))
  }

  /** There is nothing to judge. */
  abandon(): void {
    this.#stop(() => this.#resolve(undefined))
  }

  /** Gives up, with what the listener's `onError` is told. */
  fail(error: unknown): void {
    this.#stop(() => this.#reject(error))
  }

  /** Calls `undo` when the copy is over. */
  whenOver(undo: () => void): void {
    if (this.isOver) undo()
    else this.#undo.push(undo)
  }

  /** Puts `standIn` before a method of what is read, if it has it, until the copy is over. */
  shadow(target: object, name: PropertyKey, standIn: StandIn): void {
    if (!(name in target)) return
    this.whenOver(
      shadowMethod(target, name, (original, receiver, given) =>
        this.isOver ? original() : standIn(original, receiver, given),
      ),
    )
  }

  /** The same for a getter. */
  shadowGetter(target: object, name: PropertyKey, look: (value: unknown) => void): void {
    this.whenOver(shadowGetter(target, name, (value) => this.attempt(() => look(value))))
  }

  /** Nothing that fails here may reach what reads the request. */
  attempt(step: () => void): void {
    if (this.isOver) return
    try {
      step()
    } catch (error) {
      this.fail(error)
    }
  }

  /** Keeps room for the bytes that are still held. */
  #stop(settle: () => void, held = 0): void {
    if (this.isOver) return
    this.isOver = true
    this.#chunks = []
    this.#inFlight.arrived()
    this.#inFlight.add(held - this.#inFlight.bytes)
    for (const undo of this.#undo.splice(0)) callHook(undo) // a proxy may throw
    settle()
  }
}
