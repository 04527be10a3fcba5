import type { AuthReason } from '../auth/authenticator.ts'
import { ListenerConfigError } from '../errors.ts'
import { whenKnown } from '../lib/maybe-promise.ts'
import { memberOf } from '../lib/member-of.ts'
import type { CheckAnswer } from '../reason.ts'
import type { Verification } from '../verification.ts'

/** Runs the listener's authentication method. */
export function checkAuthenticity(verification: Verification): CheckAnswer<AuthReason | 'body_malformed'> {
  return whenKnown(verification.authenticate(), (answer) => {
    // Only authenticators in plain JavaScript answer anything else.
    if (!memberOf(answer, 'method') && !memberOf(answer, 'reason')) {
      throw new ListenerConfigError('auth', 'authenticate() named no sender')
    }
    if ('reason' in answer) return verification.explained(answer)
    verification.auth = answer
    return undefined
  })
}
