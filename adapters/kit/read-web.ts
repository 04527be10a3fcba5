import type { MaybePromise } from '../../src/lib/maybe-promise.ts'
import { readAtMost } from '../../src/lib/read-stream.ts'
import type { BodyInFlight, OverloadError } from './bodies-in-flight.ts'
import { announcedBytes, type BodyIncompleteError, bodyLate, connectionEnded, oversizeBody } from './body.ts'
import type { Incoming } from './incoming.ts'
import { bodyTaken, otherFramework } from './set-up-errors.ts'

/** A web request as an `Incoming`, in any framework. @throws ListenerConfigError if it is not a web request. */
export function webIncoming(request: Request): Incoming {
  if (typeof request?.headers?.get !== 'function') throw otherFramework()
  const announced = announcedBytes(request.headers.get('content-length') ?? undefined)
  return {
    method: request.method,
    url: request.url,
    header: (name) => webHeader(request.headers, name),
    readBody: (limit, timeoutMs, inFlight) => readWebBody(request, announced, limit, timeoutMs, inFlight),
    whenGone: (tell) => request.signal?.addEventListener('abort', tell),
  }
}

/** Reads the exact bytes of a web request's body, at most `limit` + 1 of them. */
function readWebBody(
  request: Request,
  announced: number | undefined,
  limit: number,
  timeoutMs: number,
  inFlight: BodyInFlight,
): MaybePromise<Uint8Array> {
  if (request.bodyUsed || request.body?.locked) throw bodyTaken()
  if (announced !== undefined && announced > limit) return oversizeBody(limit)
  if (request.body === null) return NO_BYTES
  const reader = request.body.getReader()
  return new Promise((resolve, reject) => {
    const stop = (error: BodyIncompleteError | OverloadError) => {
      clearTimeout(timer)
      inFlight.arrived()
      void reader.cancel().catch(() => {}) // nobody reads what still comes
      reject(error)
    }
    const timer = setTimeout(() => stop(bodyLate(timeoutMs)), timeoutMs)
    inFlight.keepsArriving(stop)
    readAtMost(reader, limit, (bytes) => {
      const problem = inFlight.add(bytes)
      if (problem) stop(problem)
    }).then(
      (bytes) => {
        clearTimeout(timer)
        inFlight.arrived()
        resolve(bytes)
      },
      () => stop(connectionEnded()),
    )
  })
}

const NO_BYTES = new Uint8Array(0)

/**
 * Finds a header by lower-case name. `Headers` joins repeated headers with `, `, so split at it. `fieldText` restores values that
 * contain it.
 */
function webHeader(headers: Headers, name: string): string | readonly string[] | undefined {
  const value = headers.get(name) ?? undefined
  return value?.includes(', ') ? value.split(', ') : value
}

/** Whether the sender disconnected, if the platform reports it. It may then have missed the response. */
export function senderLeft(request: Request): boolean {
  return request.signal?.aborted === true
}
