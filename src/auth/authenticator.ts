import type { AuthReason } from '../checks/authenticity.ts'
import type { Attempt, Failure } from '../checks/check.ts'
import type { EventAuth } from '../event.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Sender } from '../scheme/sender.ts'

export type Authentication = EventAuth | Failure<AuthReason>

/** One way to tell who sent a delivery. A listener has exactly one; the request never chooses it. */
export interface Authenticator {
  /** What `event.auth.method` says. */
  readonly method: EventAuth['method']
  /** The sender's scheme, where it is not the specification's: the checks ask it what a delivery has to look like. */
  readonly sender?: Sender
  /** The `WWW-Authenticate` header of a 401, where the method has one (RFC 9110 11.6.1). */
  readonly challenge?: string
  /**
   * By now the headers have passed and, without a `sender`, the JSON, the timestamp and the event ID. Answers a failure for anything a sender
   * can do; throws or rejects only when it cannot decide.
   */
  authenticate(attempt: Attempt): MaybePromise<Authentication>
}
