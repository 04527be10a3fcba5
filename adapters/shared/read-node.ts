import type { MaybePromise } from '../../src/lib/maybe-promise.ts'
import { joinChunks } from '../../src/lib/read-stream.ts'
import { announcesOver, BodyIncompleteError, oversizeBody } from './body.ts'
import type { Incoming } from './receiver.ts'
import { bodyTaken } from './set-up-errors.ts'

/** The part of `http.IncomingMessage` that is read here, spelt out so that the Hono adapter needs no Node types. */
export interface NodeRequest {
  readonly method?: string | undefined
  readonly rawHeaders: readonly string[]
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined }
  readonly readableDidRead: boolean
  readonly readableEnded: boolean
  readonly socket: { readonly remoteAddress?: string | undefined }
  on(event: string, listener: (chunk: Uint8Array) => void): this
  off(event: string, listener: (chunk: Uint8Array) => void): this
  pause(): this
  /** Hosts that read the body first leave its bytes in `rawBody` (cloud functions) or `body` (`express.raw`). */
  readonly rawBody?: unknown
  readonly body?: unknown
}

/** What a Node request says of itself, whatever framework wraps it. */
export function nodeIncoming(request: NodeRequest): Incoming {
  return {
    method: request.method ?? '',
    header: (name) => nodeHeader(request, name),
    readBody: (limit, timeoutMs) => readNodeBody(request, limit, timeoutMs),
  }
}

/**
 * The exact bytes of a Node request's body, or the first `limit` + 1 of them.
 *
 * @throws BodyIncompleteError when the sender stops early, or is not done within `timeoutMs`.
 * @throws ListenerConfigError when a parser has taken the body and left no bytes.
 */
function readNodeBody(request: NodeRequest, limit: number, timeoutMs: number): MaybePromise<Uint8Array> {
  if (request.rawBody instanceof Uint8Array) return request.rawBody
  if (request.body instanceof Uint8Array) return request.body
  if (request.readableDidRead || request.readableEnded) throw bodyTaken()
  // Not by `request.headers`, which Node makes of all headers when it is first asked for.
  const contentLength = nodeHeader(request, 'content-length')
  if (announcesOver(limit, contentLength)) return oversizeBody(limit)
  return new Promise((resolve, reject) => {
    new Arrival(request, limit, resolve, reject).begin(timeoutMs, Number(contentLength))
  })
}

/** A body on its way. An object, because a closure for each thing that can happen costs more memory than the body. */
class Arrival {
  readonly #request: NodeRequest
  readonly #limit: number
  readonly #resolve: (bytes: Uint8Array) => void
  readonly #reject: (error: BodyIncompleteError) => void
  readonly #chunks: Uint8Array[] = []
  #length = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #isOver = false

  constructor(
    request: NodeRequest,
    limit: number,
    resolve: (bytes: Uint8Array) => void,
    reject: (error: BodyIncompleteError) => void,
  ) {
    this.#request = request
    this.#limit = limit
    this.#resolve = resolve
    this.#reject = reject
  }

  begin(timeoutMs: number, announced: number): void {
    this.#request
      .on('data', this.#onData)
      .on('end', this.#onEnd)
      .on('error', this.#onGone)
      .on('close', this.#onGone)
    // Most bodies are there when the code at hand has run, and a timer costs more than they do.
    void Promise.resolve().then(() => {
      if (this.#isOver || this.#length === announced) return
      this.#timer = setTimeout(
        () => this.#giveUp(`the body was not complete after ${timeoutMs} ms`),
        timeoutMs,
      )
    })
  }

  readonly #onData = (chunk: Uint8Array): void => {
    this.#chunks.push(chunk)
    this.#length += chunk.byteLength
    if (this.#length <= this.#limit) return
    this.#leave()
    this.#resolve(joinChunks(this.#chunks, this.#length).subarray(0, this.#limit + 1))
  }

  /** The listeners stay on: a stream that has ended calls none of them but that of its close. */
  readonly #onEnd = (): void => {
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#resolve(joinChunks(this.#chunks, this.#length))
  }

  readonly #onGone = (): void => {
    if (!this.#isOver) this.#giveUp('the connection ended before the body was complete')
  }

  #giveUp(problem: string): void {
    this.#leave()
    this.#reject(new BodyIncompleteError(problem))
  }

  #leave(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#request
      .off('data', this.#onData)
      .off('end', this.#onEnd)
      .off('error', this.#onGone)
      .off('close', this.#onGone)
    this.#request.pause()
  }
}

/**
 * A header by its lower-case name, from the raw list: `request.headers` drops or joins repetitions, each name by a rule
 * of its own. Hosts that make requests by hand may leave the raw list empty.
 */
export function nodeHeader(request: NodeRequest, name: string): string | readonly string[] | undefined {
  const { rawHeaders } = request
  if (rawHeaders.length === 0) return request.headers[name]
  let found: string | undefined
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const candidate = rawHeaders[index]
    if (candidate?.length !== name.length || candidate.toLowerCase() !== name) continue
    if (found !== undefined) return allNodeHeaders(rawHeaders, name)
    found = rawHeaders[index + 1]
  }
  return found
}

function allNodeHeaders(rawHeaders: readonly string[], name: string): readonly string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name)
}
