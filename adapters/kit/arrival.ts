import { joinChunks, withChunk } from '../../src/lib/read-stream.ts'
import type { BodyInFlight, OverloadError } from './bodies-in-flight.ts'
import { type BodyIncompleteError, bodyLate, connectionEnded } from './body.ts'

/** The stream part of a Node request. */
export interface NodeStream {
  readonly destroyed?: boolean
  on(event: string, listener: (chunk: Uint8Array) => void): this
  off(event: string, listener: (chunk: Uint8Array) => void): this
  pause(): this
  resume(): this
  /** HTTP/2 only. Emits `finish` when the response has been sent. */
  readonly stream?: { once(event: 'finish', listener: () => void): unknown; close(): void }
}

const CODE_AT_HAND = Promise.resolve()

/** A body that is arriving. A class, because one closure per callback would take more memory than the body. */
export class Arrival {
  readonly #stream: NodeStream
  readonly #limit: number
  readonly #inFlight: BodyInFlight
  readonly #resolve: (bytes: Uint8Array) => void
  readonly #reject: (error: BodyIncompleteError | OverloadError) => void
  #chunks: Uint8Array[] = []
  #length = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #isOver = false

  constructor(
    stream: NodeStream,
    limit: number,
    inFlight: BodyInFlight,
    resolve: (bytes: Uint8Array) => void,
    reject: (error: BodyIncompleteError | OverloadError) => void,
  ) {
    this.#stream = stream
    this.#limit = limit
    this.#inFlight = inFlight
    this.#resolve = resolve
    this.#reject = reject
  }

  /** @param announced The length at which nothing but the end is missing, which then comes by itself; or NaN. */
  begin(timeoutMs: number, announced: number): void {
    this.#stream.on('data', this.#onData).on('end', this.#onEnd)
    // Most bodies arrive in this tick; arm timers only if not.
    void CODE_AT_HAND.then(() => {
      if (!this.#isOver && (this.#length === 0 || this.#length !== announced)) this.#watch(timeoutMs)
    })
  }

  #watch(timeoutMs: number): void {
    if (this.#stream.destroyed) {
      this.#giveUp(connectionEnded())
      return
    }
    const onGone = () => {
      if (!this.#isOver) this.#giveUp(connectionEnded())
    }
    // Other middleware may have paused the stream, e.g. for a web stream that nobody reads (`hono/body-limit`).
    const resume = () => {
      if (!this.#isOver) this.#stream.resume()
    }
    this.#stream.on('error', onGone).on('close', onGone).on('pause', resume)
    resume()
    this.#inFlight.keepsArriving((error) => this.#giveUp(error))
    this.#timer = setTimeout(() => this.#giveUp(bodyLate(timeoutMs)), timeoutMs)
  }

  readonly #onData = (chunk: Uint8Array): void => {
    this.#length += chunk.byteLength
    this.#chunks = withChunk(this.#chunks, chunk, this.#length)
    if (this.#length <= this.#limit) {
      const problem = this.#inFlight.add(chunk.byteLength)
      if (problem) this.#giveUp(problem)
      return
    }
    const bytes = joinChunks(this.#chunks, this.#length).subarray(0, this.#limit + 1)
    this.#leave()
    this.#resolve(bytes)
  }

  /** Does not remove the listeners: an ended stream emits nothing but `close`. */
  readonly #onEnd = (): void => {
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#inFlight.arrived()
    this.#resolve(joinChunks(this.#chunks, this.#length))
  }

  #giveUp(error: BodyIncompleteError | OverloadError): void {
    this.#leave()
    this.#reject(error)
  }

  #leave(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#inFlight.arrived()
    this.#chunks = []
    this.#stream.off('data', this.#onData).off('end', this.#onEnd).pause()
    this.#closeAfterReply()
  }

  /** Otherwise an HTTP/2 stream that the sender never ends keeps its bytes until the session ends. */
  #closeAfterReply(): void {
    const { stream } = this.#stream
    stream?.once('finish', () => stream.close())
  }
}
