import type { EventAuth } from '../event.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { CompiledScheme } from '../protocol.ts'
import type { Failure } from '../reason.ts'
import type { SchemeOptions } from '../scheme.ts'
import type { Evidence } from './evidence.ts'

/** Why a delivery is not authentic. Each is a 401. */
export type AuthReason = 'auth_missing' | 'signature_mismatch' | 'token_invalid' | 'token_expired'

/**
 * The result of an authentication method: who sent the delivery, or why it is not authentic. `body_malformed`, a 400, is for a
 * delivery that is authentic but has a form that its sender never sends.
 */
export type Authentication = EventAuth | Failure<AuthReason | 'body_malformed'>

/** An authentication method. A listener has exactly one, and the request never chooses it. */
export interface Authenticator {
  /** Reported as `event.auth.method`. */
  readonly method: Exclude<EventAuth['method'], 'api'>
  /** Another sender's scheme, which tells the checks what a delivery looks like. Undefined for hookgate's scheme. */
  readonly protocol?: CompiledScheme
  /** Makes the same scheme's `auth` with other options, so that `hookgate/explain` can try them. Undefined if it would fetch keys. */
  readonly withOptions?: ((options: SchemeOptions) => Authenticator) | undefined
  /** The `WWW-Authenticate` header of a 401 (RFC 9110 11.6.1), if the method has one. */
  readonly challenge?: string
  /**
   * Authenticates a delivery. Called after the header checks and, without a `protocol`, after those of the JSON, timestamp and
   * event ID. Returns a failure for every mistake of the sender; throws or rejects only if it cannot decide.
   */
  authenticate(evidence: Evidence): MaybePromise<Authentication>
}
