import type { Trigger } from './auth/remote-value.ts'
import type { EventAuth } from './event.ts'
import type { ClaimAnswer, CommitAnswer } from './event-store.ts'
import type { VerdictContext } from './listener-options.ts'
import type { Reason } from './reason.ts'

/**
 * The error of an operation that failed. Its cause is not published.
 *
 * @see {@link VerifyFields}
 */
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
   * the token's `kid`.
   */
  readonly auth?: { readonly method: EventAuth['method']; readonly keyId: string } | undefined
}

export type StoreAnswer = ClaimAnswer | CommitAnswer | boolean

/**
 * What the tracing channel `hookgate:store` publishes about a store call.
 *
 * @see {@link VerifyFields}
 */
export interface StoreFields extends FailedFields {
  /** The `id` of the listener. */
  readonly listenerId: string
  /** The method that was called. */
  readonly verb: 'claim' | 'commit' | 'release'
  /** The store's answer. Undefined until the end, and for a failed call. */
  readonly answer?: StoreAnswer | undefined
}

/**
 * What the tracing channel `hookgate:keys` publishes about a fetch of a key set.
 *
 * @see {@link VerifyFields}
 */
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
