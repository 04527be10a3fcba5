import { announcedBytes } from '../../src/delivery.ts'
import { isA, memberOf } from '../../src/lib/member-of.ts'
import { BodyIncompleteError, counted, NO_BYTES, type SourceFinder } from '../kit/incoming.ts'
import { fromWeb, readCounted } from '../kit/read-web.ts'
import { bytesGone, exactBytes, type ObservedRequest } from './observed-request.ts'

/**
 * Turns a web request, in any framework, into one whose body is copied by `request.clone()` while something else reads it.
 * `whenHandled` gets a function, to be called as soon as the handler has ended: only then it is known whether anything read
 * the body.
 *
 * @example
 * ```ts
 * void observer.observe(request, () => observedWeb(request, (callback) => void handled.then(callback)))
 * ```
 *
 * @throws ListenerConfigError if it is not a web request.
 */
export function observedWeb(
  request: Request,
  whenHandled: (callback: () => void) => void,
  sourceOf?: SourceFinder<Request>,
): ObservedRequest {
  const { method, url, header, joinsHeaders, sourceIp } = fromWeb(request, sourceOf)
  return {
    method,
    url,
    header,
    joinsHeaders,
    sourceIp,
    async copyBody(limit, inFlight) {
      if (request.bodyUsed || request.body?.locked) throw bytesGone()
      const { body } = request.clone()
      if (body === null) return NO_BYTES
      const wasCloned = watchClone(request)
      const isRead = new Promise<boolean>((resolve) => {
        // At once: a turn later, Deno's server has read to its end what the handler did not read.
        whenHandled(() => resolve(memberOf(request, 'bodyUsed') === true || wasCloned()))
      })
      const bytes = await readCounted(body.getReader(), limit, inFlight).catch(unlessLeft)
      return (await isRead) ? bytes : undefined
    },
  }
}

/**
 * Replaces the copy of a body by what an earlier reader kept of it, or by its promise.
 *
 * @example
 * ```ts
 * const observed = withKept(observedWeb(request, (callback) => void handled.then(callback)), request.text())
 * ```
 */
export function withKept(observed: ObservedRequest, kept: unknown): ObservedRequest {
  const announced = announcedBytes(observed.header('content-length'))
  return {
    ...observed,
    async copyBody(_limit, inFlight) {
      const bytes = exactBytes(await kept, announced)
      if (bytes === undefined) throw bytesGone()
      return counted(bytes, inFlight)
    },
  }
}

/** Tells whether a request is cloned from now on: it is then read without being used. */
function watchClone(request: Request): () => boolean {
  let wasCloned = false
  const value = () => {
    wasCloned = true
    Reflect.deleteProperty(request, 'clone')
    return request.clone()
  }
  Object.defineProperty(request, 'clone', { value, writable: true, configurable: true })
  return () => {
    if (!wasCloned) Reflect.deleteProperty(request, 'clone')
    return wasCloned
  }
}

/** If the sender has left, there is nothing to judge. */
function unlessLeft(error: unknown): undefined {
  if (!isA(error, BodyIncompleteError)) throw error
}
