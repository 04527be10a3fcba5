import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Reply } from '../reply.ts'
import type { SenderVerification } from '../verification.ts'

/** The reply to a handshake, returned instead of a refusal. */
export interface Answered {
  readonly reply: Reply
}

/** Answers unsigned handshakes, e.g. a GET with a challenge or an OPTIONS. They are cheap, and come from an allowed network. */
export function answerOpenHandshake(verification: SenderVerification): MaybePromise<Answered | undefined> {
  return verification.sender.scheme.handshake?.signed === false
    ? verification.sender.answer(verification)
    : undefined
}

/** Answers handshakes that the sender signs like its events. */
export function answerSignedHandshake(verification: SenderVerification): MaybePromise<Answered | undefined> {
  return verification.sender.scheme.handshake?.signed === true
    ? verification.sender.answer(verification)
    : undefined
}
