import { withDeadline } from '../../src/lib/deadline.ts'
import type { MaybePromise } from '../../src/lib/maybe-promise.ts'
import { readAtMost } from '../../src/lib/read-stream.ts'
import { announcedBytes, bodyLate, connectionEnded, oversizeBody } from './body.ts'
import type { Incoming } from './incoming.ts'
import { bodyTaken, otherFramework } from './set-up-errors.ts'

/** What a web request says of itself, whatever framework wraps it. @throws ListenerConfigError for what is none. */
export function webIncoming(request: Request): Incoming {
  if (typeof request?.headers?.get !== 'function') throw otherFramework()
  const announced = announcedBytes(request.headers.get('content-length') ?? undefined)
  return {
    method: request.method,
    url: request.url,
    header: (name) => webHeader(request.headers, name),
    announced,
    readBody: (limit, timeoutMs) => readWebBody(request, announced, limit, timeoutMs),
    whenGone: (tell) => request.signal?.addEventListener('abort', tell),
  }
}

/** The exact bytes of a web request's body, or the first `limit` + 1 of them: `readNodeBody` for web streams. */
function readWebBody(
  request: Request,
  announced: number | undefined,
  limit: number,
  timeoutMs: number,
): MaybePromise<Uint8Array> {
  if (request.bodyUsed || request.body?.locked) throw bodyTaken()
  if (announced !== undefined && announced > limit) return oversizeBody(limit)
  const reader = request.body?.getReader()
  const bytes = readAtMost(reader, limit).catch(() => {
    throw connectionEnded()
  })
  return withDeadline(bytes, timeoutMs, () => {
    // Its place is another's now, so it must not keep what goes on coming.
    void reader?.cancel().catch(() => {})
    return bodyLate(timeoutMs)
  })
}

/**
 * A header by its lower-case name. `Headers` joins repetitions with a comma, and none of the headers that are asked
 * for may hold one, so a comma is taken for the seam.
 */
function webHeader(headers: Headers, name: string): string | readonly string[] | undefined {
  const value = headers.get(name) ?? undefined
  return value?.includes(', ') ? value.split(', ') : value
}

/** Whether the sender hung up, where the platform says so: then nobody knows what it made of the answer. */
export function senderLeft(request: Request): boolean {
  return request.signal?.aborted === true
}
