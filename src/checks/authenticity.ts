import type { Authentication } from '../auth/authenticator.ts'
import { isPromise, type MaybePromise } from '../lib/maybe-promise.ts'
import type { Attempt, Failure } from './check.ts'

export type AuthReason = 'auth_missing' | 'signature_mismatch' | 'token_invalid' | 'token_expired'

/** The listener's one authentication method vouches for the delivery (specification 5.2). */
export function checkAuthenticity(attempt: Attempt): MaybePromise<Failure<AuthReason> | undefined> {
  const answer = attempt.listener.auth.authenticate(attempt)
  return isPromise(answer) ? answer.then((given) => note(attempt, given)) : note(attempt, answer)
}

function note(attempt: Attempt, answer: Authentication): Failure<AuthReason> | undefined {
  if ('reason' in answer) return answer
  attempt.auth = answer
  return undefined
}
