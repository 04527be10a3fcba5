import type { Trigger } from './auth/remote-value.ts'
import type { EventAuth } from './event.ts'
import type { ClaimAnswer, CommitAnswer, RenewAnswer } from './event-store.ts'
import { plainAddress } from './lib/cidr.ts'
import { callHook, ignoreRejection } from './lib/hooks.ts'
import { isPromise, type MaybePromise } from './lib/maybe-promise.ts'
import { type TracingChannel, traced, tracingChannel } from './lib/tracing.ts'
import type { Listener, VerdictContext } from './listener.ts'
import type { Reason } from './reason.ts'
import type { Rejected, Verdict } from './verdict.ts'
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

/** Tells a verdict to the listener's hooks, and returns it. */
export function report<Given extends Verdict<unknown>>(verification: Verification, verdict: Given): Given {
  const { listener, problem } = verification
  if (listener.onVerdict) callHook(listener.onVerdict, verdict, contextOf(verification))
  if (problem) reportError(verification, problem)
  return verdict
}

/** Tells `onError` what is not the sender's fault. */
export function reportError(verification: Verification, error: unknown): void {
  const { onError } = verification.listener
  if (onError) callHook(onError, error, contextOf(verification))
}

/** One of the verbs of `verify.ts`. */
type Work<Result> = (verification: Verification) => MaybePromise<Result>

/**
 * Does the work, as one operation for subscribers: they get a beginning, the context around the work, and an end with its
 * result. Tells `onError` of what the work throws.
 */
export function traceVerify<Result extends Verdict<unknown> | undefined>(
  verification: Verification,
  work: Work<Result>,
): MaybePromise<Result> {
  if (!VERIFY?.hasSubscribers) return telling(verification, work)
  verification.startedAt ||= performance.now()
  return traced(
    VERIFY,
    async () => telling(verification, work),
    // Called at the beginning without an argument, and at the end with the result. Undefined: the checks have passed, and the claim
    // is another operation.
    (...ended: [Result?]) =>
      fieldsOf(verification, ended.length === 0 ? 'undecided' : (ended[0] ?? 'checked')),
  )
}

function telling<Result>(verification: Verification, work: Work<Result>): MaybePromise<Result> {
  try {
    const result = work(verification)
    return isPromise(result) ? result.catch((error: unknown) => rethrow(verification, error)) : result
  } catch (error) {
    return rethrow(verification, error)
  }
}

function rethrow(verification: Verification, error: unknown): never {
  reportError(verification, error)
  throw error
}

/** Reports what was decided without any check, e.g. because there was no room. Never throws. */
export function reportAside(verification: Verification, outcome: Rejected | Error): void {
  const work = async () => {
    if ('ok' in outcome) return report(verification, outcome)
    throw outcome
  }
  ignoreRejection(traceVerify(verification, work))
}

/** What is published of an operation. `checked`: its claim is another one. */
function fieldsOf(
  verification: Verification,
  result: Verdict<unknown> | 'undecided' | 'checked',
): VerifyFields {
  const { auth, delivery } = verification
  const common = { ...contextOf(verification), bodyBytes: delivery.body.byteLength }
  if (typeof result === 'string') return { ...common, outcome: result }
  return {
    ...common,
    outcome: result.ok ? 'accepted' : result.handshake ? 'handshake' : 'refused',
    reason: result.reason,
    auth: auth && {
      method: auth.method,
      ...('scheme' in auth && { scheme: auth.scheme }),
      keyId: 'keyId' in auth ? auth.keyId : 'secretId' in auth ? auth.secretId : undefined,
    },
  }
}

/** Ends up in logs, so it names no event before its sender is authenticated, and says what nothing signs. */
function contextOf(verification: Verification): VerdictContext {
  const { delivery, eventId, eventTypeText, listener, protocol } = verification
  const sourceIp = delivery.sourceIp && plainAddress(delivery.sourceIp)
  const eventType = eventId && eventTypeText
  const unsigned = (eventId && protocol.unsigned) || []
  return {
    listenerId: listener.id,
    durationMs: verification.durationMs,
    ...(eventId && { eventId }),
    ...(eventType && { eventType }),
    ...(unsigned.length > 0 && { unsigned }),
    ...(sourceIp && { sourceIp }),
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
   * the token's `kid`, and undefined for what its API has answered. `scheme` is the name of another sender's scheme, e.g. `stripe`.
   */
  readonly auth?:
    | { readonly method: EventAuth['method']; readonly keyId: string | undefined; readonly scheme?: string }
    | undefined
}

export type StoreAnswer = ClaimAnswer | CommitAnswer | RenewAnswer

/** What the tracing channel `hookgate:store` publishes about a store call. */
export interface StoreFields extends FailedFields {
  /** The `id` of the listener. */
  readonly listenerId: string
  /** The method that was called. */
  readonly verb: 'claim' | 'commit' | 'release' | 'renew'
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

/** What the tracing channel `hookgate:inbox` publishes about a put, and about each run of a job. */
export interface InboxFields extends FailedFields {
  /** The `id` of the listener. */
  readonly listenerId: string
  /** Whether an event was put, or a worker ran it. */
  readonly verb: 'put' | 'run'
  /**
   * `put`: the job is written. For a run: its handler succeeded (`done`), or failed and will run again (`failed`) or will not (`dead`),
   * or another worker has the job by now (`lost`). Undefined until the end, and for a failed put.
   */
  readonly answer?: 'put' | 'done' | 'failed' | 'dead' | 'lost' | undefined
  /** For a run, its number, counted from 1. */
  readonly attempt?: number | undefined
  /** For a run, the milliseconds since the event was put, or since `again()`. */
  readonly waitedMs?: number | undefined
}
