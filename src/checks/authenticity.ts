import { type MaybePromise, whenKnown } from '../lib/maybe-promise.ts'
import type { Attempt, Failure } from './check.ts'

export type AuthReason = 'auth_missing' | 'signature_mismatch' | 'token_invalid' | 'token_expired'

/** Runs the listener's authentication method. */
export function checkAuthenticity(attempt: Attempt): MaybePromise<Failure<AuthReason> | undefined> {
  return whenKnown(attempt.listener.auth.authenticate(attempt), (answer) => {
    if ('reason' in answer) return answer
    attempt.auth = answer
    return undefined
  })
}
