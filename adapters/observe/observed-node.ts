import { announcedBytes } from '../../src/delivery.ts'
import { memberOf } from '../../src/lib/member-of.ts'
import { joinChunks, withChunk } from '../../src/lib/read-stream.ts'
import type { BodyInFlight } from '../kit/bodies-in-flight.ts'
import { counted, NO_BYTES, type SourceFinder } from '../kit/incoming.ts'
import { fromNode, type NodeRequest } from '../kit/read-node.ts'
import { bytesGone, exactBytes, isDoubtful, isExact, type ObservedRequest } from './observed-request.ts'

/** A Node request, with what shows how it is read. */
export interface EmittingRequest extends NodeRequest {
  /** Hands each chunk to whatever reads the request. */
  emit(event: string, ...given: unknown[]): boolean
  /** The encoding of its text, if its reader asked for text. */
  readonly readableEncoding: string | null
}

/**
 * Turns a Node request, in any framework, into one whose body is copied while something else reads it. Bytes that a parser
 * kept in `rawBody` or `body` come first.
 *
 * @example
 * ```ts
 * void observer.observe(req, () => observedNode(req, behindProxies(['10.0.0.0/8'])))
 * ```
 *
 * @throws ListenerConfigError if it is not a Node request.
 */
export function observedNode<Request extends EmittingRequest>(
  request: Request,
  sourceOf?: SourceFinder<Request>,
): ObservedRequest {
  const { method, url, header, sourceIp } = fromNode(request, undefined, sourceOf)
  const announced = announcedBytes(header('content-length'))
  return {
    method,
    url,
    header,
    sourceIp,
    async copyBody(limit, inFlight) {
      const kept = exactBytes(request.rawBody, announced) ?? keptBody(request)
      if (kept) return counted(kept, inFlight)
      if (announced === 0 || (announced === undefined && isEmpty(request, header))) return NO_BYTES
      if (request.readableDidRead || request.readableEnded) throw bytesGone()
      return new Promise((resolve, reject) => {
        new Copy(request, announced, limit, inFlight, resolve, reject).begin()
      })
    },
  }
}

const encoder = new TextEncoder()

/** Whether no body follows, if no header announces its length. */
function isEmpty({ httpVersionMajor, stream }: NodeRequest, header: ObservedRequest['header']): boolean {
  if (httpVersionMajor === 2) return memberOf(stream, 'endAfterHeaders') === true
  return header('transfer-encoding') === undefined
}

/** Text in `body` may be parsed JSON, so only bytes are exact. */
function keptBody({ body }: NodeRequest): Uint8Array | undefined {
  return body instanceof Uint8Array ? new Uint8Array(body) : undefined
}

/**
 * Copies a body on its way to its reader. Wraps `emit`, because a listener for `data` would start the stream before its reader is
 * there, and restart one that its reader has paused.
 */
class Copy {
  readonly #request: EmittingRequest
  readonly #announced: number | undefined
  readonly #limit: number
  readonly #inFlight: BodyInFlight
  readonly #resolve: (bytes: Uint8Array | undefined) => void
  readonly #reject: (error: unknown) => void
  #restore = () => {}
  #chunks: Uint8Array[] = []
  #length = 0
  /** Text whose bytes cannot be told. */
  #isDoubtful = false
  #isOver = false

  constructor(
    request: EmittingRequest,
    announced: number | undefined,
    limit: number,
    inFlight: BodyInFlight,
    resolve: (bytes: Uint8Array | undefined) => void,
    reject: (error: unknown) => void,
  ) {
    this.#request = request
    this.#announced = announced
    this.#limit = limit
    this.#inFlight = inFlight
    this.#resolve = resolve
    this.#reject = reject
  }

  begin(): void {
    const request = this.#request
    const before = Object.getOwnPropertyDescriptor(request, 'emit')
    const { emit } = request
    const hear = (event: string, given: readonly unknown[]) => this.#hear(event, given, emit)
    const value = function emitCopied(event: string, ...given: unknown[]) {
      return hear(event, given)
    }
    Object.defineProperty(request, 'emit', { value, writable: true, configurable: true })
    this.#restore = () => {
      if (request.emit !== value) return // something else has wrapped it since
      Reflect.deleteProperty(request, 'emit')
      if (before) Object.defineProperty(request, 'emit', before)
    }
    this.#inFlight.allowCut((error) => this.#stop(() => this.#reject(error)))
  }

  #hear(event: string, given: readonly unknown[], emit: EmittingRequest['emit']): boolean {
    // Before its reader, who may change the chunk.
    if (event === 'data') this.#attempt(() => this.#take(given[0]))
    const isHeard = Reflect.apply(emit, this.#request, [event, ...given])
    this.#attempt(() => this.#after(event, isHeard))
    return isHeard
  }

  /** Nothing that fails here may reach what reads the request. */
  #attempt(step: () => void): void {
    if (this.#isOver) return
    try {
      step()
    } catch (error) {
      this.#stop(() => this.#reject(error))
    }
  }

  #after(event: string, isHeard: boolean): void {
    if (event === 'end' && (isHeard || this.#length > 0)) this.#finish()
    else if (event === 'data' ? !isHeard && this.#isDropped() : ENDS.includes(event)) this.#abandon()
  }

  /** Whether the stream flows, so that a chunk that nothing hears is lost. Otherwise something called `read()`. */
  #isDropped(): boolean {
    return this.#request.readableFlowing === true
  }

  #take(chunk: unknown): void {
    const isText = typeof chunk === 'string'
    const bytes = isText ? encoder.encode(chunk) : new Uint8Array(chunk as Uint8Array) // what Node emits
    if (isText) this.#isDoubtful ||= this.#request.readableEncoding !== 'utf8' || isDoubtful(chunk)
    this.#length += bytes.byteLength
    this.#chunks = withChunk(this.#chunks, bytes)
    const problem = this.#inFlight.add(bytes.byteLength)
    if (problem) this.#stop(() => this.#reject(problem))
    else if (this.#length > this.#limit) this.#finish()
  }

  #finish(): void {
    const bytes = joinChunks(this.#chunks, this.#length).subarray(0, this.#limit + 1)
    const isWhole = this.#length > this.#limit || isExact(this.#length, this.#announced, this.#isDoubtful)
    this.#stop(() => (isWhole ? this.#resolve(bytes) : this.#reject(bytesGone())))
  }

  #abandon(): void {
    this.#stop(() => this.#resolve(undefined))
  }

  #stop(settle: () => void): void {
    this.#isOver = true
    this.#chunks = []
    this.#inFlight.arrived()
    this.#restore()
    settle()
  }
}

const ENDS = ['end', 'close', 'error', 'aborted']
