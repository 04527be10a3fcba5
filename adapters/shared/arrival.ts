import { joinChunks, withChunk } from '../../src/lib/read-stream.ts'
import { type BodyIncompleteError, bodyLate, connectionEnded } from './body.ts'

/** The part of a Node request that brings its body. */
export interface NodeStream {
  readonly destroyed?: boolean
  on(event: string, listener: (chunk: Uint8Array) => void): this
  off(event: string, listener: (chunk: Uint8Array) => void): this
  pause(): this
  resume(): this
  /** On HTTP/2 only. `finish` says that the reply is out. */
  readonly stream?: { once(event: 'finish', listener: () => void): unknown; close(): void }
}

const CODE_AT_HAND = Promise.resolve()

/** A body on its way. An object, because a closure for each thing that can happen costs more memory than the body. */
export class Arrival {
  readonly #stream: NodeStream
  readonly #limit: number
  readonly #resolve: (bytes: Uint8Array) => void
  readonly #reject: (error: BodyIncompleteError) => void
  #chunks: Uint8Array[] = []
  #length = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #isOver = false

  constructor(
    stream: NodeStream,
    limit: number,
    resolve: (bytes: Uint8Array) => void,
    reject: (error: BodyIncompleteError) => void,
  ) {
    this.#stream = stream
    this.#limit = limit
    this.#resolve = resolve
    this.#reject = reject
  }

  begin(timeoutMs: number, announced: number): void {
    this.#stream.on('data', this.#onData).on('end', this.#onEnd)
    // Most bodies are there when the code at hand has run, and to watch over one costs more than to read it.
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
    // Others may have paused it, or hold it back for a web stream that nobody reads (`hono/body-limit`).
    const resume = () => {
      if (!this.#isOver) this.#stream.resume()
    }
    this.#stream.on('error', onGone).on('close', onGone).on('pause', resume)
    resume()
    this.#timer = setTimeout(() => this.#giveUp(bodyLate(timeoutMs)), timeoutMs)
  }

  readonly #onData = (chunk: Uint8Array): void => {
    this.#length += chunk.byteLength
    this.#chunks = withChunk(this.#chunks, chunk, this.#length)
    if (this.#length <= this.#limit) return
    const bytes = joinChunks(this.#chunks, this.#length).subarray(0, this.#limit + 1)
    this.#leave()
    this.#resolve(bytes)
  }

  /** The listeners stay on: a stream that has ended calls none of them but that of its close. */
  readonly #onEnd = (): void => {
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#resolve(joinChunks(this.#chunks, this.#length))
  }

  #giveUp(error: BodyIncompleteError): void {
    this.#leave()
    this.#reject(error)
  }

  #leave(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#chunks = []
    this.#stream.off('data', this.#onData).off('end', this.#onEnd).pause()
    this.#closeAfterReply()
  }

  /** A stream whose sender never ends it would keep its bytes until the session ends. */
  #closeAfterReply(): void {
    const { stream } = this.#stream
    stream?.once('finish', () => stream.close())
  }
}
