import type { Authentication, AuthReason } from '../auth/authenticator.ts'
import { ListenerConfigError } from '../errors.ts'
import { whenKnown } from '../lib/maybe-promise.ts'
import type { CheckAnswer, Failure } from '../reason.ts'
import type { Verification } from '../verification.ts'

type Refused = Failure<AuthReason | 'body_malformed'>

/** Runs the listener's authentication method. What it has parsed of the body is dropped before anything is awaited. */
export function checkAuthenticity(verification: Verification): CheckAnswer<Refused['reason']> {
  verification.shared = {}
  try {
    return whenKnown(verification.listener.auth.authenticate(verification), (answer) =>
      keep(verification, answer),
    )
  } finally {
    verification.shared = undefined
  }
}

function keep(verification: Verification, answer: Authentication): Refused | undefined {
  // Only authenticators in plain JavaScript answer anything else.
  const given: { readonly method?: unknown; readonly reason?: unknown } | null | undefined = answer
  if (!given?.method && !given?.reason) {
    throw new ListenerConfigError('auth', 'authenticate() named no sender')
  }
  if (!('reason' in answer)) {
    verification.auth = answer
    return undefined
  }
  // Gives the cause, if it is known: e.g. the body was not parsed, so the signed values in it are missing too.
  const { bodyProblem } = verification
  return bodyProblem === '' ? answer : { reason: answer.reason, detail: bodyProblem, isCause: true }
}
