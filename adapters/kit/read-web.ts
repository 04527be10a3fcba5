import { joinBody } from '#crypto'
import { announcedBytes } from '../../src/delivery.ts'
import type { ListenerConfigError } from '../../src/errors.ts'
import { callHook } from '../../src/lib/hooks.ts'
import { readAtMost } from '../../src/lib/read-stream.ts'
import {
  type BodyIncompleteError,
  bodyLate,
  bodyTaken,
  type Incoming,
  NO_BYTES,
  otherFramework,
  oversizeBody,
  type SourceFinder,
  streamFailed,
} from './incoming.ts'
import type { OverloadError, Seat } from './seats.ts'

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
    readBody: (limit, timeoutMs, seat) => readWebBody(request, announced, limit, timeoutMs, seat),
    whenGone: (callback) => request.signal?.addEventListener('abort', callback),
  }
}

/**
 * Reads the exact bytes of a web request's body, at most `limit` + 1 of them, and counts them as they arrive.
 *
 * @throws BodyIncompleteError if the body ends early or takes too long. ListenerConfigError if it was read before, or if the host accepts
 * fewer bytes. OverloadError if other bodies need the room.
 */
function readWebBody(
  request: Request,
  announced: number | undefined,
  limit: number,
  timeoutMs: number,
  seat: Seat,
): Promise<Uint8Array> {
  if (request.bodyUsed || request.body?.locked)
    throw bodyTaken('let it read request.clone()', 'request.json()')
  const isOversize = announced !== undefined && announced > limit
  if (isOversize || request.body === null) {
    return Promise.resolve(isOversize ? oversizeBody(limit) : NO_BYTES)
  }
  const reader = request.body.getReader()
  return new Promise((resolve, reject) => {
    const stop = (error: BodyIncompleteError | OverloadError | ListenerConfigError) => {
      clearTimeout(timer)
      seat.arrived()
      callHook(() => reader.cancel()) // nobody reads what still comes
      reject(error)
    }
    const timer = setTimeout(() => stop(bodyLate(timeoutMs)), timeoutMs)
    seat.allowCut(stop)
    const count = (bytes: number) => {
      const problem = seat.add(bytes)
      if (problem) stop(problem)
    }
    readAtMost(reader, limit, count, joinBody).then(
      (bytes) => {
        clearTimeout(timer)
        seat.arrived()
        resolve(bytes ?? oversizeBody(limit))
      },
      (error: unknown) => stop(streamFailed(error, request.signal?.aborted === true)),
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
