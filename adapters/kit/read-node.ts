import { joinBody } from '#crypto'
import { announcedBytes } from '../../src/delivery.ts'
import type { ListenerConfigError } from '../../src/errors.ts'
import { isBytes } from '../../src/lib/bytes.ts'
import type { MaybePromise } from '../../src/lib/maybe-promise.ts'
import { withChunk } from '../../src/lib/read-stream.ts'
import {
  type BodyIncompleteError,
  bodyLate,
  bodyTaken,
  connectionEnded,
  counted,
  type Incoming,
  otherFramework,
  oversizeBody,
  type SourceFinder,
  streamFailed,
} from './incoming.ts'
import { type Connection, PipelinedRequest } from './pipelined-request.ts'
import type { OverloadError, Seat } from './seats.ts'

/** The stream part of a Node request. */
export interface NodeStream {
  readonly destroyed?: boolean
  on(event: string, listener: (chunk: Uint8Array) => void): this
  off(event: string, listener: (chunk: Uint8Array) => void): this
  pause(): this
  resume(): this
  /** Null until something starts to read, false while paused. */
  readonly readableFlowing?: boolean | null
  /** HTTP/2 only. Emits `finish` when the response has been sent. */
  readonly stream?: { once(event: 'finish', listener: () => void): unknown; close(): void }
}

/**
 * The part of Node's `IncomingMessage` that is used, of HTTP/1 or HTTP/2. Spelt out, so that the web needs no Node types.
 */
export interface NodeRequest extends NodeStream {
  /** The method, in capitals. */
  readonly method?: string | undefined
  /** The path with its query. Routers and middlewares may have changed it. */
  readonly url?: string | undefined
  /** The path with its query as received, which Express, Connect and Fastify keep here if they change `url`. */
  readonly originalUrl?: unknown
  /** 1 or 2. */
  readonly httpVersionMajor?: number
  /** Names and values in turn, as received. May be empty if a host made the request by hand. */
  readonly rawHeaders: readonly string[]
  /** Read only if `rawHeaders` is empty. */
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined }
  /** Whether something has read from it. */
  readonly readableDidRead: boolean
  /** Whether it was read to its end. */
  readonly readableEnded: boolean
  /** Whether the connection was reset. */
  readonly aborted?: boolean
  /** Null until something starts to read. */
  readonly readableFlowing: boolean | null
  /** The connection. */
  readonly socket: Connection & { readonly remoteAddress?: string | undefined; readonly destroyed?: boolean }
  /** Bytes that the host has already read, as cloud functions do. */
  readonly rawBody?: unknown
  /** Bytes that a parser has already read, as `express.raw` does. */
  readonly body?: unknown
}

/** The part of Node's `ServerResponse` that is used, of HTTP/1 or HTTP/2. */
export interface NodeResponse {
  /** The status that was, or will be, sent. */
  readonly statusCode: number
  /** Whether `end()` was called. */
  readonly writableEnded: boolean
  /** Whether the connection is gone. */
  readonly destroyed?: boolean
  /** Why a streamed response failed. HTTP/1 only. */
  readonly errored?: unknown
  /** The head as it was sent. HTTP/1 only. */
  readonly _header?: unknown
  /** HTTP/2 only. */
  readonly stream?:
    | {
        readonly aborted?: boolean
        readonly destroyed?: boolean
        readonly errored?: unknown
        readonly sentHeaders?: unknown
      }
    | undefined
  /** Null while an earlier response has the connection. */
  readonly socket?: unknown
  /** Calls the listener at `finish` and `close`. */
  on(event: string, listener: () => void): this
  /** Like `on`, but before the listeners of others. */
  prependListener(event: string, listener: () => void): this
  /** Replaced once the client has disconnected, to see when the handler ends the response. */
  end(...given: readonly unknown[]): unknown
  /** Replaced with `end`, to see the status that HTTP/2 drops then. */
  writeHead(status: number, ...given: readonly unknown[]): unknown
}

/**
 * Turns a Node request, in any framework, into an `Incoming`. Without `sourceOf`, the source is the socket's address. `parser` is
 * what is likely to have read a body before, in your framework, for the message of that mistake.
 *
 * @example
 * ```ts
 * const incoming = fromNode(req, res, behindProxies(['10.0.0.0/8']))
 * ```
 *
 * @throws ListenerConfigError if it is not a Node request.
 */
export function fromNode<Request extends NodeRequest>(
  request: Request,
  response: NodeResponse | undefined,
  sourceOf: SourceFinder<Request> = socketAddress,
  parser?: string,
): Incoming {
  const header = nodeHeaders(request)
  const announced = announcedBytes(header('content-length'))
  return {
    method: request.method ?? '',
    url: typeof request.originalUrl === 'string' ? request.originalUrl : request.url,
    header,
    joinsHeaders: request.rawHeaders.length === 0,
    pipelined:
      response && request.httpVersionMajor === 1 ? new PipelinedRequest(request.socket, response) : undefined,
    sourceIp: (listener) => sourceOf(request, listener),
    readBody: (limit, timeoutMs, seat) => readNodeBody(request, announced, limit, timeoutMs, seat, parser),
    whenGone: (callback) => void (response?.destroyed ? callback() : response?.on('close', callback)),
  }
}

const KEEP_RAW_BODY = "keep the bytes in Node's request.rawBody"

const socketAddress = ({ socket }: NodeRequest) => socket.remoteAddress

/**
 * Reads the exact bytes of a Node request's body, at most `limit` + 1 of them.
 *
 * @throws BodyIncompleteError if the sender stops early, or takes longer than `timeoutMs`.
 * @throws ListenerConfigError if a parser has consumed the body and kept no bytes.
 */
