import type { VerifyFields } from './channel-fields.ts'
import { isAddress } from './lib/cidr.ts'
import { callHook } from './lib/hooks.ts'
import type { MaybePromise } from './lib/maybe-promise.ts'
import { type TracingChannel, traced, tracingChannel } from './lib/tracing.ts'
import type { VerdictContext } from './listener-options.ts'
import type { Verdict } from './verdict.ts'
import type { Verification } from './verification.ts'

/** Publishes verdicts to subscribers. docs/observability.md lists the fields. */
const VERIFY: TracingChannel | undefined = /* @__PURE__ */ tracingChannel('verify')

interface Hooks {
  readonly onVerdict?: unknown
  readonly onError?: unknown
}

/** Whether there is a hook or a subscriber for verdicts. */
export function isWatched({ onVerdict, onError }: Hooks): boolean {
  return Boolean(onVerdict || onError || VERIFY?.hasSubscribers)
}

/** The monotonic time, in milliseconds. 0 if there is no hook or subscriber. */
export function nowIfWatched(hooks: Hooks): number {
  return isWatched(hooks) ? performance.now() : 0
}

/**
 * The result of a step of `verify`: a verdict, or the verification itself if its event is not claimed yet.
 */
type Step<Result> = (verification: Verification) => MaybePromise<Result>

/**
 * Runs a step, and reports the verdict and its duration to the listener's hooks and the channel's
 * subscribers.
 */
export function watched<Result extends Verdict<unknown> | Verification>(
  verification: Verification,
  step: Step<Result>,
): MaybePromise<Result> {
  if (!isWatched(verification.listener)) return step(verification)
  const startedAt = performance.now() - verification.spentMs
  return traced(
    VERIFY,
    () => watch(verification, step, startedAt),
    (result): VerifyFields => ({
      ...contextOf(verification, startedAt),
      bodyBytes: verification.delivery.body.byteLength,
      ...outcomeOf(verification, result),
    }),
  )
}

async function watch<Result extends Verdict<unknown> | Verification>(
  verification: Verification,
  step: Step<Result>,
  startedAt: number,
): Promise<Result> {
  const { onVerdict, onError } = verification.listener
  try {
    const result = await step(verification)
    if ('ok' in result) callHook(onVerdict, result, contextOf(verification, startedAt))
    else verification.spentMs = performance.now() - startedAt
    if (verification.problem) callHook(onError, verification.problem, contextOf(verification, startedAt))
    return result
  } catch (error) {
    callHook(onError, error, contextOf(verification, startedAt))
    throw error
  }
}

/** The parts of a result that may be published. `checked`: the claim is a separate step. */
function outcomeOf(
  { auth }: Verification,
  result: Verdict<unknown> | Verification | undefined,
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

/** Ends up in logs, so it excludes text that a stranger could have invented. */
function contextOf(
  { delivery, eventId, listener, loggedId, sender }: Verification,
  startedAt: number,
): VerdictContext {
  const { sourceIp } = delivery
  const id = sender === undefined ? eventId : loggedId
  return {
    listenerId: listener.id,
    durationMs: performance.now() - startedAt,
    ...(id && { eventId: id }),
    ...(sourceIp && isAddress(sourceIp) && { sourceIp }),
  }
}
