import type { AuthReason } from '../auth/authenticator.ts'
import { type Failure, fail } from '../failure.ts'
import { type MaybePromise, whenKnown } from '../lib/maybe-promise.ts'
import type { Verification } from '../verification.ts'

/** Runs the listener's authentication method. */
export function checkAuthenticity(verification: Verification): MaybePromise<Failure<AuthReason> | undefined> {
  verification.unread = ''
  return whenKnown(verification.listener.auth.authenticate(verification), (answer) => {
    // What the body lacks is not the cause if it was never parsed.
    if ('reason' in answer) return verification.unread ? fail(answer.reason, verification.unread) : answer
    verification.auth = answer
    return undefined
  })
}
