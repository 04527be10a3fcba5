import type { Attempt } from './checks/check.ts'
import { isAddress } from './lib/cidr.ts'
import { callHook } from './lib/hooks.ts'
import type { MaybePromise } from './lib/maybe-promise.ts'
import type { VerdictContext } from './listener-options.ts'
import type { Verdict } from './verdict.ts'

/** What a step of `verify` ends with: a verdict, or the attempt itself when its event is still to be claimed. */
type Step<Result> = (attempt: Attempt) => MaybePromise<Result>

/** Runs a step, and tells the listener's hooks the verdict and how long it took. */
export function watched<Result extends Verdict<unknown> | Attempt>(
  attempt: Attempt,
  step: Step<Result>,
): MaybePromise<Result> {
  const { onVerdict, onError } = attempt.listener
  return onVerdict === undefined && onError === undefined ? step(attempt) : watch(attempt, step)
}

async function watch<Result extends Verdict<unknown> | Attempt>(
  attempt: Attempt,
  step: Step<Result>,
): Promise<Result> {
  const { onVerdict, onError } = attempt.listener
  const startedAt = performance.now() - attempt.spentMs
  try {
    const result = await step(attempt)
    if ('ok' in result) callHook(onVerdict, result, contextOf(attempt, startedAt))
    else attempt.spentMs = performance.now() - startedAt
    if (attempt.problem) callHook(onError, attempt.problem, contextOf(attempt, startedAt))
    return result
  } catch (error) {
    callHook(onError, error, contextOf(attempt, startedAt))
    throw error
  }
}

/** Logs are written from this, so text that a stranger could have made up stays out. */
function contextOf(
  { claimKeys, delivery, eventId, listener, sender }: Attempt,
  startedAt: number,
): VerdictContext {
  const { sourceIp } = delivery
  return {
    listenerId: listener.id,
    durationMs: performance.now() - startedAt,
    ...(eventId === '' ? {} : { eventId: sender?.unsigned.includes('id') ? claimKeys[0] : eventId }),
    ...(sourceIp !== undefined && isAddress(sourceIp) ? { sourceIp } : {}),
  }
}
