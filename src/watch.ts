import type { VerifyFields } from './channel-fields.ts'
import type { Attempt } from './checks/check.ts'
import { isAddress } from './lib/cidr.ts'
import { callHook, isWatched, VERIFY } from './lib/hooks.ts'
import type { MaybePromise } from './lib/maybe-promise.ts'
import { traced } from './lib/tracing.ts'
import type { VerdictContext } from './listener-options.ts'
import type { Verdict } from './verdict.ts'

/** What a step of `verify` ends with: a verdict, or the attempt itself when its event is still to be claimed. */
type Step<Result> = (attempt: Attempt) => MaybePromise<Result>

/** Runs a step, and tells the listener's hooks and the channel's subscribers the verdict and how long it took. */
export function watched<Result extends Verdict<unknown> | Attempt>(
  attempt: Attempt,
  step: Step<Result>,
): MaybePromise<Result> {
  if (!isWatched(attempt.listener)) return step(attempt)
  const startedAt = performance.now() - attempt.spentMs
  return traced(
    VERIFY,
    () => watch(attempt, step, startedAt),
    (result): VerifyFields => ({
      ...contextOf(attempt, startedAt),
      bodyBytes: attempt.delivery.body.byteLength,
      ...outcomeOf(attempt, result),
    }),
  )
}

async function watch<Result extends Verdict<unknown> | Attempt>(
  attempt: Attempt,
  step: Step<Result>,
  startedAt: number,
): Promise<Result> {
  const { onVerdict, onError } = attempt.listener
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

/** What may be published of a result. `checked`: the claim is a step of its own. */
function outcomeOf(
  { auth }: Attempt,
  result: Verdict<unknown> | Attempt | undefined,
): Pick<VerifyFields, 'outcome' | 'reason' | 'auth'> {
  if (!result) return { outcome: 'undecided' }
  if (!('ok' in result)) return { outcome: 'checked' }
  const no = result.ok ? undefined : result
  return {
    outcome: no ? (no.handshake ? 'handshake' : 'refused') : 'accepted',
    reason: no?.reason,
    auth: auth && { method: auth.method, keyId: 'keyId' in auth ? auth.keyId : auth.secretId },
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
    ...(eventId && { eventId: sender?.unsigned.includes('id') ? claimKeys[0] : eventId }),
    ...(sourceIp && isAddress(sourceIp) && { sourceIp }),
  }
}
