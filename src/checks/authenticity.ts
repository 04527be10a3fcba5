import type { AuthReason } from '../auth/authenticator.ts'
import { whenKnown } from '../lib/maybe-promise.ts'
import type { CheckAnswer } from '../reason.ts'
import type { Verification } from '../verification.ts'

/** Runs the listener's authentication method. */
export function checkAuthenticity(verification: Verification): CheckAnswer<AuthReason | 'body_malformed'> {
  return whenKnown(verification.authenticate(), (answer) => {
    if ('reason' in answer) return verification.explained(answer)
    verification.auth = answer
    return undefined
  })
}