function readNodeBody(
  request: NodeRequest,
  announced: number | undefined,
  limit: number,
  timeoutMs: number,
  seat: Seat,
  parser: string | undefined,
): Promise<Uint8Array> {
  // E.g. closed during the lookup. The stream would emit nothing more.
  if (request.socket.destroyed) return Promise.reject(connectionEnded())
  const isUntouched = request.readableFlowing === null
  // Skipped if untouched: on Express, each property access costs a microsecond.
  if (!isUntouched) {
    if (isBytes(request.rawBody)) return Promise.resolve(counted(request.rawBody, seat))
    if (isBytes(request.body)) return Promise.resolve(counted(request.body, seat))
    if (request.readableDidRead || request.readableEnded) throw bodyTaken(KEEP_RAW_BODY, parser)
  }
  if (announced !== undefined && announced > limit) return Promise.resolve(oversizeBody(limit))
  return new Promise((resolve, reject) => {
    // On HTTP/2, a reset without an error ends like a complete body.
    const end = (bytes: MaybePromise<Uint8Array>) =>
      request.aborted ? reject(connectionEnded()) : resolve(bytes)
    const isHttp1 = request.httpVersionMajor === 1
    const arrival = new Arrival(request, limit, seat, isHttp1 ? resolve : end, reject)
    // Another reader could pause the stream just before its end.
    arrival.begin(timeoutMs, isHttp1 && isUntouched ? announced : undefined)
  })
}

/**
 * Finds headers by lower-case name in the raw list. `request.headers` is built lazily, and drops or joins repeated headers
 * by rules that differ per name. Hosts that construct requests by hand may leave the raw list empty.
 */
export function nodeHeaders(request: Pick<NodeRequest, 'rawHeaders' | 'headers'>): Incoming['header'] {
  // Read once: property access on Express requests is megamorphic.
  const { rawHeaders } = request
  if (rawHeaders === undefined) throw otherFramework()
  return rawHeaders.length === 0 ? (name) => request.headers[name] : findHeader

  function findHeader(name: string): string | readonly string[] | undefined {
    let found: string | undefined
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const candidate = rawHeaders[index]
      if (candidate?.length !== name.length || (candidate !== name && candidate.toLowerCase() !== name))
        continue
      if (found !== undefined) return findAll(rawHeaders, name)
      found = rawHeaders[index + 1]
    }
    return found
  }
}

function findAll(rawHeaders: readonly string[], name: string): readonly string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name)
}

/** `queueMicrotask` costs more in Node. */
const RESOLVED = /* @__PURE__ */ Promise.resolve()

type BodyFailure = BodyIncompleteError | OverloadError | ListenerConfigError

/** A body that is arriving. A class, because one closure per callback would take more memory than the body. */
export class Arrival {
  readonly #stream: NodeStream
  readonly #limit: number
  readonly #seat: Seat
  readonly #resolve: (bytes: MaybePromise<Uint8Array>) => void
  readonly #reject: (error: BodyFailure) => void
  #chunks: Uint8Array[] = []
  #length = 0
  #timeoutMs = 0
  #announced: number | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #isOver = false

  constructor(
    stream: NodeStream,
    limit: number,
    seat: Seat,
    resolve: (bytes: MaybePromise<Uint8Array>) => void,
    reject: (error: BodyFailure) => void,
  ) {
    this.#stream = stream
    this.#limit = limit
    this.#seat = seat
    this.#resolve = resolve
    this.#reject = reject
  }

  /** @param announced At this length, only `end` is missing, which comes by itself unless the stream is paused. */
  begin(timeoutMs: number, announced: number | undefined): void {
    this.#stream.on('data', this.#onData).on('end', this.#onEnd)
    this.#timeoutMs = timeoutMs
    this.#announced = announced
    void RESOLVED.then(this.#watch)
  }

  /** Most bodies arrive in this tick. Arms timers only if not. */
  readonly #watch = (): void => {
    if (this.#isOver) return
    if (this.#length > 0 && this.#length === this.#announced && this.#stream.readableFlowing !== false) return
    if (this.#stream.destroyed) {
      this.#giveUp(connectionEnded())
      return
    }
    const onGone = () => {
      if (!this.#isOver) this.#giveUp(connectionEnded())
    }
    const onError = (error: unknown) => {
      if (!this.#isOver) this.#giveUp(streamFailed(error, false))
    }
    // Other middleware may have paused the stream, e.g. for a web stream that nobody reads (`hono/body-limit`).
    const resume = () => {
      if (!this.#isOver) this.#stream.resume()
    }
    this.#stream.on('error', onError).on('close', onGone).on('pause', resume)
    resume()
    this.#seat.allowCut((error) => this.#giveUp(error))
    this.#timer = setTimeout(() => this.#giveUp(bodyLate(this.#timeoutMs)), this.#timeoutMs)
  }

  readonly #onData = (chunk: Uint8Array): void => {
    this.#length += chunk.byteLength
    this.#chunks = withChunk(this.#chunks, chunk)
    if (this.#length <= this.#limit) {
      const problem = this.#seat.add(chunk.byteLength)
      if (problem) this.#giveUp(problem)
      return
    }
    this.#leave()
    this.#resolve(oversizeBody(this.#limit))
  }

  /** Does not remove the listeners: an ended stream emits nothing but `close`. */
  readonly #onEnd = (): void => {
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#seat.arrived()
    this.#resolve(joinBody(this.#chunks, this.#length))
  }

  #giveUp(error: BodyFailure): void {
    this.#leave()
    this.#reject(error)
  }

  #leave(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#seat.arrived()
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
