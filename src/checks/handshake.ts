import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Reply } from '../reply.ts'
import type { Verification } from '../verification.ts'

type Answered = { readonly reply: Reply }

/** Answers unsigned handshakes, e.g. a GET with a challenge or an OPTIONS. They are cheap, and come from an allowed network. */
export function answerOpenHandshake(verification: Verification): MaybePromise<Answered | undefined> {
  return answer(verification, false)
}

/** Answers handshakes that the sender signs like its events. */
export function answerSignedHandshake(verification: Verification): MaybePromise<Answered | undefined> {
  return answer(verification, true)
}

function answer(verification: Verification, signed: boolean): MaybePromise<Answered | undefined> {
  const { protocol } = verification.listener.auth
  if (protocol?.scheme.handshake?.signed !== signed) return undefined
  return protocol.answer(verification, verification.isEnforced)
}
