import { ListenerLoadError } from '../../src/errors.ts'
import { isPromise, type MaybePromise } from '../../src/lib/maybe-promise.ts'
import type { Listener } from '../../src/listener.ts'
import type { Refusal } from './outcome.ts'
import { replyListenerUnknown, replyUnavailable, thenClose } from './reply.ts'
import { noListener, nothingFound } from './set-up-errors.ts'

/** Finds the listener of a request, for services with many. Undefined is answered 404. */
export type ListenerLookup<Request, Payload> = (
  request: Request,
) => MaybePromise<Listener<Payload> | undefined>

/** What a lookup comes to. */
export type Found<Payload> = Listener<Payload> | Refusal

/** A listener as a lookup that finds it, and a lookup with its answers for senders. @throws ListenerConfigError */
export function lookupOf<Request, Payload>(
  caller: string,
  target: Listener<Payload> | ListenerLookup<Request, Payload>,
): (request: Request) => MaybePromise<Found<Payload>> {
  if (typeof target === 'function') return (request) => judged(() => target(request))
  if (!isListener(target)) throw noListener(caller, target)
  return () => target
}

/** The bytes of its request are not read, whatever the refusal. */
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

/** What plain JavaScript, or a database, hands over in its place has no number there. */
function isListener(value: Listener<unknown> | null): boolean {
  return typeof value?.retentionMs === 'number'
}
