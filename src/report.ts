import type { Trigger } from './auth/remote-value.ts'
import type { EventAuth } from './event.ts'
import type { ClaimAnswer, CommitAnswer } from './event-store.ts'
import { isAddress } from './lib/cidr.ts'
import { callHook } from './lib/hooks.ts'
import type { MaybePromise } from './lib/maybe-promise.ts'
import { type TracingChannel, traced, tracingChannel } from './lib/tracing.ts'
import type { Listener, VerdictContext } from './listener.ts'
import type { Reason } from './reason.ts'
import type { Verdict } from './verdict.ts'
import type { Verification } from './verification.ts'

/** Publishes verdicts to subscribers. docs/observability.md lists the fields. */
const VERIFY: TracingChannel | undefined = /* @__PURE__ */ tracingChannel('verify')

type Hooks = Pick<Listener<unknown>, 'onVerdict' | 'onError'>

/** Whether there is a hook or a subscriber for verdicts. */
export function isObserved({ onVerdict, onError }: Hooks): boolean {
  return Boolean(onVerdict || onError || VERIFY?.hasSubscribers)
}

/** The monotonic time, in milliseconds. 0 if there is no hook or subscriber. */
export function nowIfObserved(hooks: Hooks): number {
  return isObserved(hooks) ? performance.now() : 0
}

/** A step of `verify`. Its result is a verdict, or the verification itself if its event is not claimed yet. */
type Step<Result> = (verification: Verification) => MaybePromise<Result>

/** Runs a step, and reports the verdict and its duration to the listener's hooks and the channel's subscribers. */
export function reported<Result extends Verdict<unknown> | Verification>(
  verification: Verification,
  step: Step<Result>,
): MaybePromise<Result> {
  if (!isObserved(verification.listener)) return step(verification)
  const startedAt = performance.now() - verification.spentMs
  return traced(
    VERIFY,
    () => runAndTell(verification, step, startedAt),
    (result): VerifyFields => ({
      ...contextOf(verification, startedAt),
      bodyBytes: verification.delivery.body.byteLength,
      ...outcomeOf(verification, result),
    }),
  )
}

async function runAndTell<Result extends Verdict<unknown> | Verification>(
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

/** Reports a refusal whose reply nobody holds up for it. Never throws or rejects. */
export function reportAside(verification: Verification, step: Step<Verdict<unknown>>): void {
  callHook(() => reported(verification, step))
}

/** The parts of a result that may be published. `checked`: the claim is a separate step. */
function outcomeOf(
  { auth }: Verification,
  result: Verdict<unknown> | Verification | undefined,
): Pick<VerifyFields, 'outcome' | 'reason' | 'auth'> {
  if (!result) return { outcome: 'undecided' }
  if (!('ok' in result)) return { outcome: 'checked' }
  return {
    outcome: result.ok ? 'accepted' : result.handshake ? 'handshake' : 'refused',
    reason: result.reason,
    auth: auth && {
      method: auth.method,
      ...('scheme' in auth && { scheme: auth.scheme }),
      keyId: 'keyId' in auth ? auth.keyId : auth.secretId,
    },
  }
}

/** Ends up in logs, so it names no event before its sender is authenticated, and says what nothing signs. */
function contextOf(verification: Verification, startedAt: number): VerdictContext {
  const { delivery, eventId, eventTypeText, listener, protocol } = verification
  const { sourceIp } = delivery
  const eventType = eventId && eventTypeText
  const unsigned = (eventId && protocol.unsigned) || []
  return {
    listenerId: listener.id,
    durationMs: performance.now() - startedAt,
    ...(eventId && { eventId }),
    ...(eventType && { eventType }),
    ...(unsigned.length > 0 && { unsigned }),
    ...(sourceIp && isAddress(sourceIp) && { sourceIp }),
    ...(!verification.isEnforced && { enforced: false }),
  }
}

/** The error of an operation that failed. Its cause is not published. */
export interface FailedFields {
  /** Absent unless the operation failed. */
  readonly error?: { readonly name: string; readonly message: string }
}

/**
 * What the tracing channel `hookgate:verify` publishes about a delivery.
 *
 * @example
 * ```ts
 * import { subscribe } from 'node:diagnostics_channel'
 *
 * subscribe('tracing:hookgate:verify:asyncEnd', (message) => {
 *   const { outcome, reason } = message as VerifyFields
 *   console.log(outcome, reason)
 * })
 * ```
 */
export interface VerifyFields extends VerdictContext, FailedFields {
  /** The size of the body. 0 for a body that was not read. */
  readonly bodyBytes: number
  /**
   * `undecided` until the end, and also at the end if an error kept `verify` from deciding. `checked`: in
   * Fastify, the claim is a separate operation, and this one covers everything before it.
   */
  readonly outcome: 'accepted' | 'refused' | 'handshake' | 'undecided' | 'checked'
  /** Why it was refused. */
  readonly reason?: Reason | undefined
  /**
   * How the sender was authenticated, even if the delivery was refused later. `keyId` is the secret's `id` or
   * the token's `kid`. `scheme` is the name of another sender's scheme, e.g. `stripe`.
   */
  readonly auth?:
    | { readonly method: EventAuth['method']; readonly keyId: string; readonly scheme?: string }
    | undefined
}

export type StoreAnswer = ClaimAnswer | CommitAnswer | boolean

/** What the tracing channel `hookgate:store` publishes about a store call. */
export interface StoreFields extends FailedFields {
  /** The `id` of the listener. */
  readonly listenerId: string
  /** The method that was called. */
  readonly verb: 'claim' | 'commit' | 'release'
  /** The store's answer. Undefined until the end, and for a failed call. */
  readonly answer?: StoreAnswer | undefined
}

/** What the tracing channel `hookgate:keys` publishes about a fetch of a key set. */
export interface KeysFields extends FailedFields {
  /** The key set's URL, without its query. */
  readonly url: string
  /**
   * Why it was fetched: there was no set yet, it was too old, it soon would be, or it was fresh but lacked a
   * key.
   */
  readonly trigger: Trigger
  /** The number of usable keys. Undefined until the end, and for a failed fetch. */
  readonly keys?: number | undefined
}
