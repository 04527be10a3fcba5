import { ListenerConfigError } from '../../src/errors.ts'
import { isListener } from '../../src/is-listener.ts'
import { isPromise, type MaybePromise } from '../../src/lib/maybe-promise.ts'
import { memberOf } from '../../src/lib/member-of.ts'
import type { Listener } from '../../src/listener.ts'
import { type Refusal, retryAfterOf, retryLater, UNKNOWN_LISTENER } from './outcome.ts'

/**
 * Finds the listener of a request, for services with many tenants. Return undefined to respond with 404.
 *
 * @example
 * ```ts
 * const lookup: ListenerLookup<Request> = (request) => tenants.find(new URL(request.url).hostname)
 * ```
 */
export type ListenerLookup<Request, Given extends Listener<unknown> = Listener> = (
  request: Request,
) => MaybePromise<Given | undefined>

type Found<Given> = Given | Refusal

/** @throws ListenerConfigError for a target that is neither a listener nor a function. */
export function checkTarget(caller: string, target: unknown): void {
  if (typeof target !== 'function' && !isListener(target)) throw noListener(caller, target)
}

/** The listener that a lookup finds, or the refusal if there is none. */
export function findListener<Request, Given extends Listener<unknown>>(
  lookup: ListenerLookup<Request, Given>,
  request: Request,
): MaybePromise<Found<Given>> {
  try {
    const found = lookup(request)
    return isPromise(found)
      ? Promise.resolve(found).then(checkFound<Given>, refuseUnloaded)
      : checkFound(found)
  } catch (error) {
    return refuseUnloaded(error)
  }
}

function checkFound<Given extends Listener<unknown>>(found: Given | undefined): Found<Given> {
  if (found === undefined) return UNKNOWN_LISTENER
  if (!isListener(found))
    throw new ListenerConfigError(
      'listener',
      'a lookup must return the result of defineListener(), or undefined',
    )
  return found
}

function refuseUnloaded(error: unknown): Refusal {
  // Not `instanceof`: it may be of another copy of hookgate.
  if (memberOf(error, 'code') === 'ERR_LISTENER_LOAD') return retryLater(retryAfterOf(error))
  throw error
}

/** If `verifyWebhook` was mounted without a call, `found` is a request or Hono's context. */
function noListener(caller: string, found: unknown): ListenerConfigError {
  if (memberOf(found, 'headers') || memberOf(found, 'req')) {
    const given = caller === 'webhookHandler' ? 'listener, handler' : 'listener'
    return new ListenerConfigError(caller, `was passed as a function; call it: ${caller}(${given})`)
  }
  return new ListenerConfigError(
    'listener',
    'must come from defineListener(), or be a function that finds one',
  )
}
