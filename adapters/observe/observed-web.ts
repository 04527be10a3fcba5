import { announcedBytes } from '../../src/delivery.ts'
import { ListenerConfigError } from '../../src/errors.ts'
import { memberOf } from '../../src/lib/member-of.ts'
import type { SourceFinder } from '../kit/incoming.ts'
import { fromWeb } from '../kit/read-web.ts'
import { bytesGone, exactBytes, type ObservedRequest } from './observed-request.ts'
import { WebReadings } from './web-readings.ts'

/**
 * Turns a web request, in any framework, into one whose body is copied while something else reads it. The request stays the
 * same object, and no byte is asked for that is not read. `whenHandled` gets a function, to be called as soon as the handler has
 * ended: the copy is given up when nothing reads on.
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
    copyBody(copy) {
      if (request.bodyUsed) throw bytesGone()
      const announced = announcedBytes(request.headers.get('content-length') ?? undefined)
      const readings = new WebReadings(copy, announced)
      readings.followRequest(request)
      whenHandled(() => {
        const isUnread = readings.areNone
        // At once: a turn later, Deno's server has read to its end what the handler did not read.
        if (isUnread && memberOf(request, 'bodyUsed') === true) copy.fail(notFollowed())
        else if (isUnread && isEmpty(request, announced)) copy.end()
        else readings.expectEnd()
      })
    },
  }
}

/** Asked late, and only if no header tells: on some runtimes, a look at `body` changes what its readers get, and how fast. */
function isEmpty(request: Request, announced: number | undefined): boolean {
  if (announced || request.headers.has('transfer-encoding')) return false
  return memberOf(request, 'body') === null
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
    copyBody(copy) {
      const end = (value: unknown) => {
        const bytes = exactBytes(value, announced)
        if (bytes) copy.endWith(bytes)
        else copy.fail(bytesGone())
      }
      Promise.resolve(kept).then(end, (error) => copy.fail(error))
    },
  }
}

/** The handler has read the body, but by nothing that a method of the request or of its stream shows. */
function notFollowed(): ListenerConfigError {
  const problem =
    'was read in a way that observeWebhook cannot follow, e.g. by new Request(request) or fetch(request)'
  return new ListenerConfigError(
    'body',
    `${problem}: let your handler read request itself, or request.clone()`,
  )
}
