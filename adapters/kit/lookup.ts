import { ListenerLoadError } from '../../src/errors.ts'
import { isPromise, type MaybePromise } from '../../src/lib/maybe-promise.ts'
import type { Listener } from '../../src/listener.ts'
import type { Refusal } from './outcome.ts'
import { replyListenerUnknown, replyUnavailable, thenClose } from './reply.ts'
import { noListener, nothingFound } from './set-up-errors.ts'

/**
 * Finds the listener of a request, for services with many tenants. Return undefined to respond with 404.
 *
 * @example
 * ```ts
 * const lookup: ListenerLookup<Request, Json> = (request) => tenants.find(new URL(request.url).hostname)
 * ```
 */
export type ListenerLookup<Request, Payload> = (
  request: Request,
) => MaybePromise<Listener<Payload> | undefined>

export type Found<Payload> = Listener<Payload> | Refusal

/** Turns a listener or a lookup into a function that returns a listener or a refusal. @throws ListenerConfigError */
export function lookupOf<Request, Payload>(
  caller: string,
  target: Listener<Payload> | ListenerLookup<Request, Payload>,
): (request: Request) => MaybePromise<Found<Payload>> {
  if (typeof target === 'function') return (request) => judged(() => target(request))
  if (!isListener(target)) throw noListener(caller, target)
  return () => target
}

/** Closes the connection, because the request's body is not read. */
const UNKNOWN: Refusal = { reply: thenClose(replyListenerUnknown()) }

function judged<Payload>(
  find: () => MaybePromise<Listener<Payload> | undefined>,
): MaybePromise<Found<Payload>> {
  try {
    const found = find()
    return isPromise(found) ? found.then(judge<Payload>, refuseUnloaded) : judge(found)
  } catch (error) {
    return refuseUnloaded(error)
  }
}

function judge<Payload>(found: Listener<Payload> | undefined): Found<Payload> {
  if (found === undefined) return UNKNOWN
  if (!isListener(found)) throw nothingFound()
  return found
}

function refuseUnloaded(error: unknown): Refusal {
  if (error instanceof ListenerLoadError)
    return { reply: thenClose(replyUnavailable(error.retryAfterSeconds)) }
  throw error
}

/** Plain JavaScript callers and databases may pass anything; only a listener has this number. */
function isListener(value: Listener<unknown> | null): boolean {
  return typeof value?.retentionMs === 'number'
}
