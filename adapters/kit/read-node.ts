import type { MaybePromise } from '../../src/lib/maybe-promise.ts'
import { Arrival, type NodeStream } from './arrival.ts'
import type { BodyInFlight } from './bodies-in-flight.ts'
import { announcedBytes, connectionEnded, counted, oversizeBody } from './body.ts'
import type { Incoming } from './incoming.ts'
import { bodyTaken, otherFramework } from './set-up-errors.ts'
import type { NodeResponse } from './settle-after.ts'
import { type Connection, Turn } from './turn.ts'

/** The part of `http.IncomingMessage` that is used. Spelt out, so that the Hono adapter needs no Node types. */
export interface NodeRequest extends NodeStream {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly httpVersionMajor?: number
  readonly rawHeaders: readonly string[]
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined }
  readonly readableDidRead: boolean
  readonly readableEnded: boolean
  readonly aborted?: boolean
  /** Null until something starts to read. */
  readonly readableFlowing: boolean | null
  readonly socket: Connection & { readonly remoteAddress?: string | undefined; readonly destroyed?: boolean }
  /** Bytes that the host has already read: `rawBody` (cloud functions) or `body` (`express.raw`). */
  readonly rawBody?: unknown
  readonly body?: unknown
}

/** A Node request as an `Incoming`, in any framework. */
export function nodeIncoming(request: NodeRequest, response: NodeResponse | undefined): Incoming {
  const header = nodeHeaders(request)
  const announced = announcedBytes(header('content-length'))
  return {
    method: request.method ?? '',
    url: request.url,
    header,
    turn: response && request.httpVersionMajor === 1 ? new Turn(request.socket, response) : undefined,
    readBody: (limit, timeoutMs, inFlight) => readNodeBody(request, announced, limit, timeoutMs, inFlight),
    whenGone: (tell) => void response?.on('close', tell),
  }
}

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
  inFlight: BodyInFlight,
): MaybePromise<Uint8Array> {
  // E.g. closed during the lookup. The stream would emit nothing more.
  if (request.socket.destroyed) return Promise.reject(connectionEnded())
  // Skipped for fresh requests: on Express, each property access costs a microsecond.
  const isAlone = request.readableFlowing === null
  if (!isAlone) {
    if (request.rawBody instanceof Uint8Array) return counted(request.rawBody, inFlight)
    if (request.body instanceof Uint8Array) return counted(request.body, inFlight)
    if (request.readableDidRead || request.readableEnded) throw bodyTaken()
  }
  if (announced !== undefined && announced > limit) return oversizeBody(limit)
  return new Promise((resolve, reject) => {
    // On HTTP/2, a reset without an error ends like a complete body.
    const end = (bytes: Uint8Array) => (request.aborted ? reject(connectionEnded()) : resolve(bytes))
    const isPlain = request.httpVersionMajor === 1
    const arrival = new Arrival(request, limit, inFlight, isPlain ? resolve : end, reject)
    // Another reader may pause the stream just before its end.
    arrival.begin(timeoutMs, isPlain && isAlone && announced !== undefined ? announced : Number.NaN)
  })
}

/**
 * Finds headers by lower-case name in the raw list. `request.headers` is built lazily, and drops or joins repeated headers
 * by rules that differ per name. Hosts that construct requests by hand may leave the raw list empty.
 */
export function nodeHeaders(request: NodeRequest): Incoming['header'] {
  // Read once: property access on Express requests is megamorphic.
  const { rawHeaders } = request
  if (rawHeaders === undefined) throw otherFramework()
  return rawHeaders.length === 0 ? (name) => request.headers[name] : (name) => findHeader(rawHeaders, name)
}

function findHeader(rawHeaders: readonly string[], name: string): string | readonly string[] | undefined {
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

function findAll(rawHeaders: readonly string[], name: string): readonly string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name)
}
