import type { Attempt } from './checks/check.ts'
import { isAddress } from './lib/cidr.ts'
import { callHook } from './lib/hooks.ts'
import type { MaybePromise } from './lib/maybe-promise.ts'
import type { VerdictContext } from './listener-options.ts'
import type { Verdict } from './verdict.ts'

/** Tells the listener's hooks what became of an attempt, and how long that took. */
export async function watch(
  attempt: Attempt,
  decide: (attempt: Attempt) => MaybePromise<Verdict<unknown>>,
): Promise<Verdict<unknown>> {
  const { onVerdict, onError } = attempt.listener
  const startedAt = performance.now()
  try {
    const verdict = await decide(attempt)
    callHook(onVerdict, verdict, contextOf(attempt, startedAt))
    if (attempt.problem) callHook(onError, attempt.problem, contextOf(attempt, startedAt))
    return verdict
  } catch (error) {
    callHook(onError, error, contextOf(attempt, startedAt))
    throw error
  }
}

/** Logs are written from this, so text that a stranger could have made up stays out. */
function contextOf({ delivery, eventId, listener }: Attempt, startedAt: number): VerdictContext {
  const { sourceIp } = delivery
  return {
    listenerId: listener.id,
    durationMs: performance.now() - startedAt,
    ...(eventId === '' ? {} : { eventId }),
    ...(sourceIp !== undefined && isAddress(sourceIp) ? { sourceIp } : {}),
  }
}
