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
 * What the tracing channel `hookgate:verify` publishes of a delivery.
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
   * `undecided` until the end, and in the end if an error kept `verify` from deciding. `checked`: in Fastify the claim is an
   * operation of its own, and this one was everything before it.
   */
  readonly outcome: 'accepted' | 'refused' | 'handshake' | 'undecided' | 'checked'
  /** Why it was refused. */
  readonly reason?: Reason | undefined
  /** How the sender proved who it is, also if the delivery was refused later. `keyId` is the secret's `id` or the token's `kid`. */
  readonly auth?: { readonly method: EventAuth['method']; readonly keyId: string } | undefined
}

export type StoreAnswer = ClaimAnswer | CommitAnswer | boolean

/**
 * What the tracing channel `hookgate:store` publishes of a call of a store.
 *
 * @see {@link VerifyFields}
 */
export interface StoreFields extends FailedFields {
  /** The `id` of the listener. */
  readonly listenerId: string
  /** What the store was asked. */
  readonly verb: 'claim' | 'commit' | 'release'
  /** What it answered: undefined until the end, and for a call that failed. */
  readonly answer?: StoreAnswer | undefined
}

/**
 * What the tracing channel `hookgate:keys` publishes of a fetch of a key set.
 *
 * @see {@link VerifyFields}
 */
export interface KeysFields extends FailedFields {
  /** The key set's URL, without its query. */
  readonly url: string
  /** Why it was fetched: none yet, one that is too old, one that soon will be, or a fresh one that lacks a key. */
  readonly trigger: Trigger
  /** The number of usable keys. Undefined until the end, and for a failed fetch. */
  readonly keys?: number | undefined
}
