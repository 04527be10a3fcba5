import { joinBody } from '#crypto'
import { announcedBytes } from '../../src/delivery.ts'
import { callHook } from '../../src/lib/hooks.ts'
import { readAtMost } from '../../src/lib/read-stream.ts'
import type { BodyInFlight, OverloadError } from './bodies-in-flight.ts'
import {
  type BodyIncompleteError,
  bodyLate,
  bodyTaken,
  connectionEnded,
  type Incoming,
  NO_BYTES,
  otherFramework,
  oversizeBody,
  type SourceFinder,
} from './incoming.ts'

/**
 * Turns a web request, in any framework, into an `Incoming`. Without `sourceOf`, the source is unknown.
 *
 * @example
 * ```ts
 * const incoming = fromWeb(request, () => request.headers.get('cf-connecting-ip') ?? undefined)
 * ```
 *
 * @throws ListenerConfigError if it is not a web request.
 */
export function fromWeb(request: Request, sourceOf?: SourceFinder<Request>): Incoming {
  if (typeof request?.headers?.get !== 'function') throw otherFramework()
  const announced = announcedBytes(request.headers.get('content-length') ?? undefined)
  return {
    method: request.method,
    url: request.url,
    header: (name) => webHeader(request.headers, name),
    joinsHeaders: true,
    sourceIp: (listener) => sourceOf?.(request, listener),
    readBody: (limit, timeoutMs, inFlight) => readWebBody(request, announced, limit, timeoutMs, inFlight),
    whenGone: (callback) => request.signal?.addEventListener('abort', callback),
  }
}

/** Reads the exact bytes of a web request's body, at most `limit` + 1 of them. */
function readWebBody(
  request: Request,
  announced: number | undefined,
  limit: number,
  timeoutMs: number,
  inFlight: BodyInFlight,
): Promise<Uint8Array> {
  if (request.bodyUsed || request.body?.locked)
    throw bodyTaken('c.req.json() or request.json()', 'let it read request.clone()')
  const isOversize = announced !== undefined && announced > limit
  if (isOversize || request.body === null) {
    return Promise.resolve(isOversize ? oversizeBody(limit) : NO_BYTES)
  }
  return readCounted(request.body.getReader(), limit, inFlight, timeoutMs)
}

/**
 * Reads at most `limit` + 1 bytes, and counts them as they arrive. Without `timeoutMs`, waits for as long as it takes.
 *
 * @throws BodyIncompleteError if the body ends early or takes too long.
 * @throws OverloadError if other bodies need the room.
 */
export function readCounted(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  limit: number,
  inFlight: BodyInFlight,
  timeoutMs?: number,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const stop = (error: BodyIncompleteError | OverloadError) => {
      clearTimeout(timer)
      inFlight.arrived()
      callHook(() => reader.cancel()) // nobody reads what still comes
      reject(error)
    }
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => stop(bodyLate(timeoutMs)), timeoutMs)
    inFlight.allowCut(stop)
    const count = (bytes: number) => {
      const problem = inFlight.add(bytes)
      if (problem) stop(problem)
    }
    readAtMost(reader, limit, count, joinBody).then(
      (bytes) => {
        clearTimeout(timer)
        inFlight.arrived()
        resolve(bytes ?? oversizeBody(limit))
      },
      () => stop(connectionEnded()),
    )
  })
}

/**
 * Finds a header by lower-case name. `Headers` joins repeated headers with `, `, so split at it. `fieldText` restores values that
 * contain it.
 */
function webHeader(headers: Headers, name: string): string | readonly string[] | undefined {
  const value = headers.get(name) ?? undefined
  return value?.includes(', ') ? value.split(', ') : value
}
