import type { AuthReason } from '../auth/authenticator.ts'
import { type MaybePromise, whenKnown } from '../lib/maybe-promise.ts'
import type { Failure } from '../reason.ts'
import type { Verification } from '../verification.ts'

/** Runs the listener's authentication method. */
export function checkAuthenticity(
  verification: Verification,
): MaybePromise<Failure<AuthReason | 'body_malformed'> | undefined> {
  return whenKnown(verification.authenticate(), (answer) => {
    if ('reason' in answer) return verification.explained(answer)
    verification.auth = answer
    return undefined
  })
}
